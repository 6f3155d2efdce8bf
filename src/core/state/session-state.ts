import type { Score } from "./identifiers.ts";

/**
 * What a session established, over all its compactions. A plain JSON value of bounded size; `order` counts calls and
 * messages and orders everything else.
 */
export interface SessionState {
	version: 2;
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
	/** Messages and files dropped to stay within bounds. */
	dropped: number;
}

export interface Message {
	at: string;
	order: number;
	source: "typed" | "queued" | "command";
	/** Verbatim; secrets redacted. */
	text: string;
	/** Characters cut from the end, when the message was larger than what is kept. */
	cut?: number;
	/** Sentences in which the user demanded, forbade or preferred something. */
	directives: string[];
}

export interface Decision {
	at: string;
	order: number;
	kind: "answer" | "rejected" | "plan approved" | "plan rejected" | "permission denied";
	/** What was asked or called. */
	subject: string;
	/** The user's words, `""` when there were none. */
	words: string;
}

export interface Task {
	id: string;
	subject: string;
	status: string;
	order: number;
}

export interface FileUse {
	path: string;
	edits: number;
	reads: number;
	order: number;
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
	kind: "background shell" | "agent" | "schedule";
	/** The command, the agent's description, the schedule's prompt. */
	what: string;
	at: string;
	/** Where its output goes; `""` when it was not told. */
	output: string;
	order: number;
}

export interface OpenCall {
	tool: string;
	subject: string;
	order: number;
	input?: Record<string, unknown>;
}

export function emptyState(): SessionState {
	return {
		version: 2,
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
		identifiers: {},
		lastSaid: "",
		cwd: "",
		branch: "",
		claudeVersion: "",
		model: "",
		tokens: null,
		open: {},
		dropped: 0,
	};
}
