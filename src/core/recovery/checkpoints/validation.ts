import type { Checkpoint } from "../checkpoint.ts";
import { documentState, type Missing, memoryName } from "./document-state.ts";

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

export interface Validation {
	key: string;
	session: string;
	/** Fit for a restore. */
	valid: boolean;
	integrity: { ok: boolean; checks: Check[] };
	freshness: { fresh: boolean; ageHours: number | null; maxHours: number };
	/** `percent` of fields and memories together; `missing` names the others. */
	coverage: { percent: number; memories: { found: number; of: number }; missing: Missing[] };
}

/** Judges a checkpoint: integrity with reasons, freshness, coverage with the missing keys (docs/checkpoints.md). */
export function validate(file: CheckpointFile, around: Surroundings): Validation {
	const { checkpoint } = file;
	const checks = checksOf(file, around);
	const ageHours = checkpoint ? (around.now.getTime() - Date.parse(checkpoint.at)) / 3_600_000 : null;
	const isKnown = ageHours !== null && Number.isFinite(ageHours);
	return {
		key: file.key,
		session: file.session,
		valid: checks.every(({ ok, must }) => ok || !must),
		integrity: { ok: checks.every(({ ok }) => ok), checks },
		freshness: {
			// (a moment ahead of the clock: it was set back)
			fresh: isKnown && ageHours < around.freshHours,
			ageHours: isKnown ? Math.round(ageHours * 10) / 10 : null,
			maxHours: around.freshHours,
		},
		coverage: checkpoint ? coverageOf(checkpoint, around) : NOTHING,
	};
}

const NOTHING: Validation["coverage"] = { percent: 0, memories: { found: 0, of: 0 }, missing: [] };

function checksOf({ key, session, checkpoint, problem, seal }: CheckpointFile, around: Surroundings): Check[] {
	const check = (name: string, must: boolean, ok: boolean, reason: string): Check => ({
		name,
		ok,
		must,
		...(!ok && { reason }),
	});
	const readable = check("schema", true, checkpoint !== null, problem ?? "it can't be read");
	if (!checkpoint) return [readable];
	const { fields } = documentState(checkpoint);
	return [
		readable,
		check("checksum", true, seal !== "broken", "its content is not what was saved: the checksum differs"),
		check("has_key", true, checkpoint.key === key, `it says that it is ${checkpoint.key}`),
		check("has_session", true, checkpoint.session === session, `it says that it is of session ${checkpoint.session}`),
		check("has_timestamp", true, !Number.isNaN(Date.parse(checkpoint.at)), `its time is '${checkpoint.at}'`),
		check("has_type", true, Boolean(fields.checkpoint_type), "it names no type"),
		check("has_continuation", false, fields.next_action !== null, "it names no next action"),
		check("has_project_id", false, fields.project_id !== null, "it names no project"),
		check("has_phase", false, fields.active_phase !== "unknown", "no phase is known"),
		check("has_memory_keys", false, (checkpoint.memories?.length ?? 0) > 0, memoriesReason(checkpoint)),
		check("has_wave_context", false, checkpoint.waves !== undefined || fields.active_wave !== null, "no wave has run"),
		...around.goneFiles.map(({ what, path }) => check("referenced_file", false, false, `${what} is gone: ${path}`)),
	];
}

const memoriesReason = ({ memories }: Checkpoint): string =>
	memories ? "the project had no memories" : "an earlier version of ccg listed no memories";

function coverageOf(checkpoint: Checkpoint, around: Surroundings): Validation["coverage"] {
	const { missing, coverage: percent } = documentState(checkpoint);
	const expected = (checkpoint.memories ?? []).map(memoryName);
	const gone = around.memories ? expected.filter((name) => !around.memories!.has(name)) : [];
	return {
		percent,
		memories: { found: expected.length - gone.length, of: expected.length },
		missing: [...gone.map((key) => ({ key, reason: "this memory is gone" })), ...missing],
	};
}
