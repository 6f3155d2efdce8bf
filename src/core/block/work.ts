import { nextAction } from "../checkpoint/document-state.ts";
import { isDone } from "../state/tasks.ts";
import { foreign, quotedName } from "../text/quoted.ts";
import { cut, oneLine } from "../text/text.ts";
import { firstSentences, type Item, inOrder, line, relative, seen, shortCommand, withoutBase } from "./item.ts";
import type { Situation } from "./situation.ts";

/** Messages of nobody known, the newest first: quoted as others' words. */
export const unclearItems = ({ state: { unclear = [], claudeVersion } }: Situation): Item[] =>
	unclear.toReversed().map(({ text, field, order }) => {
		const from = `not known to ccg in lines of Claude Code ${quotedName(claudeVersion)}: ${quotedName(field)}`;
		return line(`${foreign(cut(text, 400))} (${from})`, order, text);
	});

/** What goes on without anybody looking: a forgotten process is started twice. */
export const backgroundItems = ({ state }: Situation): Item[] =>
	state.backgroundTasks.toReversed().map(({ id, kind, what, at, output, ports, order }) => {
		const port = ports?.length ? `, port ${ports.join(", ")}` : "";
		const more = `${port}${at ? ` (since ${at})` : ""}${output ? `, output: ${quotedName(output)}` : ""}`;
		// Claude Code's, or ours of a call
		const isId = /^(?:[\w-]{1,64}|(?:started|wake-up) at call \d+)$/.test(id);
		const text = `${kind} ${isId ? id : quotedName(id)}: ${foreign(cut(what, 160))}${more}`;
		return line(text, order, kind === "detached process" ? oneLine(what) : id);
	});

export function planItems({ state: { tasks, plan }, workspace }: Situation): Item[] {
	const items: Item[] = [];
	if (workspace?.task) {
		const { goal, nextAction: next } = workspace.task;
		const then = next ? `; next: ${foreign(cut(next, 300))}` : "";
		items.push(line(`task of this session (ccg task): ${foreign(cut(goal, 300))}${then}`, -1, `${goal} ${next}`));
	}
	if (plan) {
		const title = oneLine(firstSentences(plan.text.replace(/^#+\s*/, ""), 300));
		const where = plan.path ? ` (${quotedName(plan.path)})` : "";
		items.push(line(`plan${where}, ${plan.approved ? "approved" : "not approved"}: ${foreign(title)}`, 1));
	}
	if (workspace?.planSummary) items.push(line(`.active-plan.md: ${foreign(workspace.planSummary)}`, 0));
	const left = tasks.filter(({ status }) => !isDone(status) && status !== "cancelled");
	return [
		...items,
		...left.map(({ status, subject }, i) => line(`[${statusOf(status)}] ${foreign(subject)}`, 100 + i, subject)),
	];
}

/** As Claude Code names it, or quoted: an agent may have set anything. */
const statusOf = (status: string): string => (/^[a-z][a-z_ -]{0,29}$/.test(status) ? status : quotedName(status));

export const commitItems = ({ state }: Situation): Item[] =>
	state.commits
		.toReversed()
		.map(({ hash, subject, order }) => line(`commit ${hash} ${foreign(cut(subject, 100))}`, order, hash));

export const doneItems = ({ state }: Situation): Item[] =>
	state.tasks
		.filter(({ status }) => isDone(status))
		.map(({ subject, order }) => line(`[done] ${foreign(subject)}`, order, subject));

export function failureItems({ state, workspace }: Situation): Item[] {
	const open = state.failures.filter(({ resolved }) => !resolved).toReversed();
	const logged = workspace?.lastFailure;
	return [
		...open.map(({ subject, message, order }) => {
			const text = `not resolved: ${foreign(cut(subject, 160))} — the tool said: ${foreign(cut(message, 240))}`;
			return line(text, order, message);
		}),
		...(logged ? [line(`failure log: ${foreign(logged)}`, -1, logged)] : []),
	];
}

export const changedItems = (of: Situation): Item[] => fileItems(of, true);
export const readItems = (of: Situation): Item[] => fileItems(of, false);

function fileItems({ state, base }: Situation, isChanged: boolean): Item[] {
	const byName = Map.groupBy(state.files, ({ path }) => baseName(path));
	const files = state.files.filter(({ edits }) => edits > 0 === isChanged).toReversed();
	return files.map(({ path: whole, edits }, order) => {
		const [path, name] = [relative(whole, base), baseName(whole)];
		return {
			text: `${quotedName(path)}${isChanged ? ` (${edits})` : ""}`,
			order,
			// a name that several files have proves none of them
			words: byName.get(name)!.length === 1 ? name : path,
		};
	});
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export const assumptionItems = ({ state }: Situation): Item[] =>
	state.assumptions.toReversed().map(({ text, order }) => line(foreign(cut(text, 240)), order, text));

export function workspaceItems({ state, workspace, base }: Situation): Item[] {
	// Claude Code writes HEAD where there is no branch and no git
	const branch = workspace?.branch || (state.branch === "HEAD" ? "" : state.branch);
	const tree = workspace?.worktree ? `, worktree ${quotedName(workspace.worktree)} at ${quotedName(state.cwd)}` : "";
	const own = new Set(state.files.filter(({ edits }) => edits > 0).map(({ path }) => path));
	const others = (workspace?.modified ?? []).filter((path) => !own.has(path));
	const shown = others.slice(0, 12).map((path) => quotedName(relative(path, base)));
	const more = others.length > 12 ? `, ${others.length - 12} more` : "";
	const partly = workspace?.modifiedPartly ? "; not all folders were looked at" : "";
	const told = new Set(state.commits.map(({ hash }) => hash));
	const commits = (workspace?.commits ?? []).filter((one) => !told.has(one.slice(0, 7)));
	return inOrder(
		branch && `- git branch ${quotedName(branch)}${tree}`,
		others.length > 0 &&
			`- changed since the session began, not by its edits (by file times): ${shown.join(", ")}${more}${partly}`,
		...commits.map((commit) => `- commit ${foreign(commit)}`),
	);
}

/** Commands whole, with what came of them; the same one once, with its last outcome. */
export function commandItems({ state, base }: Situation): Item[] {
	const items = new Map<string, Item>();
	const checks = new Map(state.checks.map((check) => [check.order, check]));
	for (const { command, failed, begun, outcome = "", order } of state.commands.toReversed()) {
		const typed = cut(withoutBase(oneLine(command), base), 300);
		if (items.has(typed)) continue;
		const check = checks.get(order);
		const checked = check && `${check.kind} ${check.result === "unknown" ? `(${seen("unknown")})` : check.result}`;
		const how = checked || (begun ? "begun in the background" : failed ? "failed" : "ok");
		const told = check?.outcome || withoutBase(outcome, base);
		// a command alone says nothing
		if (how === "ok" && !told) continue;
		const text = `${how}: ${foreign(typed)}${told ? ` — ${foreign(cut(told, 200))}` : ""}`;
		items.set(typed, line(text, order, `${typed} ${told}`));
	}
	return [...items.values()];
}

const CHECKS = 12;

/** Each check once, with its last outcome: tests, builds and lints first, then other programs, of each the newest. */
export function checkItems({ state: { checks }, base }: Situation): Item[] {
	const last = new Map(checks.map((check) => [oneLine(check.command), check]));
	const newest = [...last.values()].sort((a, b) => b.order - a.order).slice(0, CHECKS);
	return newest
		.sort((a, b) => Number(a.kind === "run") - Number(b.kind === "run"))
		.map(({ kind, command, result, outcome, order }) => {
			const told = outcome ? `: ${foreign(cut(withoutBase(outcome, base), 200))}` : "";
			const typed = foreign(withoutBase(oneLine(shortCommand(command, 300)), base));
			return { ...line(`${kind}: ${typed} (${seen(result)}${told})`, order), call: order };
		});
}

export function nextItems(of: Situation): Item[] {
	const next = nextAction(of);
	return inOrder(next && `- next: ${foreign(next)}`);
}

export const blockerItems = ({ workspace }: Situation): Item[] =>
	inOrder(...(workspace?.task?.blockers ?? []).map((one) => `- blocked by: ${foreign(one)}`));

export const taskDecisionItems = ({ workspace }: Situation): Item[] =>
	(workspace?.task?.decisions ?? []).map(({ decision, reason }, order) =>
		line(`${foreign(decision)}${reason ? `, because: ${foreign(reason)}` : ""}`, order),
	);
