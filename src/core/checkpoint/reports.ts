import { foreign } from "../text/quoted.ts";
import { counted, grouped } from "../text/text.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { documentState, typeOf } from "./document-state.ts";
import type { Recovered, Validation } from "./fit.ts";
import { asImported, importedLine } from "./imported.ts";

/** After a save: what was preserved, and whether it can be restored. */
export function savedReport(checkpoint: Checkpoint, validation: Validation): string[] {
	const { fields } = documentState(checkpoint);
	const { key, at, trigger, reason, note, state, memories = [], waves = [] } = checkpoint;
	const { coverage, integrity } = validation;
	const { found, of } = coverage.memories;
	const failed = integrity.checks.filter(({ ok, must }) => !ok && must);
	return [
		`## CHECKPOINT SAVED: ${key}`,
		"",
		`Type: ${typeOf(checkpoint)}, taken ${at}`,
		`Asked for by: ${reason ?? trigger}`,
		...(note ? [`Note: ${foreign(note)}`] : []),
		"",
		"### What it holds",
		`- ${counted(state.messages.length, "message")} of the user, word for word`,
		`- Tasks: ${lengthOf(fields.in_progress_tasks)} in progress, ${lengthOf(fields.pending_tasks)} pending; decisions: ${lengthOf(fields.key_decisions)}`,
		`- The names of ${counted(memories.length, "memory", "memories")}, ${found === of ? "all there" : `${found} there`}`,
		...(fields.phase_progress === null ? [] : [`- Phase ${fields.active_phase}, ${fields.phase_progress} % complete`]),
		...(fields.current_wave || waves.length > 0 ? [`- Subagents: ${waveStatus(fields)}`] : []),
		...(state.tokens === null ? [] : [`- Context: ${grouped(state.tokens)} tokens`]),
		"",
		failed.length === 0
			? `It is fit for a restore. ${coverage.percent} % of what a checkpoint can hold is known; 'ccg checkpoint validate ${key}' says what is not.`
			: `It is NOT fit for a restore: ${failed.map(({ name, reason: why }) => `${name}: ${why}`).join("; ")}`,
		"",
		"### Restoration",
		`1. ${fields.restoration_instructions}`,
		`2. Resume from: ${foreign(String(fields.next_action ?? "nothing names what comes next"))}`,
	];
}

/** The document's validation reports: integrity, freshness and coverage of one checkpoint. */
export function validationReport({ key, session, valid, integrity, freshness, coverage }: Validation): string[] {
	const { checks } = integrity;
	const failed = checks.filter(({ ok }) => !ok);
	const age = freshness.ageHours === null ? "its age is unknown" : `${freshness.ageHours} h old`;
	const { found, of } = coverage.memories;
	return [
		`## ${valid ? "CHECKPOINT VALID" : "CHECKPOINT NOT FIT FOR A RESTORE"}: ${key}`,
		`Session: ${session}`,
		"### Validation",
		`- Integrity: ${failed.length === 0 ? "all checks hold" : `${checks.length - failed.length} of ${checks.length} checks hold`}`,
		...failed.map(({ name, must, reason }) => `  - ${must ? "failed" : "warning"}, ${name}: ${reason}`),
		`- Freshness: ${freshness.fresh ? "fresh" : "stale"}, ${age} (limit ${freshness.maxHours} h)`,
		`- Coverage: ${coverage.percent} % of the fields; memories: ${found} of ${of} are there`,
		...coverage.missing.map(({ key: name, reason }) => `  - missing, ${name}: ${reason}`),
	];
}

export interface RestoreFacts {
	/** Where it goes, in words. */
	into: string;
	/** What is not as it was, in words. */
	changes: readonly string[];
	/** The checkpoint of the present, saved before; `null` where there was none to save. */
	present: string | null;
	by: string;
}

/** Below this the report says what is missing. */
const ENOUGH = 90;

/** After a restore: what came back, what did not, how to go on. */
export function restoredReport(checkpoint: Checkpoint, recovered: Recovered, facts: RestoreFacts): string[] {
	const { fields } = documentState(checkpoint);
	const { memories, percent, missing, warnings } = recovered;
	const { key, at, imported } = checkpoint;
	const decisions = fields.key_decisions as { decision: string }[];
	const progress = fields.phase_progress === null ? "unknown" : `${fields.phase_progress} %`;
	const restored = [
		`- Recovered: ${percent} %${percent < ENOUGH ? `; missing: ${missing.join(", ")}` : ""}`,
		`- Memories: ${memories.found} of ${memories.of} there`,
		`- Project phase: ${fields.active_phase} (${progress})`,
		`- Wave status: ${waveStatus(fields)}`,
		`- Tasks: ${lengthOf(fields.pending_tasks)} pending`,
		"",
		"### Key decisions recovered",
		...(decisions.length === 0 ? ["none"] : decisions.slice(-10).map(({ decision }) => `- ${foreign(decision)}`)),
		"",
		"### Continuation instructions",
		`- Next action: ${foreign(String(fields.next_action ?? "unknown"))}`,
		`- Current focus: ${foreign(String(fields.current_focus ?? "unknown"))}`,
		`- Files in progress: ${(fields.in_progress_files as string[]).slice(-10).map(foreign).join(", ") || "none"}`,
	];
	const warned = [...warnings, ...missing.map((name) => `not recovered: memory ${name}`)];
	return [
		`## CONTEXT RESTORED: ${key}`,
		"",
		...(imported ? [`- ${importedLine(imported)}`] : []),
		`- Created: ${at}`,
		`- Type: ${typeOf(checkpoint)}`,
		`- Project: ${fields.project_name ?? "unknown"} (${fields.project_id ?? "unknown"})`,
		`- Found by: ${facts.by}`,
		`- Goes to: ${facts.into}`,
		...(facts.present ? [`- Saved before: ${facts.present}`] : []),
		"",
		"### Restored context",
		...restored.map((line) => asImported(line, imported)),
		...listed("Not as it was then", facts.changes),
		...listed("Warnings", warned),
	];
}

const listed = (heading: string, lines: readonly string[]): string[] =>
	lines.length > 0 ? ["", `### ${heading}`, ...lines.map((line) => `- ${line}`)] : [];

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

const waveStatus = ({ current_wave: now, completed_waves: done }: Record<string, unknown>): string =>
	now === null ? `none runs, ${lengthOf(done)} completed` : `wave ${now} runs; how many are planned is not known`;
