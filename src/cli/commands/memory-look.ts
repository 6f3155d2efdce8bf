import type { Command } from "commander";
import type { Io } from "../support/io.ts";

/** `ccg memory check | inventory`: whether notes are still true, and what memories there are. */
export function registerLooks(memory: Command, io: Io): void {
	memory
		.command("check")
		.description("name the notes whose paths or symbols are gone, and those that contradict each other")
		.option("--json", "machine-readable")
		.addHelpText("after", CHECK_HELP)
		.action(async (options: { json?: boolean }) => (await import("../acts/memory-check.ts")).check(options, io));

	memory
		.command("inventory")
		.description("list the keys of all memories by who keeps them: Claude Code, Serena, ccg, CLAUDE.md")
		.option("--json", "machine-readable")
		.addHelpText("after", INVENTORY_HELP)
		.action(async (options: { json?: boolean }) =>
			(await import("../acts/memory-inventory.ts")).inventory(options, io),
		);
}

const CHECK_HELP = `
Examples:
  ccg memory check
  ccg memory check --json

Looks at this project's MEMORY.md and the global one. A path or a symbol counts when it stands in backticks, a path also where it has a
slash and an ending; it is looked for in the project's folder and nowhere else. Two notes contradict each other when they say
different things of one key, as "X is Y", "X: Y" and "use X for Y" do, or differ in a number or a "not" alone. When it did not look
at everything, it says so.
Exit codes: 0 nothing wrong, 1 something found or failed, 2 wrong use.`;

const INVENTORY_HELP = `
Examples:
  ccg memory inventory
  ccg memory inventory --json`;
