import { nextAction } from "../checkpoint/document-state.ts";
import { isDoneStatus } from "../state/tasks.ts";
import { excerpt } from "../text/excerpt.ts";
import { barred, eachLine, foreign, quotedName } from "../text/quoted.ts";
import { cut, whenText } from "../text/text.ts";
import { type Item, inOrder, lineItem, relative } from "./item.ts";
import type { Situation } from "./situation.ts";

/** Messages whose speaker is not known, the newest first, quoted as others' words. */
export const unclearItems = ({ state: { unclear = [] } }: Situation): Item[] =>
	unclear.toReversed().map(({ text, order }) => lineItem(foreign(cut(text, 400)), order));

/** Background tasks that still run, the newest first: a forgotten process would be started twice. */
export const backgroundItems = ({ state, now }: Situation): Item[] =>
	state.backgroundTasks.toReversed().map(({ id, kind, what, at, output, order }) => {
		const more = `${at && ` (since ${whenText(at, now)})`}${output ? `, output: ${quotedName(output)}` : ""}`;
		// an id that Claude Code gave, or that ccg made of a call's number
		const isId = /^(?:[\w-]{1,64}|wake-up at call \d+)$/.test(id);
		return lineItem(`${kind} ${isId ? id : quotedName(id)}: ${foreign(cut(what, 160))}${more}`, order);
	});
/** Open tasks, then the task of `ccg task`, a plan that may not be done yet, and the workspace's plan summary. */
export function planItems({ state: { tasks, plan }, request, workspace }: Situation): Item[] {
	const items: Item[] = [];
	if (workspace?.task) {
		const { goal, nextAction: next } = workspace.task;
		const then = next ? `; next: ${foreign(cut(next, 300))}` : "";
		items.push(lineItem(`task of this session (ccg task): ${foreign(cut(goal, 300))}${then}`, -1));
	}
	// a plan that was approved before the request may be done by now
	if (plan && (!plan.approved || !request || (plan.pos ?? 0) >= (request.pos ?? 0))) {
		const where = plan.path ? ` (${quotedName(plan.path)})` : "";
		const text = eachLine(barred(excerpt(plan.text, PLAN).text), "  ");
		items.push(lineItem(`plan${where}, ${plan.approved ? "approved" : "not approved"}:\n${text}`, 1));
	}
	if (workspace?.planSummary) items.push(lineItem(`.active-plan.md: ${foreign(workspace.planSummary)}`, 0));
	const open = tasks.filter(({ status }) => !isDoneStatus(status) && status !== "cancelled");
	return [
		...open.map(({ status, subject }, i) => lineItem(`[${statusOf(status)}] ${foreign(subject)}`, 100 + i)),
		...items,
	];
}

const PLAN = 900;
/** A task's status as Claude Code names it, or quoted where it is another text: an agent may have set anything. */
const statusOf = (status: string): string => (/^[a-z][a-z_ -]{0,29}$/.test(status) ? status : quotedName(status));
/** The session's commits, the newest first. */
export const commitItems = ({ state }: Situation): Item[] =>
	state.commits
		.toReversed()
		.map(({ hash, subject, order }) => lineItem(`commit ${hash} ${foreign(cut(subject, 100))}`, order));
/** Tasks that are done, in their order. */
export const doneItems = ({ state }: Situation): Item[] =>
	state.tasks
		.filter(({ status }) => isDoneStatus(status))
		.map(({ subject, order }) => lineItem(`[done] ${foreign(subject)}`, order));

/** Calls that failed and did not go well later, the newest first, and the last line of the workspace's failure log. */
export function failureItems({ state, workspace }: Situation): Item[] {
	const open = state.failures.filter(({ resolved }) => !resolved).toReversed();
	const logged = workspace?.lastFailure;
	return [
		...open.map(({ subject, message, order }) =>
			lineItem(`failed: ${foreign(cut(subject, 160))} — the tool said: ${foreign(cut(message, 240))}`, order),
		),
		...(logged ? [lineItem(`failure log: ${foreign(logged)}`, -1)] : []),
	];
}

export const changedItems = (of: Situation): Item[] => fileItems(of, true);
export const readItems = (of: Situation): Item[] => fileItems(of, false);
/** The session's files that were changed, or only read, the newest first; a changed one with its number of edits. */
const fileItems = ({ state, base }: Situation, isChanged: boolean): Item[] =>
	state.files
		.filter(({ edits }) => edits > 0 === isChanged)
		.toReversed()
		.map(({ path, edits }, order) => ({
			text: `${quotedName(relative(path, base))}${isChanged ? ` (${edits})` : ""}`,
			order,
		}));
/** The linked worktree of the session, and the workspace's last commits that the session did not make. */
export function workspaceItems({ state, workspace }: Situation): Item[] {
	const tree = workspace?.worktree ? `- worktree ${quotedName(workspace.worktree)} at ${quotedName(state.cwd)}` : "";
	const ownHashes = new Set(state.commits.map(({ hash }) => hash));
	const commits = (workspace?.commits ?? []).filter((one) => !ownHashes.has(one.slice(0, 7)));
	return inOrder(tree, ...commits.map((commit) => `- commit ${foreign(commit)}`));
}
/** The next step of the work, where one is known. */
export function nextItems(of: Situation): Item[] {
	const next = nextAction(of);
	return inOrder(next && `- next: ${foreign(next)}`);
}

export const blockerItems = ({ workspace }: Situation): Item[] =>
	inOrder(...(workspace?.task?.blockers ?? []).map((one) => `- blocked by: ${foreign(one)}`));
/** The decisions kept with `ccg task`, each with its reason. */
export const taskDecisionItems = ({ workspace }: Situation): Item[] =>
	(workspace?.task?.decisions ?? []).map(({ decision, reason }, order) =>
		lineItem(`${foreign(decision)}${reason ? `, because: ${foreign(reason)}` : ""}`, order),
	);
