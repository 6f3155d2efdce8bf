import { rankedIdentifiers } from "../state/identifiers.ts";
import type { Message, SessionState } from "../state/session-state.ts";
import { cut, folded } from "../text.ts";

/** A checkpoint's facts beside the session's state: what the workspace told when it was taken. */
export interface Workspace {
	branch: string;
	/** Name of the linked worktree the session works in; absent in the main one. */
	worktree?: string;
	/** `git status --porcelain` lines. */
	status: string[];
	/** Last commits, one line each. */
	commits: string[];
	/** From `.active-plan.md` and its companions (seed 1); `null` where the source is missing. */
	planSummary: string | null;
	lastFailure: string | null;
	selfModelAge: string | null;
	envModelAge: string | null;
	/** The machine in two lines; only in the checkpoint, since it is never the same twice. */
	environment?: string[];
}

/** What an item is; the loss report counts by it. */
export type Kind =
	| "request"
	| "directive"
	| "decision"
	| "question"
	| "in flight"
	| "plan"
	| "message"
	| "done"
	| "failure"
	| "assumption"
	| "file changed"
	| "file read"
	| "workspace"
	| "search"
	| "command"
	| "name";

export interface Item {
	text: string;
	/** Order for reading within its section. */
	order: number;
	/** The bare words by which a summary is searched for it; `text` without its dress when absent. */
	words?: string;
	/** Says more than its words: not left out because they stand elsewhere. */
	keep?: true;
	/** What the saved checkpoint says of it where that is more than `text`. */
	long?: string;
}

/**
 * A part of the recovery block. Items are given best first; `share` is the part of the budget it may take before all others
 * are served, in the order of the list; `place` is where it stands in the text.
 */
export interface Section {
	kind: Kind;
	place: number;
	title: string;
	items: Item[];
	share: number;
	/** Items stand side by side, with this between them, instead of on lines of their own. */
	inline?: ", " | " ";
}

const WHOLE = 1_200;
/** Items listed where names are worth more than a long tail. */
const LISTED = { commands: 4, checks: 3, failures: 4, searches: 3, assumptions: 1, commits: 4 };
const ALL: typeof LISTED = { commands: 60, checks: 24, failures: 40, searches: 30, assumptions: 6, commits: 40 };
type Listed = typeof LISTED;
const NAMES = 400;

/**
 * The state as sections, the most important first. Quoted text is the user's own; everything else is named as what it is.
 * `whole` lists what a block has no room for.
 */
export function sectionsOf(state: SessionState, workspace: Workspace | null, whole = false): Section[] {
	const listed = whole ? ALL : LISTED;
	const request = requestOf(state);
	return [
		{
			kind: "request",
			place: 1,
			title: "Request at hand (the user's last message, verbatim)",
			share: 0.25,
			items: requestItems(request),
		},
		{
			kind: "directive",
			place: 2,
			title: "Directives of the user (verbatim)",
			share: 0.4,
			items: directiveItems(state, request),
		},
		{ kind: "decision", place: 3, title: "Decisions of the user", share: 0.2, items: decisionItems(state) },
		{
			kind: "question",
			place: 4,
			title: "Open questions of the agent to the user",
			share: 0.05,
			items: questionItems(state),
		},
		{
			kind: "in flight",
			place: 5,
			title: "Running or scheduled when this was saved",
			share: 0.1,
			items: flightItems(state),
		},
		{ kind: "plan", place: 6, title: "Plan and tasks", share: 0.15, items: planItems(state, workspace) },
		{
			kind: "message",
			place: 7,
			title: "Earlier messages of the user (verbatim)",
			share: 0.35,
			items: messageItems(state, request),
		},
		{ kind: "failure", place: 13, title: "Failures", share: 0.1, items: failureItems(state, workspace, listed) },
		{
			kind: "file changed",
			place: 9,
			title: "Files changed (edits: names declared in them)",
			share: 0.12,
			items: fileItems(state, true),
			inline: ", ",
		},
		{ kind: "file read", place: 10, title: "Files read", share: 0.08, items: fileItems(state, false), inline: ", " },
		{ kind: "done", place: 8, title: "Done", share: 0.05, items: doneItems(state, listed) },
		{ kind: "workspace", place: 15, title: "Workspace", share: 0.08, items: workspaceItems(state, workspace) },
		{
			kind: "command",
			place: 12,
			title: "Commands",
			share: 0.06,
			items: commandItems(state, listed),
		},
		{ kind: "search", place: 11, title: "Searches", share: 0.03, items: searchItems(state, listed), inline: ", " },
		{
			kind: "assumption",
			place: 14,
			title: "Assumptions the agent stated",
			share: 0.03,
			items: assumptionItems(state, listed),
		},
		{ kind: "name", place: 16, title: "Names in use", share: 0.05, items: identifierItems(state), inline: " " },
	];
}

/** The last thing asked of the model; a shell line typed with `!` asks nothing. */
export function requestOf({ messages }: SessionState): Message | null {
	return messages.findLast(({ source, text }) => !(source === "command" && text.startsWith("! "))) ?? null;
}

function requestItems(request: Message | null): Item[] {
	if (!request) return [];
	const quote = quoted(request);
	return quote.length <= 2_000
		? [{ text: quote, order: 0 }]
		: paragraphs(request.text, 2_000).map((text, order) => ({ text: `> ${text}`, order }));
}

/** Whole messages that direct, when short; else their directing sentences. Newest first: the latest word counts. */
function directiveItems(state: SessionState, request: Message | null): Item[] {
	const seen = new Set<string>();
	const items: Item[] = [];
	for (const message of state.messages.toReversed()) {
		if (message === request && quoted(request).length <= 2_000) continue;
		const texts = isShort(message) ? (message.directives.length ? [message.text] : []) : message.directives;
		for (const [i, text] of texts.entries()) {
			if (seen.has(folded(text))) continue;
			seen.add(folded(text));
			const back = withdrawnBy(message, text);
			items.push({
				text: `- ${oneQuote(text)}${back}`,
				order: message.order + i / 1000,
				words: text,
				...(back ? { keep: true } : {}),
			});
		}
	}
	return items;
}

/** What the user said later against a directive, or against some of those in a message given whole. */
function withdrawnBy(message: Message, text: string): string {
	const taken = (message.withdrawn ?? []).filter(({ directive }) => text.includes(directive));
	if (taken.length === 0) return "";
	if (taken.length === 1 && (taken[0]!.directive === text || message.directives.length === 1))
		return ` (the user later said: ${oneQuote(taken[0]!.by)})`;
	const each = taken.map(
		({ directive, by }) => `${oneQuote(cut(directive, 80))}: the user later said: ${oneQuote(by)}`,
	);
	return ` (of this, ${each.join("; ")})`;
}

function questionItems(state: SessionState): Item[] {
	const asked = Object.values(state.open)
		.filter(({ tool }) => tool === "AskUserQuestion")
		.flatMap(({ input, order }) => {
			const questions = Array.isArray(input?.questions) ? input.questions : [];
			return questions.map((one: { question?: unknown } | null) => ({ text: String(one?.question ?? ""), order }));
		});
	return [...asked, ...state.questions]
		.filter(({ text }) => text.trim())
		.toReversed()
		.map(({ text, order }) => ({ text: `- ${foreign(cut(text, 300))}`, order, words: text }));
}

function messageItems(state: SessionState, request: Message | null): Item[] {
	const seen = new Set<string>(request ? [folded(request.text)] : []);
	const items: Item[] = [];
	for (const message of state.messages.toReversed()) {
		if (message === request || (isShort(message) && message.directives.length) || seen.has(folded(message.text)))
			continue;
		seen.add(folded(message.text));
		if (message.text.length <= WHOLE && !message.cut)
			items.push({ text: `- ${oneQuote(message.text)}`, order: message.order, words: message.text });
		else items.push({ text: `- ${oneQuote(cut(message.text, 160))}`, order: message.order, words: message.text });
	}
	// short ones first: they lose most in a summary and cost least
	return items.sort((a, b) => Number(a.text.length > 420) - Number(b.text.length > 420));
}

function decisionItems(state: SessionState): Item[] {
	return state.decisions.toReversed().map(({ kind, subject, words, order }) => ({
		text: `- ${kind}: ${foreign(cut(subject, 200))}${words ? ` — the user: ${oneQuote(words)}` : ""}`,
		order,
		words: words || subject,
	}));
}

/** What goes on without anybody looking: a forgotten process is started twice. */
function flightItems(state: SessionState): Item[] {
	return state.inFlight.toReversed().map(({ id, kind, what, at, output, ports, order }) => ({
		text: `- ${kind} ${bareName(id)}: ${foreign(cut(what, 160))}${ports?.length ? `, port ${ports.join(", ")}` : ""}${at ? ` (since ${at})` : ""}${output ? `, output: ${foreign(output)}` : ""}`,
		order,
		words: kind === "detached process" ? oneLine(what) : id,
	}));
}

function planItems(state: SessionState, workspace: Workspace | null): Item[] {
	const items: Item[] = [];
	const left = state.tasks.filter(({ status }) => !isDone(status));
	const open = left.filter(({ status }) => status !== "cancelled");
	const cancelled = left.filter(({ status }) => status === "cancelled");
	for (const [i, task] of [...open, ...cancelled].entries())
		items.push({ text: `- [${bareName(task.status)}] ${foreign(task.subject)}`, order: 100 + i, words: task.subject });
	if (workspace?.planSummary) items.unshift({ text: `- .active-plan.md: ${foreign(workspace.planSummary)}`, order: 0 });
	if (state.plan) {
		const title = cut(oneLine(state.plan.text.replace(/^#+\s*/, "")), 400);
		const where = state.plan.path ? ` (${state.plan.path})` : "";
		items.unshift({
			text: `- plan${where}, ${state.plan.approved ? "approved" : "not approved"}: ${foreign(title)}`,
			order: 1,
		});
	}
	return items;
}

const isDone = (status: string): boolean => status === "completed" || status === "done";

/** What was finished, with what shows it. A commit that stands as a task's evidence is not told twice. */
function doneItems(state: SessionState, listed: Listed): Item[] {
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

function failureItems(state: SessionState, workspace: Workspace | null, listed: Listed): Item[] {
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

function fileItems(state: SessionState, edited: boolean): Item[] {
	const files = state.files.filter((file) => file.edits > 0 === edited);
	const names = new Map<string, number>();
	for (const { path } of state.files) names.set(baseName(path), (names.get(baseName(path)) ?? 0) + 1);
	return files.toReversed().map((file, order) => {
		const path = bareName(relative(file.path, state.cwd));
		const told = (symbols: readonly string[]): string => (symbols.length ? `: ${symbols.join(" ")}` : "");
		const symbols = file.symbols ?? [];
		return {
			text: edited ? `${path} (${file.edits}${told(symbols.slice(-SYMBOLS))})` : path,
			long: `${path} (${edited ? `edited ${file.edits}×, ` : ""}read ${file.reads}×${file.at ? `, last ${file.at}` : ""}${told(symbols)})`,
			order,
			// a name that several files have proves none of them
			words: names.get(baseName(file.path)) === 1 ? baseName(file.path) : path,
		};
	});
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function searchItems(state: SessionState, listed: Listed): Item[] {
	return state.searches
		.slice(-listed.searches)
		.toReversed()
		.map(({ what, found, order }) => ({ text: `${foreign(cut(what, 100))} (${found})`, order, words: what }));
}

function assumptionItems(state: SessionState, listed: Listed): Item[] {
	return state.assumptions
		.slice(-listed.assumptions)
		.toReversed()
		.map(({ text, order }) => ({ text: `- ${foreign(cut(text, 240))}`, order, words: text }));
}

function workspaceItems(state: SessionState, workspace: Workspace | null): Item[] {
	const items: Item[] = [];
	// Claude Code writes HEAD where there is no branch and no git
	const branch = workspace?.branch || (state.branch === "HEAD" ? "" : state.branch);
	const tree = workspace?.worktree ? `, worktree ${bareName(workspace.worktree)} at ${bareName(state.cwd)}` : "";
	if (branch) items.push({ text: `- git branch ${bareName(branch)}${tree}`, order: 0 });
	if (workspace?.status.length) {
		const shown = workspace.status
			.slice(0, 12)
			.map((line) => bareName(line.trim()))
			.join(", ");
		const more = workspace.status.length - 12;
		items.push({ text: `- uncommitted: ${shown}${more > 0 ? `, ${more} more` : ""}`, order: 1 });
	}
	const told = new Set(state.commits.map(({ hash }) => hash));
	for (const [i, commit] of (workspace?.commits ?? []).filter((one) => !told.has(one.slice(0, 7))).entries())
		items.push({ text: `- commit ${foreign(commit)}`, order: 2 + i });
	return items;
}

function commandItems(state: SessionState, listed: Listed): Item[] {
	const seen = new Set<string>();
	const items: Item[] = [];
	const add = (command: string, text: (line: string) => string, order: number): void => {
		const line = cut(oneLine(command), 160);
		if (seen.has(line)) return;
		seen.add(line);
		items.push({ text: text(line), order, words: line });
	};
	// those that worked first: they are what is run again
	const checks = state.checks
		.toReversed()
		.sort((a, b) => Number(a.result !== "worked") - Number(b.result !== "worked"));
	for (const { kind, command, result, outcome, order } of checks.slice(0, listed.checks))
		add(
			command,
			(line) =>
				`- ${kind} ${result === "unknown" ? "(outcome not seen)" : result}: ${foreign(line)}${outcome && kind === "test" ? ` — ${foreign(cut(outcome, 60))}` : ""}`,
			order,
		);
	for (const { command, failed, order } of state.commands.slice(-listed.commands).toReversed())
		add(command, (line) => `- ${failed ? "failed" : "ok"}: ${foreign(line)}`, order);
	return items;
}

/** Names by worth. One that stands inside a better one is there already. */
function identifierItems(state: SessionState): Item[] {
	let listed = state.files
		.map(({ path, symbols }) => [relative(path, state.cwd), ...(symbols ?? []).slice(-SYMBOLS)].join(" "))
		.join(", ")
		.toLowerCase();
	// joined now and then: a text that grows at every step is copied at every search
	let recent: string[] = [];
	const items: Item[] = [];
	for (const [token] of rankedIdentifiers(state.identifiers, state.order).slice(0, NAMES)) {
		const text = relative(token, state.cwd);
		const low = text.toLowerCase();
		if (text === state.cwd || listed.includes(low) || recent.some((one) => one.includes(low))) continue;
		recent.push(low);
		items.push({ text, order: items.length });
		if (recent.length < 32) continue;
		listed += `, ${recent.join(", ")}`;
		recent = [];
	}
	return items;
}

const isShort = (message: Message): boolean => message.text.length <= 420 && !message.cut;
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
/** What tools and files said: in other marks than the user's words, and never two of one kind. */
const foreign = (text: string): string => `\`${oneLine(text).replace(/["“”„`]/g, "'")}\``;
/** A name that others chose, among names: without the marks that make words the user's. */
const bareName = (text: string): string => oneLine(text).replace(/["“”„]/g, "'");
const oneQuote = (text: string): string => `"${oneLine(text)}"`;
const quoted = (message: Message): string =>
	`${message.text
		.split("\n")
		.map((line) => `> ${line}`)
		.join("\n")}${message.cut ? `\n> […${message.cut} more characters]` : ""}`;

/** Whole paragraphs of a long text from its start, and the last one: requests end in the point. */
function paragraphs(text: string, budget: number): string[] {
	const parts = text
		.split(/\n{2,}/)
		.map(oneLine)
		.filter(Boolean);
	const last = parts.length > 1 ? cut(parts.pop()!, budget / 2) : null;
	const kept: string[] = [];
	let used = last?.length ?? 0;
	for (const part of parts) {
		const piece = cut(part, budget / 2);
		if (used + piece.length > budget) {
			kept.push("[…]");
			break;
		}
		kept.push(piece);
		used += piece.length;
	}
	return last === null ? kept : [...kept, last];
}

/** A path below the session's folder, shortened; others as they are. */
export function relative(path: string, cwd: string): string {
	return cwd && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
