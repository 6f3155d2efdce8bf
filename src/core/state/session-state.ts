import type { Score } from "./identifiers.ts";

/**
 * What a session established, over all its compactions. A plain JSON value of bounded size; `order` counts calls and
 * messages and orders everything else.
 */
export interface SessionState {
	version: 3;
	/** When the first message seen was written; `""` before it. */
	startedAt: string;
	order: number;
	boundaries: number;
	messages: Message[];
	decisions: Decision[];
	/** The last plan of plan mode; `path` where Claude Code keeps it, `""` when it was not told. */
	plan: { text: string; path: string; at: string; approved: boolean } | null;
	tasks: Task[];
	files: FileUse[];
	commands: CommandRun[];
	failures: Failure[];
	/** Background shells, agents and schedules that were started and not seen to end. */
	inFlight: Flight[];
	/** Questions the agent put to the user in its text and that no message has answered. */
	questions: Said[];
	/** What the agent said it assumes, the newest. */
	assumptions: Said[];
	/** Commits made by the session's own commands. */
	commits: Commit[];
	/** Test, build, lint and run commands with their last outcome. */
	checks: Check[];
	searches: Search[];
	identifiers: Record<string, Score>;
	/** The end of the agent's last words. */
	lastSaid: string;
	cwd: string;
	branch: string;
	claudeVersion: string;
	model: string;
	/** Context size of the last response since the last boundary; `null` while unknown. */
	tokens: number | null;
	/** Calls whose result has not been seen. */
	open: Record<string, OpenCall>;
	/** The order at which the user refused a call or stopped the agent, until the agent goes on. */
	refusedAt?: number;
	/** Not everything the user said was read: the history is longer than what is read without a ledger. */
	partial?: true;
	/** What was dropped to stay within bounds: how many, by the list's name. */
	dropped: Record<string, number>;
}

export interface Message {
	at: string;
	order: number;
	source: "typed" | "queued" | "command";
	/** How often it was put into the queue and not taken back; absent once it is known to be given. */
	waits?: number;
	/** Verbatim; secrets redacted. */
	text: string;
	/** Characters cut from the end, when the message was larger than what is kept. */
	cut?: number;
	/** Sentences in which the user demanded, forbade or preferred something. */
	directives: string[];
	/** Of these, what the user took back later, and with which words. */
	withdrawn?: { directive: string; by: string }[];
}

/** A sentence of the agent's. */
export interface Said {
	text: string;
	at: string;
	order: number;
}

export interface Commit {
	hash: string;
	subject: string;
	at: string;
	order: number;
}

export interface Check {
	kind: "test" | "build" | "lint" | "run";
	command: string;
	/** `unknown` where the exit code tells nothing (a pipe, a list) and the output neither. */
	result: "worked" | "failed" | "unknown";
	/** The line of the output that tells how it went; `""` where there was none. */
	outcome: string;
	at: string;
	order: number;
}

export interface Search {
	/** What was searched for, and where; one line. */
	what: string;
	/** What it found, in a few words. */
	found: string;
	at: string;
	order: number;
}

export interface Decision {
	at: string;
	order: number;
	kind: "answer" | "rejected" | "plan approved" | "plan rejected" | "permission denied" | "interrupted";
	/** What was asked or called. */
	subject: string;
	/** The user's words, `""` when there were none. */
	words: string;
}

export interface Task {
	id: string;
	subject: string;
	/** As Claude Code names it; `cancelled` when it was deleted or left the list unfinished. */
	status: string;
	order: number;
	/** When work on it began (as `order`); absent while it did not. */
	begun?: number;
	/** What shows that it is done: a commit, or a test that passed meanwhile. */
	evidence?: string;
	/** When it was made, and when what it says or its status changed last; ISO times or `""`. */
	madeAt?: string;
	changedAt?: string;
	/** Finished long ago: no longer among the active tasks of the session context. */
	archived?: true;
}

export interface FileUse {
	path: string;
	edits: number;
	reads: number;
	order: number;
	/** When last; ISO time or `""`. */
	at: string;
	/** Names of functions, types and values declared in what was edited, the newest last. */
	symbols?: string[];
}

export interface CommandRun {
	command: string;
	failed: boolean;
	order: number;
	at: string;
}

export interface Failure {
	/** Tool and what it was called on: the key by which a later success resolves it. */
	subject: string;
	message: string;
	at: string;
	order: number;
	resolved: boolean;
}

export interface Flight {
	/** Claude Code's id of the task or job. */
	id: string;
	kind: "background shell" | "detached process" | "agent" | "schedule";
	/** The command, the agent's description, the schedule's prompt. */
	what: string;
	at: string;
	/** Where its output goes; `""` when it was not told. */
	output: string;
	/** Ports a server was told or said to listen on. */
	ports?: string[];
	/** As Claude Code listed it last; `at` an ISO time. */
	listed?: { kind: string; description: string; at: string };
	order: number;
}

export interface OpenCall {
	tool: string;
	subject: string;
	order: number;
	/** When it was made; ISO time or `""`. */
	at?: string;
	input?: Record<string, unknown>;
	/** The file an edit is on. */
	path?: string;
	/** Asked to go on in the background. */
	background?: true;
	/** Of a call that changes tasks: what they were before. */
	undo?: Task[];
}

/** Counts what a bound of a list cost. */
export function countDropped(state: SessionState, name: string, count = 1): void {
	state.dropped[name] = (state.dropped[name] ?? 0) + count;
}

/** Keeps the last so many of a list. */
export function keepLast(state: SessionState, name: "commands" | "failures" | "decisions", max: number): void {
	const list = state[name];
	while (list.length > max) {
		list.shift();
		countDropped(state, name);
	}
}

/** What came of an event, for who keeps more of it than the state. */
export interface Applied {
	/** Of a message: it is none that was queued before. Of one taken back: it was never given. */
	counts?: boolean;
	/** The call that was made, or whose result this is. */
	call?: OpenCall;
	decision?: Decision;
}

export function emptyState(): SessionState {
	return {
		version: 3,
		startedAt: "",
		order: 0,
		boundaries: 0,
		messages: [],
		decisions: [],
		plan: null,
		tasks: [],
		files: [],
		commands: [],
		failures: [],
		inFlight: [],
		questions: [],
		assumptions: [],
		commits: [],
		checks: [],
		searches: [],
		identifiers: {},
		lastSaid: "",
		cwd: "",
		branch: "",
		claudeVersion: "",
		model: "",
		tokens: null,
		open: {},
		dropped: {},
	};
}
