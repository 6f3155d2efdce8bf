import type { SessionState } from "../state/session-state.ts";
import { cut, oneLine } from "../text/text.ts";
import type { Item, Workspace } from "./item.ts";
import { foreign, quotedName, relative, withoutBase } from "./item-text.ts";

/** Items listed where names are worth more than a long tail. */
export const LISTED = { failures: 4, searches: 3, assumptions: 1, commits: 4 };
export const ALL: typeof LISTED = { failures: 40, searches: 30, assumptions: 6, commits: 40 };
export type ListedKind = typeof LISTED;

/** Messages of nobody known, the newest first: quoted as others' words. */
export const unclearItems = ({ unclear = [], claudeVersion }: SessionState): Item[] =>
	unclear.toReversed().map(({ text, field, order }) => ({
		text: `- ${foreign(cut(text, 400))} (not known to ccg in lines of Claude Code ${quotedName(claudeVersion)}: ${quotedName(field)})`,
		order,
		words: text,
	}));

/** What goes on without anybody looking: a forgotten process is started twice. */
export function backgroundItems(state: SessionState): Item[] {
	return state.backgroundTasks.toReversed().map(({ id, kind, what, at, output, ports, order }) => ({
		text: `- ${kind} ${idOf(id)}: ${foreign(cut(what, 160))}${ports?.length ? `, port ${ports.join(", ")}` : ""}${at ? ` (since ${at})` : ""}${output ? `, output: ${quotedName(output)}` : ""}`,
		order,
		words: kind === "detached process" ? oneLine(what) : id,
	}));
}

/** Ids are Claude Code's, or ours of a call. */
const idOf = (id: string): string =>
	/^(?:[\w-]{1,64}|(?:started|wake-up) at call \d+)$/.test(id) ? id : quotedName(id);

export function planItems(state: SessionState, workspace: Workspace | null): Item[] {
	const items: Item[] = [];
	const left = state.tasks.filter(({ status }) => !isDone(status));
	const open = left.filter(({ status }) => status !== "cancelled");
	const cancelled = left.filter(({ status }) => status === "cancelled");
	for (const [i, task] of [...open, ...cancelled].entries())
		items.push({ text: `- [${statusOf(task.status)}] ${foreign(task.subject)}`, order: 100 + i, words: task.subject });
	if (workspace?.planSummary) items.unshift({ text: `- .active-plan.md: ${foreign(workspace.planSummary)}`, order: 0 });
	if (state.plan) {
		const title = cut(oneLine(state.plan.text.replace(/^#+\s*/, "")), 400);
		const where = state.plan.path ? ` (${quotedName(state.plan.path)})` : "";
		items.unshift({
			text: `- plan${where}, ${state.plan.approved ? "approved" : "not approved"}: ${foreign(title)}`,
			order: 1,
		});
	}
	if (workspace?.task) {
		const { goal, nextAction } = workspace.task;
		const next = nextAction ? `; next: ${foreign(cut(nextAction, 300))}` : "";
		items.unshift({
			text: `- task of this session (ccg task): ${foreign(cut(goal, 300))}${next}`,
			order: -1,
			words: `${goal} ${nextAction}`,
		});
	}
	return items;
}

/** As Claude Code names it, or quoted: an agent may have set anything. */
const statusOf = (status: string): string => (/^[a-z][a-z_ -]{0,29}$/.test(status) ? status : quotedName(status));
const isDone = (status: string): boolean => status === "completed" || status === "done";

/** What was finished, with what shows it. A commit that stands as a task's evidence is not told twice. */
export function doneItems(state: SessionState, listed: ListedKind): Item[] {
	const done = state.tasks.filter(({ status }) => isDone(status));
	const told = done.map(({ evidence }) => evidence ?? "").join(" ");
	return [
		...state.commits
			.filter(({ hash }) => !told.includes(hash))
			.slice(-listed.commits)
			.map(({ hash, subject, order }) => ({
				text: `- commit ${hash} ${foreign(cut(subject, 100))}`,
				order,
				words: hash,
			})),
		...done.map(({ subject, evidence, order }) => ({
			text: `- [done] ${foreign(subject)}${evidence ? ` (${foreign(evidence)})` : ""}`,
			order,
			words: subject,
		})),
	].sort((a, b) => b.order - a.order);
}

export function failureItems(state: SessionState, workspace: Workspace | null, listed: ListedKind): Item[] {
	const open = state.failures
		.filter((failure) => !failure.resolved)
		.toReversed()
		.slice(0, listed.failures);
	const items = open.map(({ subject, message, order }) => ({
		text: `- not resolved: ${foreign(cut(subject, 160))} — the tool said: ${foreign(cut(message, 240))}`,
		order,
		words: message,
	}));
	if (workspace?.lastFailure)
		items.push({ text: `- failure log: ${foreign(workspace.lastFailure)}`, order: -1, words: workspace.lastFailure });
	return items;
}

/** Symbols named beside a file in the block; the checkpoint names all that are known. */
const SYMBOLS = 2;

export function fileItems(state: SessionState, edited: boolean, base: string): Item[] {
	const files = state.files.filter((file) => file.edits > 0 === edited);
	const names = new Map<string, number>();
	for (const { path } of state.files) names.set(baseName(path), (names.get(baseName(path)) ?? 0) + 1);
	return files.toReversed().map((file, order) => {
		const bare = relative(file.path, base);
		const path = quotedName(bare);
		const told = (symbols: readonly string[]): string => (symbols.length ? `: ${symbols.join(" ")}` : "");
		const symbols = file.symbols ?? [];
		return {
			text: edited ? `${path} (${file.edits}${told(symbols.slice(-SYMBOLS))})` : path,
			long: `${path} (${edited ? `edited ${file.edits}×, ` : ""}read ${file.reads}×${file.at ? `, last ${file.at}` : ""}${told(symbols)})`,
			order,
			// a name that several files have proves none of them
			words: names.get(baseName(file.path)) === 1 ? baseName(file.path) : bare,
		};
	});
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export function searchItems(state: SessionState, listed: ListedKind, base: string): Item[] {
	return state.searches
		.slice(-listed.searches)
		.toReversed()
		.map(({ what: whole, found, order }) => {
			const what = base ? whole.replace(` in ${base}/`, " in ") : whole;
			return { text: `${foreign(cut(what, 100))} (${found})`, order, words: what };
		});
}

export function assumptionItems(state: SessionState, listed: ListedKind): Item[] {
	return state.assumptions
		.slice(-listed.assumptions)
		.toReversed()
		.map(({ text, order }) => ({ text: `- ${foreign(cut(text, 240))}`, order, words: text }));
}

export function workspaceItems(state: SessionState, workspace: Workspace | null, base: string): Item[] {
	const items: Item[] = [];
	// Claude Code writes HEAD where there is no branch and no git
	const branch = workspace?.branch || (state.branch === "HEAD" ? "" : state.branch);
	const tree = workspace?.worktree ? `, worktree ${quotedName(workspace.worktree)} at ${quotedName(state.cwd)}` : "";
	if (branch) items.push({ text: `- git branch ${quotedName(branch)}${tree}`, order: 0 });
	const own = new Set(state.files.filter(({ edits }) => edits > 0).map(({ path }) => path));
	const others = (workspace?.modified ?? []).filter((path) => !own.has(path));
	if (others.length > 0) {
		const shown = others.slice(0, 12).map((path) => quotedName(relative(path, base)));
		const more = others.length > 12 ? `, ${others.length - 12} more` : "";
		const partly = workspace?.modifiedPartly ? "; not all folders were looked at" : "";
		items.push({
			text: `- changed since the session began, not by its edits (by file times): ${shown.join(", ")}${more}${partly}`,
			order: 1,
		});
	}
	const told = new Set(state.commits.map(({ hash }) => hash));
	for (const [i, commit] of (workspace?.commits ?? []).filter((one) => !told.has(one.slice(0, 7))).entries())
		items.push({ text: `- commit ${foreign(commit)}`, order: 2 + i });
	return items;
}

/** Commands whole, with what came of them; the same one once, with its last outcome. */
export function commandItems(state: SessionState, base: string): Item[] {
	const seen = new Set<string>();
	const items: Item[] = [];
	const checks = new Map(state.checks.map((check) => [check.order, check]));
	for (const { command, failed, begun, outcome = "", order } of state.commands.toReversed()) {
		const line = cut(withoutBase(oneLine(command), base), 300);
		if (seen.has(line)) continue;
		seen.add(line);
		const check = checks.get(order);
		const how = check
			? `${check.kind} ${check.result === "unknown" ? "(outcome not seen)" : check.result}`
			: begun
				? "begun in the background"
				: failed
					? "failed"
					: "ok";
		const told = check?.outcome || withoutBase(outcome, base);
		items.push({
			text: `- ${how}: ${foreign(line)}${told ? ` — ${foreign(cut(told, 200))}` : ""}`,
			order,
			words: `${line} ${told}`,
		});
	}
	return items;
}
