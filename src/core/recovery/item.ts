/** A checkpoint's facts beside the session's state: what the workspace told when it was taken. */
export interface Workspace {
	branch: string;
	/** Name of the linked worktree the session works in; absent in the main one. */
	worktree?: string;
	/** As `git status --porcelain` has them. */
	status: string[];
	/** What was not looked at; absent when all was. */
	statusUnseen?: string;
	/** Last commits, one line each. */
	commits: string[];
	/** From `.active-plan.md` and its companions; `null` where the source is missing. */
	planSummary: string | null;
	lastFailure: string | null;
	selfModelAge: string | null;
	envModelAge: string | null;
	/** The task kept with `ccg task`; absent without one that is open. */
	task?: { goal: string; nextAction: string };
	/** The machine in two lines; only in the checkpoint, since it is never the same twice. */
	environment?: string[] | undefined;
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
