/**
 * Who or what a passage comes from: its name in answers, what it is worth beside others that fit as well, and what it is part of. Of a call
 * each line counts, and no sentence.
 */
export const KINDS = {
	user: { name: "user", worth: 1.25, group: "message" },
	unclear: { name: "unclear who said this", worth: 1, group: "message" },
	agent: { name: "agent", worth: 1.2, group: "message" },
	answer: { name: "question to the user, and the answer", worth: 1.25, group: "call" },
	output: { name: "output of the user's command", worth: 0.9, group: "call" },
	notification: { name: "task notification", worth: 0.9, group: "message" },
	teammate: { name: "teammate or other session", worth: 1, group: "message" },
	hook: { name: "hook", worth: 0.8, group: "message" },
	host: { name: "Claude Code", worth: 0.7, group: "message" },
	subagent: { name: "subagent", worth: 0.9, group: "message" },
	subcall: { name: "subagent's call", worth: 0.7, group: "call" },
	call: { name: "call", worth: 0.9, group: "call" },
	failure: { name: "failed call", worth: 1, group: "call" },
	note: { name: "note", worth: 1.2, group: "file" },
	log: { name: "daily log", worth: 0.9, group: "file" },
	file: { name: "file", worth: 0.8, group: "file" },
} satisfies Record<string, { name: string; worth: number; group: "message" | "call" | "file" }>;

export type PassageKind = keyof typeof KINDS;

/** A piece of text that can be found again: one message, one call with its outcome, one part of a file. */
export interface Passage {
	/** Byte of its line in the transcript, or of its beginning in the file it lies in. */
	pos: number;
	/** Its number among the passages of that line. */
	part: number;
	/** Unix seconds; 0 where unknown. */
	at: number;
	kind: PassageKind;
	/** The tool of a call, else `""`. */
	tool: string;
	/** The file a call was made on; of what another machine wrote who that was; else `""`. */
	path: string;
	text: string;
}

/** Each piece of a long text but its last is at least so long. */
export const MIN_PIECE = 700;

/** Whether `next` is the piece that follows `piece` in one long text. */
export const isNextPiece = (piece: Passage, next: Passage): boolean =>
	piece.text.length >= MIN_PIECE &&
	next.part === piece.part + 1 &&
	(["pos", "kind", "tool", "path", "at"] as const).every((name) => next[name] === piece[name]);

/** Where passages come from: a transcript, a file of notes. */
export interface Source {
	path: string;
	/** Key of the project in the store; `""` for what belongs to all. */
	project: string;
	session: string;
}

/** A passage as the index gives it back. */
export interface FoundPassage extends Passage, Omit<Source, "path"> {
	/** What `recall --more` takes. What stands beside it in its source mostly has the next number. */
	id: number;
	/** The file it was read from. */
	source: string;
	/** It lies on a branch of the conversation that the user left. */
	isAbandoned: boolean;
	/** On which side of the last compaction of its session it lies; `null` where there was none. */
	compaction: "before" | "after" | null;
	/** How well it fits; higher is better. */
	score: number;
	/** It holds none of the words: one that does was said to it, or it to that one. */
	holdsNoTerm?: boolean;
}

/** Above 0 where the one is newer: by its place in one file, by the clock between two. */
export const compareAge = (one: FoundPassage, other: FoundPassage): number =>
	one.source === other.source ? one.pos - other.pos : one.at - other.at;

/** Which passages are looked through; those of a project with what belongs to all. `since`, `until`: Unix seconds. */
export interface Filter {
	project?: string | undefined;
	session?: string | undefined;
	kinds?: readonly PassageKind[] | undefined;
	since?: number | undefined;
	until?: number | undefined;
	/** On which side of their session's last compaction. */
	compaction?: FoundPassage["compaction"] | undefined;
}

/** Whether a passage is of the kinds, the time and the side of the last compaction that a filter asks for. */
export function isOfKindAndTime(passage: FoundPassage, { kinds, since = 0, until = Infinity, compaction }: Filter) {
	const isInTime = passage.at >= since && passage.at <= until;
	return isInTime && (!kinds || kinds.includes(passage.kind)) && (!compaction || passage.compaction === compaction);
}
