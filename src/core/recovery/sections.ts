import { rankedIdentifiers } from "../state/identifiers.ts";
import type { Message, SessionState } from "../state/session-state.ts";
import { cut, folded } from "../text.ts";

/** A checkpoint's facts beside the session's state: what the workspace told when it was taken. */
export interface Workspace {
	branch: string;
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
	| "in flight"
	| "plan"
	| "message"
	| "failure"
	| "file changed"
	| "file read"
	| "workspace"
	| "command"
	| "name";

export interface Item {
	text: string;
	/** Order for reading within its section. */
	order: number;
	/** The bare words by which a summary is searched for it; `text` without its dress when absent. */
	words?: string;
}

/** A part of the recovery block. Items are given best first; `share` is the part of the budget it may take before all others are served. */
export interface Section {
	kind: Kind;
	title: string;
	items: Item[];
	share: number;
	/** Items stand side by side instead of on lines of their own. */
	inline?: boolean;
}

const WHOLE = 1_200;
/** Commands and failures listed: names are worth more than the tenth of them. */
const COMMANDS = 8;
const FAILURES = 6;
const NAMES = 400;

/** The state as sections, the most important first. Quoted text is the user's own; everything else is named as what it is. */
export function sectionsOf(state: SessionState, workspace: Workspace | null): Section[] {
	const request = requestOf(state);
	return [
		{
			kind: "request",
			title: "Request at hand (the user's last message, verbatim)",
			share: 0.25,
			items: requestItems(request),
		},
		{
			kind: "directive",
			title: "Directives of the user (verbatim)",
			share: 0.4,
			items: directiveItems(state, request),
		},
		{ kind: "decision", title: "Decisions of the user", share: 0.2, items: decisionItems(state) },
		{ kind: "in flight", title: "Running or scheduled when this was saved", share: 0.1, items: flightItems(state) },
		{ kind: "plan", title: "Plan and tasks", share: 0.15, items: planItems(state, workspace) },
		{
			kind: "message",
			title: "Earlier messages of the user (verbatim)",
			share: 0.35,
			items: messageItems(state, request),
		},
		{ kind: "failure", title: "Failures", share: 0.1, items: failureItems(state, workspace) },
		{
			kind: "file changed",
			title: "Files changed (times edited)",
			share: 0.12,
			items: fileItems(state, true),
			inline: true,
		},
		{ kind: "file read", title: "Files read", share: 0.08, items: fileItems(state, false), inline: true },
		{ kind: "workspace", title: "Workspace", share: 0.08, items: workspaceItems(state, workspace) },
		{ kind: "command", title: "Commands run last", share: 0.06, items: commandItems(state).slice(0, COMMANDS) },
		{ kind: "name", title: "Names in use", share: 0.05, items: identifierItems(state), inline: true },
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
			items.push({ text: `- ${oneQuote(text)}`, order: message.order + i / 1000, words: text });
		}
	}
	return items;
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
		text: `- ${kind}: ${cut(oneLine(subject), 200)}${words ? ` — the user: ${oneQuote(words)}` : ""}`,
		order,
		words: words || subject,
	}));
}

/** What goes on without anybody looking: a forgotten process is started twice. */
function flightItems(state: SessionState): Item[] {
	return state.inFlight.toReversed().map(({ id, kind, what, at, output, order }) => ({
		text: `- ${kind} ${id}: ${cut(oneLine(what), 160)}${at ? ` (since ${at})` : ""}${output ? `, output: ${output}` : ""}`,
		order,
		words: id,
	}));
}

function planItems(state: SessionState, workspace: Workspace | null): Item[] {
	const items: Item[] = [];
	const open = state.tasks.filter((task) => task.status !== "completed");
	const done = state.tasks.filter((task) => task.status === "completed");
	for (const [i, task] of open.entries())
		items.push({ text: `- [${task.status}] ${oneLine(task.subject)}`, order: 100 + i, words: task.subject });
	if (workspace?.planSummary) items.unshift({ text: `- .active-plan.md: ${foreign(workspace.planSummary)}`, order: 0 });
	if (state.plan) {
		const title = cut(oneLine(state.plan.text.replace(/^#+\s*/, "")), 400);
		const where = state.plan.path ? ` (${state.plan.path})` : "";
		items.unshift({ text: `- plan${where}, ${state.plan.approved ? "approved" : "not approved"}: ${title}`, order: 1 });
	}
	for (const [i, task] of done.toReversed().entries())
		items.push({ text: `- [done] ${oneLine(task.subject)}`, order: 90 - i / 1000, words: task.subject });
	return items;
}

function failureItems(state: SessionState, workspace: Workspace | null): Item[] {
	const open = state.failures
		.filter((failure) => !failure.resolved)
		.toReversed()
		.slice(0, FAILURES);
	const items = open.map(({ subject, message, order }) => ({
		text: `- not resolved: ${foreign(cut(subject, 160))} — the tool said: ${foreign(cut(message, 240))}`,
		order,
		words: message,
	}));
	if (workspace?.lastFailure)
		items.push({ text: `- failure log: ${foreign(workspace.lastFailure)}`, order: -1, words: workspace.lastFailure });
	return items;
}

function fileItems(state: SessionState, edited: boolean): Item[] {
	return state.files
		.filter((file) => file.edits > 0 === edited)
		.toReversed()
		.map((file, order) => ({
			text: `${relative(file.path, state.cwd)}${edited ? ` (${file.edits})` : ""}`,
			order,
			words: file.path.split("/").at(-1)!,
		}));
}

function workspaceItems(state: SessionState, workspace: Workspace | null): Item[] {
	const items: Item[] = [];
	// Claude Code writes HEAD where there is no branch and no git
	const branch = workspace?.branch || (state.branch === "HEAD" ? "" : state.branch);
	if (branch) items.push({ text: `- git branch ${branch}`, order: 0 });
	if (workspace?.status.length) {
		const shown = workspace.status
			.slice(0, 12)
			.map((line) => line.trim())
			.join(", ");
		const more = workspace.status.length - 12;
		items.push({ text: `- uncommitted: ${shown}${more > 0 ? `, ${more} more` : ""}`, order: 1 });
	}
	for (const [i, commit] of (workspace?.commits ?? []).entries())
		items.push({ text: `- commit ${foreign(commit)}`, order: 2 + i });
	return items;
}

function commandItems(state: SessionState): Item[] {
	const seen = new Set<string>();
	const items: Item[] = [];
	for (const { command, failed, order } of state.commands.toReversed()) {
		const line = cut(oneLine(command), 160);
		if (seen.has(line)) continue;
		seen.add(line);
		items.push({ text: `- ${failed ? "failed" : "ok"}: ${foreign(line)}`, order, words: line });
	}
	return items;
}

/** Names by worth. One that stands inside a better one is there already. */
function identifierItems(state: SessionState): Item[] {
	let listed = state.files
		.map((file) => relative(file.path, state.cwd))
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
