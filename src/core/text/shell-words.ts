/** A word as far as it is known before a shell expands it. */
export interface Word {
	/** Without its quotes; `null` where an expansion decides. */
	text: string | null;
	/** What it begins with for certain. */
	start: string;
	/** It may become any words, or none. */
	isSplit: boolean;
	/** It begins as the names of files in the folder do. */
	isGlob: boolean;
}

/** A simple command. Assignments and words of the grammar (`if`, `do`, `{`, …) are words of it. */
export interface ShellCommand {
	words: Word[];
	/** `null`: a here-document. */
	redirections: { operator: string; target: Word | null }[];
}

/** A shell text, taken apart. */
export interface ShellText {
	/** All commands; those of groups and substitutions before the one they stand in. */
	commands: ShellCommand[];
	/** Something stands in it that this reader does not follow or shells read differently: there may be other commands. */
	isOdd: boolean;
	/** It is too deep or grows too long to be read to its end. */
	isCut: boolean;
	/** A word holds what a command prints. */
	hasOutput: boolean;
}

/** A word that is this text. */
export const literal = (text: string): Word => ({ text, start: text, isSplit: false, isGlob: false });

/** A word of which only the beginning is known. */
export const open = (start: string, isSplit: boolean): Word => ({ text: null, start, isSplit, isGlob: false });
