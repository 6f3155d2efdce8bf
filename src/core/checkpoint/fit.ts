import { foreign } from "../text/quoted.ts";
import type { Checkpoint, Workspace } from "./checkpoint.ts";
import { type DocumentState, documentState, memoryName } from "./document-state.ts";

/** One look at a checkpoint. A failed `must` makes it unfit for a restore; any other is a warning. */
export interface Check {
	name: string;
	ok: boolean;
	must: boolean;
	/** Why it is not; absent where it is. */
	reason?: string;
}

/** What there is to tell of a checkpoint's file before its content counts. */
export interface CheckpointFile {
	key: string;
	session: string;
	/** `null` where it can't be used, for `problem`. */
	checkpoint: Checkpoint | null;
	problem?: string;
	seal: "good" | "none" | "broken";
}

/** What lies around it, by now. */
export interface Surroundings {
	now: Date;
	freshHours: number;
	/** Files it refers to that are gone, each with what it is. */
	goneFiles: { what: string; path: string }[];
	/** The memories there are by now, by their names; `null` where they were not listed. */
	memories: ReadonlySet<string> | null;
}

export type Validation = ReturnType<typeof validate>;

/** Judges a checkpoint: integrity with reasons, freshness, coverage with the missing keys of fields and memories (docs/guide.md). */
export function validate(file: CheckpointFile, around: Surroundings) {
	const { key, session, checkpoint } = file;
	const checks = checksOf(file, around);
	const ageHours = checkpoint ? (around.now.getTime() - Date.parse(checkpoint.at)) / 3_600_000 : Number.NaN;
	const { gone, counts } = memoriesOf(checkpoint?.memories, around.memories);
	const { missing, coverage: percent } = checkpoint ? documentState(checkpoint) : NOTHING;
	const lost = gone.map((name) => ({ key: name, reason: "this memory is gone" }));
	return {
		...{ key, session },
		/** Fit for a restore. */
		valid: checks.every(({ ok, must }) => ok || !must),
		integrity: { ok: checks.every(({ ok }) => ok), checks },
		freshness: {
			// (a moment ahead of the clock: it was set back)
			fresh: ageHours < around.freshHours,
			ageHours: Number.isNaN(ageHours) ? null : Math.round(ageHours * 10) / 10,
			maxHours: around.freshHours,
		},
		coverage: { percent, memories: counts, missing: [...lost, ...missing] },
	};
}

const NOTHING: Pick<DocumentState, "missing" | "coverage"> = { missing: [], coverage: 0 };

function checksOf({ key, session, checkpoint: one, problem, seal }: CheckpointFile, around: Surroundings): Check[] {
	const check = (must: boolean, name: string, ok: boolean, reason: string): Check => ({
		...{ name, ok, must },
		...(!ok && { reason }),
	});
	const readable = check(true, "schema", one !== null, problem ?? "it can't be read");
	if (!one) return [readable];
	const { fields } = documentState(one);
	const { memories = [], waves } = one;
	return [
		readable,
		check(true, "checksum", seal !== "broken", "its content is not what was saved: the checksum differs"),
		check(true, "has_key", one.key === key, `it says that it is ${one.key}`),
		check(true, "has_session", one.session === session, `it says that it is of session ${one.session}`),
		check(true, "has_timestamp", !Number.isNaN(Date.parse(one.at)), `its time is '${one.at}'`),
		check(true, "has_type", Boolean(fields.checkpoint_type), "it names no type"),
		check(false, "has_continuation", fields.next_action !== null, "it names no next action"),
		check(false, "has_project_id", fields.project_id !== null, "it names no project"),
		check(false, "has_phase", fields.active_phase !== "unknown", "no phase is known"),
		check(false, "has_memory_keys", memories.length > 0, "it names no memories"),
		check(false, "has_wave_context", waves !== undefined || fields.active_wave !== null, "no wave has run"),
		...around.goneFiles.map(({ what, path }) => check(false, "referenced_file", false, `${what} is gone: ${path}`)),
	];
}

/** The memories a checkpoint names, and those of them that are gone by now. */
function memoriesOf(memories: Checkpoint["memories"] = [], there: ReadonlySet<string> | null) {
	const of = memories.map(memoryName);
	const gone = there ? of.filter((name) => !there.has(name)) : [];
	return { of, gone, counts: { found: of.length - gone.length, of: of.length } };
}

export type Recovered = ReturnType<typeof recoveredOf>;

/** How much of a checkpoint a restore brings back: a memory that is gone is a warning, and the rest comes back. */
export function recoveredOf(checkpoint: Checkpoint, there: ReadonlySet<string> | null) {
	const { state, workspace, waves, memories } = checkpoint;
	const { of, gone, counts } = memoriesOf(memories, there);
	const filled = Object.values(state).filter((value) => Array.isArray(value) && value.length > 0).length;
	const parts = filled + Number(state.plan !== null) + Number(workspace !== null);
	const critical = of.filter((name) => /spec_analysis|phase_plan/.test(name));
	const { fields } = documentState(checkpoint);
	const holds = {
		memories_restored: of.length === 0 || counts.found > 0,
		critical_memories_found: critical.length === 0 || critical.some((name) => !gone.includes(name)),
		project_id_valid: fields.project_id !== null,
		next_action_defined: fields.next_action !== null,
		wave_context_available: waves?.length !== 0,
	};
	return {
		/** Of its memories and its filled parts, those that are there. */
		percent: of.length + parts === 0 ? 0 : Math.floor(((counts.found + parts) / (of.length + parts)) * 100),
		memories: counts,
		missing: gone,
		/** The document's checks of a restore that do not hold. */
		warnings: Object.entries(holds).flatMap(([name, ok]) => (ok ? [] : [name])),
	};
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
