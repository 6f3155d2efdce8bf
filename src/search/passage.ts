/** Who or what a passage comes from: as answers name it, and what it is worth beside others that fit as well. */
export const KINDS = {
	user: { name: "user", worth: 1.25 },
	unclear: { name: "unclear who said this", worth: 1 },
	agent: { name: "agent", worth: 1.2 },
	call: { name: "call", worth: 0.9 },
	failure: { name: "failed call", worth: 1 },
	checkpoint: { name: "checkpoint", worth: 0.9 },
	note: { name: "note", worth: 1.2 },
	log: { name: "daily log", worth: 0.9 },
	task: { name: "task", worth: 1.1 },
	file: { name: "file", worth: 0.8 },
};

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
	/** The file a call was made on, else `""`. */
	path: string;
	text: string;
}

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
	left: boolean;
	/** How well it fits; higher is better. */
	score: number;
}

/** Which passages are looked through; those of a project with what belongs to all. `since`: Unix seconds. */
export interface Filter {
	project?: string | undefined;
	session?: string | undefined;
	kinds?: readonly PassageKind[] | undefined;
	since?: number | undefined;
}
