import type { Command } from "commander";
import type { Io } from "../support/io.ts";

/** `ccg approvals`: what the user approved, answered, rejected, and what was denied, from the sessions' event logs. */
export function registerApprovals(program: Command, io: Io, now: () => Date = () => new Date()): void {
	program
		.command("approvals")
		.description("approvals, answers, rejections and denials, with time and tool")
		.option("--session <id>", "only of this session (default: of all)")
		.option("--json", "machine-readable")
		.addHelpText(
			"after",
			"\nRead from the transcript: what a person allowed or refused when asked, plans and questions. Older versions of Claude Code\nwrite no word of what was allowed; what rules and modes let through without a question is nobody's approval.\n\nExamples:\n  ccg approvals\n  ccg approvals --session 0c0ffee0 --json | jq '.[] | select(.kind == \"rejected\")'",
		)
		.action(async (options: { session?: string; json?: boolean }) =>
			(await import("../acts/approvals.ts")).approvals(options, io, now()),
		);
}
