import type { TaskState } from "../task/task-state.ts";
import { oneLine } from "../text/text.ts";
import { partsWithoutBudget, printMarkdown, printParts } from "./print.ts";

/** A text with its reason in brackets, where there is one. */
const withReason = (text: string, reason: string): string => (reason ? `${text} (${reason})` : text);
/** The eleven parts of a task's summary in their order, each with its lines. */
const PARTS: Record<string, (state: TaskState) => string[]> = {
	Goal: ({ goal }) => [goal],
	"Current phase": ({ current_phase }) => [current_phase],
	"Completed steps": ({ completed_steps }) => completed_steps.map(({ step }) => step),
	"Failed attempts": ({ failed_attempts }) => failed_attempts.map(({ attempt, reason }) => withReason(attempt, reason)),
	Decisions: ({ decisions }) => decisions.map(({ decision, reason }) => withReason(decision, reason)),
	"Files touched": ({ artifacts }) => artifacts.map(({ path, note }) => withReason(path, note ?? "")),
	"Tool outputs": ({ tool_outputs }) => tool_outputs.map(({ output }) => output),
	Blockers: ({ blockers }) => blockers,
	"Next action": ({ next_action }) => [next_action],
	Invariants: ({ invariants }) => invariants,
	Constraints: ({ constraints }) => constraints,
};

/** The task state as Markdown for people and for recovery: every entry one line, the same bytes for the same state. */
export function summaryMarkdown(state: TaskState): string {
	const sections = Object.entries(PARTS).map(([heading, readLines], position) => {
		const lines = readLines(state).map(oneLine).filter(Boolean);
		const items = lines.map((line, order) => ({ text: `- ${line}`, order }));
		return { kind: heading, position, heading, emptyText: "None recorded.", items };
	});
	const head =
		`# Task summary\n\nTask ${state.task_id}, revision ${state.revision}, ${state.status}, saved ${state.updated_at}. ` +
		"Made from task-state.json, which counts where they differ.";
	return printMarkdown(head, printParts(partsWithoutBudget(sections)));
}
