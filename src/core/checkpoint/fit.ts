import { foreign } from "../text/quoted.ts";
import type { Checkpoint, Workspace } from "./checkpoint.ts";
import { coverageOf, documentState, memoryName } from "./document-state.ts";

/** What there is to tell of a checkpoint's file before its content counts. */
export interface CheckpointFile {
	key: string;
	session: string;
	/** `null` where it can't be used, for `problem`. */
	checkpoint: Checkpoint | null;
	problem?: string;
	seal: "good" | "none" | "broken";
}

export type Validation = ReturnType<typeof validate>;

/**
 * Judges a checkpoint: integrity with reasons, freshness, coverage with the missing keys of fields and memories (docs/guide.md).
 * `goneFiles`: what it refers to and is gone; `memories`: the names of those there are by now, `null` where they were not listed.
 */
export function validate(
	file: CheckpointFile,
	around: {
		now: Date;
		freshHours: number;
		goneFiles: readonly { what: string; path: string }[];
		memories: ReadonlySet<string> | null;
	},
) {
	const { now, freshHours, goneFiles, memories } = around;
	const { key, session, checkpoint } = file;
	const fields = checkpoint && documentState(checkpoint);
	const named = checkpoint?.memories?.map(memoryName) ?? [];
	const gone = memories ? named.filter((name) => !memories.has(name)) : [];
	const critical = named.filter((name) => name.includes("spec_analysis") || name.includes("phase_plan"));
	const hasCritical = critical.length === 0 || critical.some((name) => !gone.includes(name));
	const checks = [
		...checksOf(file, fields),
		check(false, "critical_memories_found", hasCritical, "neither specification nor phase plan is there"),
		...goneFiles.map(({ what, path }) => check(false, "referenced_file", false, `${what} is gone: ${path}`)),
	];
	const ageHours = checkpoint ? (now.getTime() - Date.parse(checkpoint.at)) / 3_600_000 : Number.NaN;
	const { missing, percent } = fields ? coverageOf(fields) : { missing: [], percent: 0 };
	return {
		...{ key, session },
		/** Fit for a restore. */
		valid: checks.every(({ ok, must }) => ok || !must),
		integrity: { ok: checks.every(({ ok }) => ok), checks },
		freshness: {
			// (a moment ahead of the clock: it was set back)
			fresh: ageHours < freshHours,
			ageHours: Number.isNaN(ageHours) ? null : Math.round(ageHours * 10) / 10,
			maxHours: freshHours,
		},
		coverage: {
			percent,
			missing,
			memories: {
				...{ found: named.length - gone.length, of: named.length, missing: gone },
				percent: named.length === 0 ? 100 : Math.floor((1 - gone.length / named.length) * 100),
			},
		},
	};
}

/** One look at a checkpoint. A failed `must` makes it unfit for a restore; any other is a warning. `reason`: why it is not ok. */
const check = (must: boolean, name: string, ok: boolean, reason: string) => ({
	...{ name, ok, must },
	...(!ok && { reason }),
});

function checksOf(
	{ key, session, checkpoint: one, problem, seal }: CheckpointFile,
	fields: ReturnType<typeof documentState> | null,
) {
	const readable = check(true, "schema", one !== null, problem ?? "it can't be read");
	if (!one || !fields) return [readable];
	return [
		readable,
		check(true, "checksum", seal !== "broken", "its content is not what was saved: the checksum differs"),
		check(true, "has_key", one.key === key, `it says that it is ${one.key}`),
		check(true, "has_session", one.session === session, `it says that it is of session ${one.session}`),
		check(true, "has_timestamp", !Number.isNaN(Date.parse(one.at)), `its time is '${one.at}'`),
		check(
			false,
			"has_continuation",
			(fields.next_action ?? fields.current_focus) !== null,
			"it names nothing to go on with",
		),
		check(false, "has_project_id", fields.project_id !== null, "it names no project"),
		check(false, "has_phase", fields.active_phase !== "unknown", "no phase is known"),
		check(false, "has_memory_keys", Boolean(one.memories?.length), "it names no memories"),
	];
}

/** What became of a file that was edited before the checkpoint: `changedAt` an ISO time, `null` where it is gone. */
export interface FileNow {
	path: string;
	changedAt: string | null;
}

/** What of branch, commit and files is not as a checkpoint has it, in words: an old plan must not pose as the present. */
export function workspaceChanges(
	{ workspace: then, at, state }: Checkpoint,
	now: Workspace | null,
	files: readonly FileNow[],
): string[] {
	const branch = then ? then.branch : state.branch;
	const [was, is] = [then?.commits[0], now?.commits[0]];
	return [
		...(now && branch && now.branch !== branch
			? [`branch: ${foreign(branch)} then, ${foreign(now.branch || "none")} now`]
			: []),
		...(was && is && was !== is ? [`last commit: ${foreign(was)} then, ${foreign(is)} now`] : []),
		...files.flatMap(({ path, changedAt }) => {
			if (changedAt === null) return [`${foreign(path)} is gone`];
			return changedAt > at ? [`${foreign(path)} was changed at ${changedAt}`] : [];
		}),
	];
}
