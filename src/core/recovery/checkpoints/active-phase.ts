import type { SessionState } from "../../state/session-state.ts";
import type { Checkpoint } from "../checkpoint.ts";

/** The phases of the document, each with the words by which a task's own phase is taken for it. */
const PHASES: [string, RegExp][] = [
	["deployment", /deploy|release|publish|ship/i],
	["testing", /test|verif|qa\b/i],
	["implementation", /implement|build|cod(?:e|ing)|develop|refactor|fix/i],
	["planning", /plan|design/i],
	["analysis", /analy|research|explor|investigat|understand/i],
];

/** The phase the task's state names, else what plan, edits and tests show. */
export function phaseOf({ state, workspace }: Checkpoint): string {
	const named = workspace?.task?.phase;
	const known = named && PHASES.find(([, words]) => words.test(named))?.[0];
	if (known) return known;
	if (state.plan && !state.plan.approved) return "planning";
	const edited = lastEdit(state);
	const tested = state.checks.findLast(({ kind }) => kind === "test")?.order ?? -1;
	if (tested > edited && edited >= 0) return "testing";
	if (edited >= 0) return "implementation";
	if (state.plan) return "planning";
	return state.files.length > 0 || state.searches.length > 0 ? "analysis" : "unknown";
}

const lastEdit = ({ files }: SessionState): number =>
	files.reduce((last, { edits, edited, order }) => (edits > 0 ? Math.max(last, edited ?? order) : last), -1);

/** Percent of the task list that is done; `null` without one. */
export function progressOf({ tasks }: SessionState): number | null {
	const counted = tasks.filter(({ status }) => status !== "cancelled");
	if (counted.length === 0) return null;
	return Math.round((counted.filter(({ status }) => status === "completed").length / counted.length) * 100);
}
