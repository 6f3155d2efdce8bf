/** Who or what a passage comes from. */
export type PassageKind =
	| "user"
	| "unclear"
	| "agent"
	| "call"
	| "failure"
	| "checkpoint"
	| "note"
	| "log"
	| "task"
	| "file";

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
	/** The file a call was made on, else `""`. */
	path: string;
	text: string;
}

/** A passage as the index gives it back. */
export interface FoundPassage extends Passage {
	/** Its place among all passages: what stands beside it in its source has the next number. */
	order: number;
	/** What `recall --more` takes. */
	id: string;
	project: string;
	session: string;
	/** The file it was read from. */
	source: string;
	/** It lies on a branch of the conversation that the user left. */
	left: boolean;
	/** The rules of redaction it went through (`RULES_VERSION`). */
	rules: string;
	/** BM25 of the words; higher is better. */
	score: number;
}
