import { nextAction } from "../checkpoint/document-state.ts";
import { isDoneStatus } from "../state/tasks.ts";
import { excerpt } from "../text/excerpt.ts";
import { barred, eachLine, foreign, quotedName } from "../text/quoted.ts";
import { cut, whenText } from "../text/text.ts";
import { type Item, inOrder, lineItem, relative } from "./item.ts";
import type { Situation } from "./situation.ts";

/** Messages of nobody known, the newest first: quoted as others' words. */
export const unclearItems = ({ state: { unclear = [] } }: Situation): Item[] =>
	unclear.toReversed().map(({ text, order }) => lineItem(foreign(cut(text, 400)), order));

/** What goes on without anybody looking: a forgotten process is started twice. */
export const backgroundItems = ({ state, now }: Situation): Item[] =>
	state.backgroundTasks.toReversed().map(({ id, kind, what, at, output, order }) => {
		const more = `${at && ` (since ${whenText(at, now)})`}${output ? `, output: ${quotedName(output)}` : ""}`;
		// Claude Code's, or ours of a call
		const isId = /^(?:[\w-]{1,64}|wake-up at call \d+)$/.test(id);
		return lineItem(`${kind} ${isId ? id : quotedName(id)}: ${foreign(cut(what, 160))}${more}`, order);
	});

export function planItems({ state: { tasks, plan }, request, workspace }: Situation): Item[] {
	const items: Item[] = [];
	if (workspace?.task) {
		const { goal, nextAction: next } = workspace.task;
		const then = next ? `; next: ${foreign(cut(next, 300))}` : "";
		items.push(lineItem(`task of this session (ccg task): ${foreign(cut(goal, 300))}${then}`, -1));
	}
	// one that was approved before the request may be done by now
	if (plan && (!plan.approved || !request || (plan.pos ?? 0) >= (request.pos ?? 0))) {
		const where = plan.path ? ` (${quotedName(plan.path)})` : "";
		const text = eachLine(barred(excerpt(plan.text, PLAN).text), "  ");
		items.push(lineItem(`plan${where}, ${plan.approved ? "approved" : "not approved"}:\n${text}`, 1));
	}
	if (workspace?.planSummary) items.push(lineItem(`.active-plan.md: ${foreign(workspace.planSummary)}`, 0));
	const left = tasks.filter(({ status }) => !isDoneStatus(status) && status !== "cancelled");
	return [
		...left.map(({ status, subject }, i) => lineItem(`[${statusOf(status)}] ${foreign(subject)}`, 100 + i)),
		...items,
	];
}

const PLAN = 900;

/** As Claude Code names it, or quoted: an agent may have set anything. */
const statusOf = (status: string): string => (/^[a-z][a-z_ -]{0,29}$/.test(status) ? status : quotedName(status));

export const commitItems = ({ state }: Situation): Item[] =>
	state.commits
		.toReversed()
		.map(({ hash, subject, order }) => lineItem(`commit ${hash} ${foreign(cut(subject, 100))}`, order));

export const doneItems = ({ state }: Situation): Item[] =>
	state.tasks
		.filter(({ status }) => isDoneStatus(status))
		.map(({ subject, order }) => lineItem(`[done] ${foreign(subject)}`, order));

/** Calls that failed, of which the same did not go well later. */
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

const fileItems = ({ state, base }: Situation, isChanged: boolean): Item[] =>
	state.files
		.filter(({ edits }) => edits > 0 === isChanged)
		.toReversed()
		.map(({ path, edits }, order) => ({
			text: `${quotedName(relative(path, base))}${isChanged ? ` (${edits})` : ""}`,
			order,
		}));

export function workspaceItems({ state, workspace }: Situation): Item[] {
	const tree = workspace?.worktree ? `- worktree ${quotedName(workspace.worktree)} at ${quotedName(state.cwd)}` : "";
	const told = new Set(state.commits.map(({ hash }) => hash));
	const commits = (workspace?.commits ?? []).filter((one) => !told.has(one.slice(0, 7)));
	return inOrder(tree, ...commits.map((commit) => `- commit ${foreign(commit)}`));
}

export function nextItems(of: Situation): Item[] {
	const next = nextAction(of);
	return inOrder(next && `- next: ${foreign(next)}`);
}

export const blockerItems = ({ workspace }: Situation): Item[] =>
	inOrder(...(workspace?.task?.blockers ?? []).map((one) => `- blocked by: ${foreign(one)}`));

export const taskDecisionItems = ({ workspace }: Situation): Item[] =>
	(workspace?.task?.decisions ?? []).map(({ decision, reason }, order) =>
		lineItem(`${foreign(decision)}${reason ? `, because: ${foreign(reason)}` : ""}`, order),
	);
