import { oneLine } from "../text/text.ts";
import type { TaskState } from "./task-state.ts";

/** The eleven parts of a summary, in their order. */
export const PARTS = [
	"Goal",
	"Current phase",
	"Completed steps",
	"Failed attempts",
	"Decisions",
	"Files touched",
	"Tool outputs",
	"Blockers",
	"Next action",
	"Invariants",
	"Constraints",
] as const;
export type SummaryPart = (typeof PARTS)[number];

/** A summary read back: what it was made from, and each part's lines. */
export interface TaskSummary {
	task_id: string;
	revision: number;
	parts: Record<SummaryPart, string[]>;
}

const NOTHING = "None recorded.";
const FIRST = /^Task (\S+), revision (\d+), /;

/** The task state as Markdown for people and for recovery: every entry one line, the same bytes for the same state. */
export function summaryMarkdown(state: TaskState): string {
	const parts = partsOf(state);
	const lines = [
		"# Task summary",
		"",
		`Task ${state.task_id}, revision ${state.revision}, ${state.status}, saved ${state.updated_at}. Made from task-state.json, which counts where they differ.`,
	];
	for (const part of PARTS) {
		lines.push("", `## ${part}`, "");
		lines.push(...(parts[part].length > 0 ? parts[part].map((line) => `- ${line}`) : [NOTHING]));
	}
	return `${lines.join("\n")}\n`;
}

/** Reads a summary back, as far as a conflict with the state can be told from it; `null` when it is none. */
export function readSummaryMarkdown(text: string): TaskSummary | null {
	let first: RegExpExecArray | null = null;
	let part: SummaryPart | null = null;
	const parts: Partial<Record<SummaryPart, string[]>> = {};
	for (const raw of text.replaceAll("\r", "").split("\n")) {
		const line = raw.trimEnd();
		if (line.startsWith("## ")) {
			part = PARTS.find((name) => name === line.slice(3)) ?? null;
			if (part) parts[part] = [];
		} else if (!part) first ??= FIRST.exec(line);
		else if (line.startsWith("- ")) parts[part]!.push(line.slice(2));
		else if (line && line !== NOTHING) parts[part]!.push(line);
	}
	if (!first || !PARTS.every((name) => parts[name])) return null;
	return { task_id: first[1]!, revision: Number(first[2]), parts: parts as Record<SummaryPart, string[]> };
}

/**
 * Whether a summary contradicts the state. One made from this revision must say the same; one made from an earlier revision
 * may be behind, but goal, phase and every entry it has must be the state's: entries are only ever added.
 */
export function conflicts(summary: TaskSummary | null, state: TaskState): boolean {
	if (!summary || summary.task_id !== state.task_id || summary.revision > state.revision) return true;
	const now = partsOf(state);
	const same = (part: SummaryPart): boolean => summary.parts[part].join("\n") === now[part].join("\n");
	if (summary.revision === state.revision) return !PARTS.every(same);
	return !KEPT.every(same) || !GROWING.every((part) => summary.parts[part].every((line) => now[part].includes(line)));
}

/** A change of these writes a summary at once. */
const KEPT: SummaryPart[] = ["Goal", "Current phase"];
const GROWING: SummaryPart[] = ["Completed steps", "Failed attempts", "Decisions", "Files touched"];

function partsOf(state: TaskState): Record<SummaryPart, string[]> {
	const because = (text: string, reason: string): string => (reason ? `${text} (${reason})` : text);
	const lines: Record<SummaryPart, string[]> = {
		Goal: [state.goal],
		"Current phase": [state.current_phase],
		"Completed steps": state.completed_steps.map(({ step }) => step),
		"Failed attempts": state.failed_attempts.map(({ attempt, reason }) => because(attempt, reason)),
		Decisions: state.decisions.map(({ decision, reason }) => because(decision, reason)),
		"Files touched": state.artifacts.map(({ path, note }) => because(path, note ?? "")),
		"Tool outputs": state.tool_outputs.map(({ output }) => output),
		Blockers: state.blockers,
		"Next action": [state.next_action],
		Invariants: state.invariants,
		Constraints: state.constraints,
	};
	for (const part of PARTS) lines[part] = lines[part].map(oneLine).filter(Boolean);
	return lines;
}
