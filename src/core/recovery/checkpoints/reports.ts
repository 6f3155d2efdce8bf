import { counted, grouped } from "../../text/text.ts";
import type { Checkpoint } from "../checkpoint.ts";
import { asImported, importedLine } from "../imported.ts";
import { foreign } from "../item-text.ts";
import { documentState, typeOf } from "./document-state.ts";
import { ENOUGH, type Recovered } from "./recovered.ts";
import { triggerOf } from "./triggers.ts";
import type { Validation } from "./validation.ts";

/** A report as its lines; Markdown, in the form of the agent's document. */
type Lines = string[];

/** After a save: what was preserved, and whether it can be restored. */
export function savedReport(checkpoint: Checkpoint, validation: Validation): Lines {
	const { fields } = documentState(checkpoint);
	const { key, at, trigger, reason, note, state, memories = [] } = checkpoint;
	const isUrgent = typeOf(checkpoint) === "precompact" && triggerOf(trigger) === "high_token_usage";
	return [
		`## CHECKPOINT SAVED: ${key}`,
		"",
		`Checkpoint type: ${typeOf(checkpoint)}${isUrgent ? " (precautionary)" : ""}`,
		`Timestamp: ${at}`,
		`Trigger: ${trigger}${reason ? ` (${reason})` : ""}`,
		...(note ? [`Note: ${foreign(note)}`] : []),
		"",
		"### Preserved context",
		`- Memory keys: ${counted(memories.length, "memory", "memories")} listed${categories(fields.memory_categories)}`,
		`- Project state: phase ${fields.active_phase}, ${fields.phase_progress ?? "unknown"}${fields.phase_progress === null ? "" : " %"} complete`,
		`- Wave status: ${waveStatus(fields)}`,
		`- Active tasks: ${lengthOf(fields.in_progress_tasks)} in progress, ${lengthOf(fields.pending_tasks)} pending`,
		`- Decisions: ${lengthOf(fields.key_decisions)} logged`,
		`- Messages of the user: ${state.messages.length}, word for word`,
		...(state.tokens === null ? [] : [`- Context: ${grouped(state.tokens)} tokens`]),
		"",
		...checkLines(validation),
		"",
		"### Restoration",
		`1. ${fields.restoration_instructions}`,
		`2. Resume from: ${foreign(String(fields.next_action ?? "nothing names what comes next"))}`,
	];
}

/** The document's validation reports: integrity, freshness and coverage of one checkpoint. */
export function validationReport(validation: Validation): Lines {
	const { key, session, valid } = validation;
	return [
		`## ${valid ? "CHECKPOINT VALID" : "CHECKPOINT NOT FIT FOR A RESTORE"}: ${key}`,
		`Session: ${session}`,
		...checkLines(validation),
	];
}

function checkLines({ integrity, freshness, coverage }: Validation): Lines {
	const failed = integrity.checks.filter(({ ok }) => !ok);
	const age = freshness.ageHours === null ? "its age is unknown" : `${freshness.ageHours} h old`;
	const { found, of } = coverage.memories;
	return [
		"### Validation",
		`- Integrity: ${failed.length === 0 ? "all checks hold" : `${integrity.checks.length - failed.length} of ${integrity.checks.length} checks hold`}`,
		...failed.map(({ name, must, reason }) => `  - ${must ? "failed" : "warning"}, ${name}: ${reason}`),
		`- Freshness: ${freshness.fresh ? "fresh" : "stale"}, ${age} (limit ${freshness.maxHours} h)`,
		`- Coverage: ${coverage.percent} % of the fields; memories: ${found} of ${of} are there`,
		...coverage.missing.map(({ key, reason }) => `  - missing, ${key}: ${reason}`),
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

/** After a restore: what came back, what did not, how to go on. */
export function restoredReport(checkpoint: Checkpoint, recovered: Recovered, facts: RestoreFacts): Lines {
	const { fields } = documentState(checkpoint);
	const { memories, percent, missing, warnings } = recovered;
	const { imported } = checkpoint;
	const decisions = fields.key_decisions as { decision: string; rationale: string | null }[];
	return [
		`## CONTEXT RESTORED: ${checkpoint.key}`,
		"",
		...(imported ? [`- ${importedLine(imported)}`] : []),
		`- Created: ${checkpoint.at}`,
		`- Type: ${typeOf(checkpoint)}`,
		`- Project: ${fields.project_name ?? "unknown"} (${fields.project_id ?? "unknown"})`,
		`- Found by: ${facts.by}`,
		`- Goes to: ${facts.into}`,
		...(facts.present ? [`- Saved before: ${facts.present}`] : []),
		"",
		"### Restored context",
		...[
			`- Recovered: ${percent} %${percent < ENOUGH ? `; missing: ${missing.join(", ")}` : ""}`,
			`- Memories: ${memories.found} of ${memories.of} there`,
			`- Project phase: ${fields.active_phase} (${fields.phase_progress ?? "unknown"}${fields.phase_progress === null ? "" : " %"})`,
			`- Wave status: ${waveStatus(fields)}`,
			`- Completed waves: ${lengthOf(fields.completed_waves)}`,
			`- Tasks: ${lengthOf(fields.pending_tasks)} pending`,
			"",
			"### Key decisions recovered",
			...(decisions.length === 0 ? ["none"] : decisions.slice(-10).map(({ decision }) => `- ${foreign(decision)}`)),
			"",
			"### Continuation instructions",
			`- Next action: ${foreign(String(fields.next_action ?? "unknown"))}`,
			`- Current focus: ${foreign(String(fields.current_focus ?? "unknown"))}`,
			`- Files in progress: ${(fields.in_progress_files as string[]).slice(-10).map(foreign).join(", ") || "none"}`,
		].map((line) => asImported(line, imported)),
		...(facts.changes.length ? ["", "### Not as it was then", ...facts.changes.map((one) => `- ${one}`)] : []),
		...(warnings.length || missing.length
			? ["", "### Warnings", ...warnings.map((one) => `- ${one}`), ...missing.map((one) => `- not recovered: ${one}`)]
			: []),
	];
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

function categories(value: unknown): string {
	if (value === null || typeof value !== "object") return "";
	const told = Object.entries(value).map(([name, keys]) => `${name} ${lengthOf(keys)}`);
	return ` (${told.join(", ")})`;
}

const waveStatus = ({ current_wave: now, completed_waves: done }: Record<string, unknown>): string =>
	now === null ? `none runs, ${lengthOf(done)} completed` : `wave ${now} runs; how many are planned is not known`;
