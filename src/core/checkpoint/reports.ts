import { foreign } from "../text/quoted.ts";
import { counted } from "../text/text.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { documentState, typeOf } from "./document-state.ts";
import type { Validation } from "./fit.ts";
import { asImported, importedLine } from "./imported.ts";

/** After a save: what was preserved, and whether it can be restored. */
export function savedReport(checkpoint: Checkpoint, { integrity, coverage }: Validation): string[] {
	const fields = documentState(checkpoint);
	const { key, at, note, state } = checkpoint;
	const failed = integrity.checks.filter(({ ok, must }) => !ok && must);
	return [
		`## CHECKPOINT SAVED: ${key}`,
		"",
		`- Type: ${typeOf(checkpoint)}, taken ${at}`,
		`- Asked for by: ${fields.checkpoint_trigger}`,
		...(note ? [`- Note: ${foreign(note)}`] : []),
		`- ${counted(state.messages.length, "message")} of the user, word for word; tasks: ${tasksIn(fields)}; decisions: ${fields.key_decisions.length}`,
		...progressIn(fields),
		`- The names of ${counted(coverage.memories.of, "memory", "memories")}`,
		failed.length === 0
			? `- Fit for a restore; ${coverage.percent} % of what a checkpoint can hold is known`
			: `- NOT fit for a restore: ${failed.map(({ name, reason }) => `${name}: ${reason}`).join("; ")}`,
		"",
		`1. To restore it: ${fields.restoration_instructions}`,
		`2. Resume from: ${foreign(fields.next_action ?? "nothing names what comes next")}`,
	];
}

/** The document's validation reports: integrity, freshness and coverage of one checkpoint. */
export function validationReport({ key, session, valid, integrity, freshness, coverage }: Validation): string[] {
	const failed = integrity.checks.filter(({ ok }) => !ok);
	const { found, of, missing } = coverage.memories;
	return [
		`## ${valid ? "CHECKPOINT VALID" : "CHECKPOINT NOT FIT FOR A RESTORE"}: ${key}`,
		`Session: ${session}`,
		`- Integrity: ${integrity.checks.length - failed.length} of ${integrity.checks.length} checks hold`,
		...failed.map(({ name, must, reason }) => `  - ${must ? "failed" : "warning"}, ${name}: ${reason}`),
		`- Freshness: ${freshness.fresh ? "fresh" : "stale"}, ${freshness.ageHours ?? "unknown"} h old (limit ${freshness.maxHours} h)`,
		`- Coverage: ${coverage.percent} % of the fields${missingIn(coverage.missing)}; memories: ${of === 0 ? "none" : `${found} of ${of}${missingIn(missing)}`}`,
	];
}

const missingIn = (keys: readonly string[]): string => (keys.length > 0 ? `, missing: ${keys.join(", ")}` : "");

/**
 * After a restore: what came back, what did not, how to go on. `into`: where it goes, `changes`: what is not as it was, in words;
 * `present`: the checkpoint of the present, saved before, `null` where there was none to save.
 */
export function restoredReport(
	checkpoint: Checkpoint,
	{ integrity, coverage }: Validation,
	facts: { into: string; changes: readonly string[]; present: string | null; by: string },
): string[] {
	const fields = documentState(checkpoint);
	const { percent, found, of, missing } = coverage.memories;
	const { key, at, imported } = checkpoint;
	const restored = [
		`- Memories: ${of === 0 ? "none" : `${found} of ${of} there (${percent} %)`}`,
		...progressIn(fields),
		`- Tasks: ${tasksIn(fields)}`,
		...fields.key_decisions.slice(-10).map(({ decision }) => `- Decision: ${foreign(decision)}`),
		`- Next action: ${foreign(fields.next_action ?? "unknown")}`,
		`- Current focus: ${foreign(fields.current_focus ?? "unknown")}`,
		`- Files in progress: ${fields.in_progress_files.slice(-10).map(foreign).join(", ") || "none"}`,
	];
	return [
		`## CONTEXT RESTORED: ${key}`,
		"",
		...(imported ? [`- ${importedLine(imported)}`] : []),
		`- Created: ${at}, ${typeOf(checkpoint)}, project ${fields.project_name ?? "unknown"} (${fields.project_id ?? "unknown"})`,
		`- Found by: ${facts.by}`,
		`- Goes to: ${facts.into}`,
		...(facts.present ? [`- Saved before: ${facts.present}`] : []),
		...restored.map((line) => asImported(line, imported)),
		...facts.changes.map((change) => `- Not as it was then: ${change}`),
		...integrity.checks.flatMap(({ ok, name, reason }) => (ok ? [] : [`- Warning, ${name}: ${reason}`])),
		...missing.map((name) => `- Warning, not recovered: memory ${name}`),
	];
}

type Fields = ReturnType<typeof documentState>;

/** Phase and progress, as far as they are known. */
const progressIn = ({ active_phase: phase, phase_progress: share }: Fields) => [
	...(phase === "unknown" ? [] : [`- Project phase: ${foreign(phase)}`]),
	...(share === null ? [] : [`- Phase progress: ${share} % complete`]),
];

const tasksIn = ({ in_progress_tasks: begun, pending_tasks: pending }: Fields): string =>
	`${begun.length} in progress, ${pending.length} pending`;
