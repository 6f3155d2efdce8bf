import type { Command } from "commander";
import type { HandoffOptions } from "../acts/handoff.ts";
import type { Io } from "../support/io.ts";

/** `ccg handoff`: a session in one file, for whoever goes on with it. */
export function registerHandoff(program: Command, io: Io, now = () => new Date()): void {
	program
		.command("handoff")
		.description("one Markdown file from which a person or another agent can go on with the work")
		.argument(
			"[key]",
			"a checkpoint: its key or the beginning of it, a type, or latest (default: the session as it is now)",
		)
		.option("--session <id>", "of this session, by its id or the beginning of it")
		.option("--pr", "in the form of a pull request's description")
		.option("--out <file>", "write it there; without it, to standard output")
		.option("--json", "machine-readable: its parts, and the text; with --out the file holds that")
		.addHelpText("after", HELP)
		.action(async (key: string | undefined, options: HandoffOptions) =>
			(await import("../acts/handoff.ts")).writeHandoff(key, options, io, now()),
		);
}

const HELP = `
Examples:
  ccg handoff --out HANDOFF.md
  ccg handoff latest | less
  ccg handoff --pr --out pr.md && gh pr create --body-file pr.md --title "..."

It holds the request, what you laid down, where things stood, decisions with their reasons, what is left and how to check it. Secrets
are redacted. Without --session, the session it runs in is meant, else the one of this project seen last.`;
