import { nextAction } from "../checkpoint/document-state.ts";
import { isDoneStatus, isOpenTask } from "../state/tasks.ts";
import { excerpt } from "../text/excerpt.ts";
import { inBackticks, nameInBackticks, prefixLines, quoteWithBars } from "../text/quoted.ts";
import { truncate, whenText } from "../text/text.ts";
import { type Item, itemsInOrder, lineItem, relativePath } from "./item.ts";
import type { SectionFacts } from "./situation.ts";

/** Messages whose speaker is not known, the newest first, quoted as others' words. */
export const unknownSpeakerItems = ({ state: { unclear = [] } }: SectionFacts): Item[] =>
	unclear.toReversed().map(({ text, order }) => lineItem(inBackticks(truncate(text, 400)), order));

/** Background tasks that still run, the newest first: a forgotten process would be started twice. */
export const backgroundItems = ({ state, now }: SectionFacts): Item[] =>
	state.backgroundTasks.toReversed().map(({ id, kind, what, at, output, order }) => {
		const details = `${at && ` (since ${whenText(at, now)})`}${output ? `, output: ${nameInBackticks(output)}` : ""}`;
		// an id that Claude Code gave, or that ccg made of a call's number, needs no quotation
		const shownId = /^(?:[\w-]{1,64}|wake-up at call \d+)$/.test(id) ? id : nameInBackticks(id);
		return lineItem(`${kind} ${shownId}: ${inBackticks(truncate(what, 160))}${details}`, order);
	});
/** Open tasks, then the task of `ccg task`, a plan that may not be done yet, and the workspace's plan summary. */
export function planItems({ state: { tasks, plan }, request, workspace }: SectionFacts): Item[] {
	const items: Item[] = [];
	if (workspace?.task) {
		const { goal, nextAction: next } = workspace.task;
		const nextStep = next ? `; next: ${inBackticks(truncate(next, 300))}` : "";
		items.push(lineItem(`task of this session (ccg task): ${inBackticks(truncate(goal, 300))}${nextStep}`, -1));
	}
	// a plan that was approved before the request may be done by now
	const mayBeDone = plan?.approved && request && (plan.pos ?? 0) < (request.pos ?? 0);
	if (plan && !mayBeDone) {
		const planPath = plan.path ? ` (${nameInBackticks(plan.path)})` : "";
		const text = prefixLines(quoteWithBars(excerpt(plan.text, MAX_PLAN).text), "  ");
		items.push(lineItem(`plan${planPath}, ${plan.approved ? "approved" : "not approved"}:\n${text}`, 1));
	}
	if (workspace?.planSummary) items.push(lineItem(`.active-plan.md: ${inBackticks(workspace.planSummary)}`, 0));
	const openTasks = tasks.filter(isOpenTask);
	return [
		...openTasks.map(({ status, subject }, i) =>
			lineItem(`[${printableStatus(status)}] ${inBackticks(subject)}`, 100 + i),
		),
		...items,
	];
}

const MAX_PLAN = 900;
/** A task's status as Claude Code names it, or quoted where it is another text: an agent may have set anything. */
const printableStatus = (status: string): string =>
	/^[a-z][a-z_ -]{0,29}$/.test(status) ? status : nameInBackticks(status);
/** The session's commits, the newest first. */
export const commitItems = ({ state }: SectionFacts): Item[] =>
	state.commits
		.toReversed()
		.map(({ hash, subject, order }) => lineItem(`commit ${hash} ${inBackticks(truncate(subject, 100))}`, order));
/** Tasks that are done, in their order. */
export const doneTaskItems = ({ state }: SectionFacts): Item[] =>
	state.tasks
		.filter(({ status }) => isDoneStatus(status))
		.map(({ subject, order }) => lineItem(`[done] ${inBackticks(subject)}`, order));

/** Calls that failed and did not go well later, the newest first, and the last line of the workspace's failure log. */
export function failureItems({ state, workspace }: SectionFacts): Item[] {
	const unresolved = state.failures.filter(({ resolved }) => !resolved).toReversed();
	const logged = workspace?.lastFailure;
	return [
		...unresolved.map(({ subject, message, order }) =>
			lineItem(
				`failed: ${inBackticks(truncate(subject, 160))} — the tool said: ${inBackticks(truncate(message, 240))}`,
				order,
			),
		),
		...(logged ? [lineItem(`failure log: ${inBackticks(logged)}`, -1)] : []),
	];
}

/** The files that the session changed, the newest first, each with its number of edits. */
export function changedFileItems({ state, baseFolder }: SectionFacts): Item[] {
	const changed = state.files.filter(({ edits }) => edits > 0).toReversed();
	const fileText = (path: string, edits: number) => `${nameInBackticks(relativePath(path, baseFolder))} (${edits})`;
	return itemsInOrder(...changed.map(({ path, edits }) => fileText(path, edits)));
}
/** The files that the session read and did not change, the newest first. */
export function readFileItems({ state, baseFolder }: SectionFacts): Item[] {
	const onlyRead = state.files.filter(({ edits }) => edits === 0).toReversed();
	return itemsInOrder(...onlyRead.map(({ path }) => nameInBackticks(relativePath(path, baseFolder))));
}
/** The linked worktree of the session, and the workspace's last commits that the session did not make. */
export function workspaceItems({ state, workspace }: SectionFacts): Item[] {
	const worktree = workspace?.worktree
		? `- worktree ${nameInBackticks(workspace.worktree)} at ${nameInBackticks(state.cwd)}`
		: "";
	const ownHashes = new Set(state.commits.map(({ hash }) => hash));
	const otherCommits = (workspace?.commits ?? []).filter((commit) => !ownHashes.has(commit.slice(0, 7)));
	return itemsInOrder(worktree, ...otherCommits.map((commit) => `- commit ${inBackticks(commit)}`));
}
/** The next step of the work, where one is known. */
export function nextStepItems(facts: SectionFacts): Item[] {
	const next = nextAction(facts);
	return itemsInOrder(next && `- next: ${inBackticks(next)}`);
}

/** What blocks the session's task. */
export const blockerItems = ({ workspace }: SectionFacts): Item[] =>
	itemsInOrder(...(workspace?.task?.blockers ?? []).map((blocker) => `- blocked by: ${inBackticks(blocker)}`));
/** The decisions kept with `ccg task`, each with its reason. */
export const taskDecisionItems = ({ workspace }: SectionFacts): Item[] =>
	(workspace?.task?.decisions ?? []).map(({ decision, reason }, order) =>
		lineItem(`${inBackticks(decision)}${reason ? `, because: ${inBackticks(reason)}` : ""}`, order),
	);
