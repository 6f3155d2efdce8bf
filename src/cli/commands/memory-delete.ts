import type { Command } from "commander";
import type { DeleteOptions } from "../acts/memory-delete.ts";
import type { Ask } from "../support/ask-on-terminal.ts";
import type { Io } from "../support/io.ts";

/** `ccg memory delete`: takes one note out of MEMORY.md. */
export function registerDelete(memory: Command, io: Io, ask: Ask): void {
	memory
		.command("delete")
		.description("delete one note of MEMORY.md; without a note named, show them with their numbers")
		.argument("[note...]", "its number, its text, or a part of its text that no other note has")
		.option("--global", "of the notes for all projects instead of this one's")
		.option("--yes", "do not ask")
		.option("--json", "machine-readable")
		.addHelpText("after", HELP)
		.action(async (words: string[], options: DeleteOptions) =>
			(await import("../acts/memory-delete.ts")).remove(words.join(" ").trim(), options, io, ask),
		);
}

const HELP = `
Examples:
  ccg memory delete                       the notes with their numbers
  ccg memory delete 3
  ccg memory delete "tests run with"
  ccg memory delete --global 1 --yes

The note is printed when it is gone, so that it can be saved again. Daily logs are files to edit: 'ccg memory list' says where.
Exit codes: 0 deleted, declined or shown; 1 failed, or no single note is meant; 2 nobody to ask and no --yes.`;
