import type { Command } from "commander";
import { type Ask, askOnTerminal } from "../support/ask-on-terminal.ts";
import { listByDefault } from "../support/default-list.ts";
import type { Io } from "../support/io.ts";

/** `ccg sessions list | show | delete | export | compact`: the context ccg keeps of each session. `ask` answers in place of the terminal. */
export function registerSessions(
	program: Command,
	io: Io,
	{ now = () => new Date(), ask = askOnTerminal }: { now?: () => Date; ask?: Ask } = {},
): void {
	const sessions = program
		.command("sessions")
		.description("what ccg keeps of each session: facts, history, tasks, plan, tokens")
		.addHelpText(
			"after",
			"\nExamples:\n  ccg sessions\n  ccg sessions show 0c0ffee0\n  ccg sessions export > session.json",
		);

	listByDefault(sessions)
		.description("all sessions of the store, the one changed last first")
		.option("--json", "machine-readable")
		.addHelpText("after", "\nExamples:\n  ccg sessions list\n  ccg sessions list --json | jq '.[0].session_id'")
		.action(async ({ json }: { json?: boolean }) => (await import("../acts/sessions.ts")).list(io, now(), json));

	sessions
		.command("show")
		.description("one session's context")
		.argument("[session]", "its id or the beginning of it (default: the one seen last)")
		.option("--json", "machine-readable: the context as it is kept, times as ISO 8601")
		.addHelpText("after", "\nExamples:\n  ccg sessions show\n  ccg sessions show 0c0ffee0 --json | jq .current_plan")
		.action(async (named: string | undefined, { json }: { json?: boolean }) =>
			(await import("../acts/sessions.ts")).show(io, now(), named, json),
		);

	sessions
		.command("export")
		.description("all of a session as one JSON object: context and event log")
		.argument("[session]", "its id or the beginning of it (default: the one seen last)")
		.option("--json", "JSON, which it always is")
		.addHelpText(
			"after",
			"\nExamples:\n  ccg sessions export 0c0ffee0 > session.json\n  ccg sessions export | jq '.event_log[] | select(.kind == \"decision\")'",
		)
		.action(async (named: string | undefined) => (await import("../acts/sessions.ts")).exportSession(io, now(), named));

	sessions
		.command("delete")
		.description("delete everything the store keeps of a session; Claude Code's own transcript stays")
		.argument("<session>", "its id or the beginning of it")
		.option("--yes", "do not ask")
		.option("--json", "machine-readable")
		.addHelpText(
			"after",
			"\nExamples:\n  ccg sessions delete 0c0ffee0\n  ccg sessions delete 0c0ffee0 --yes\n\nExit codes: 0 deleted or declined, 1 failed, 2 nobody to ask and no --yes.",
		)
		.action(async (named: string, options: { yes?: boolean; json?: boolean }) =>
			(await import("../acts/sessions.ts")).remove(io, now(), named, options, ask),
		);

	sessions
		.command("compact")
		.description("summarise a session's older history now, by the rules of the configuration")
		.option("--session <id>", "this session (default: the one seen last)")
		.option("--dry-run", "say what would be summarised and write nothing")
		.option("--json", "machine-readable")
		.addHelpText(
			"after",
			"\nExamples:\n  ccg sessions compact --dry-run\n  ccg sessions compact --session 0c0ffee0 --json",
		)
		.action(async (options: { session?: string; dryRun?: boolean; json?: boolean }) =>
			(await import("../acts/sessions.ts")).compactNow(io, now(), options),
		);
}
