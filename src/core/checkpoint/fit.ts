import { inBackticks } from "../text/quoted.ts";
import type { Checkpoint, Workspace } from "./checkpoint.ts";
import { coverageOf, documentState } from "./document-state.ts";

/** A checkpoint's file as it was read, before its content is judged. */
export interface CheckpointFile {
	key: string;
	session: string;
	/** `null` where the file can't be used; `problem` says why. */
	checkpoint: Checkpoint | null;
	problem?: string;
	seal: "good" | "none" | "broken";
}

export type Validation = ReturnType<typeof validateCheckpoint>;

/** Judges a checkpoint: whether it is intact, how old it is, how much it holds. `gone`: in words, what it names and is missing now. */
export function validateCheckpoint(
	file: CheckpointFile,
	{ now, freshHours, gone }: { now: Date; freshHours: number; gone: readonly string[] },
) {
	const { key, session, checkpoint } = file;
	const problems = checkpointProblems(file);
	const ageHours = checkpoint ? (now.getTime() - Date.parse(checkpoint.at)) / 3_600_000 : Number.NaN;
	const { missing, percent } = checkpoint ? coverageOf(documentState(checkpoint)) : { missing: [], percent: 0 };
	return {
		...{ key, session },
		/** Fit for a restore. */
		valid: problems.length === 0,
		integrity: { problems },
		freshness: {
			// (a moment ahead of the clock: it was set back)
			fresh: ageHours < freshHours,
			ageHours: Number.isNaN(ageHours) ? null : Math.round(ageHours * 10) / 10,
			maxHours: freshHours,
		},
		coverage: { percent, missing, gone },
	};
}

/** Why a checkpoint's file does not hold what was saved under its key, in words; empty where it does. */
function checkpointProblems({ key, session, checkpoint, problem, seal }: CheckpointFile): string[] {
	if (!checkpoint) return [problem ?? "it can't be read"];
	return [
		...(seal === "broken" ? ["its content is not what was saved: the checksum differs"] : []),
		...(checkpoint.key === key ? [] : [`it says that it is ${checkpoint.key}`]),
		...(checkpoint.session === session ? [] : [`it says that it is of session ${inBackticks(checkpoint.session)}`]),
		...(Number.isNaN(Date.parse(checkpoint.at)) ? [`its time is ${inBackticks(checkpoint.at)}`] : []),
	];
}

/** A file that was edited before the checkpoint, as it is now: `changedAt` is an ISO time, or `null` where the file is gone. */
interface FileNow {
	path: string;
	changedAt: string | null;
}

/** How branch, last commit and files differ now from a checkpoint, in words: an old plan must not pose as the present. */
export function workspaceChanges(
	{ workspace: then, at, state }: Checkpoint,
	now: Workspace | null,
	files: readonly FileNow[],
): string[] {
	const branch = then ? then.branch : state.branch;
	const [was, is] = [then?.commits[0], now?.commits[0]];
	return [
		...(now && branch && now.branch !== branch
			? [`branch: ${inBackticks(branch)} then, ${inBackticks(now.branch || "none")} now`]
			: []),
		...(was && is && was !== is ? [`last commit: ${inBackticks(was)} then, ${inBackticks(is)} now`] : []),
		...files.flatMap(({ path, changedAt }) => {
			if (changedAt === null) return [`${inBackticks(path)} is gone`];
			return changedAt > at ? [`${inBackticks(path)} was changed at ${changedAt}`] : [];
		}),
	];
}
