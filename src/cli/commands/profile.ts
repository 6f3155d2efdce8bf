import type { Command } from "commander";
import type { Where } from "../acts/profile.ts";
import { listByDefault } from "../support/default-list.ts";
import type { Io } from "../support/io.ts";

/** `ccg profile list | use | show`: named sets of configuration, for a project or a session. */
export function registerProfile(program: Command, io: Io, now: () => Date = () => new Date()): void {
	const profile = program
		.command("profile")
		.description("named sets of thresholds, budgets, wording and strictness, as YAML in the store's profiles/")
		.addHelpText(
			"after",
			"\nExamples:\n  ccg profile\n  ccg profile use careful\n  ccg profile show --session 0c0ffee0\n  ccg profile use none",
		);

	listByDefault(profile)
		.description("all profiles, and which one counts here")
		.option("--session <id>", "which one counts for this session")
		.option("--json", "machine-readable")
		.addHelpText("after", "\nExamples:\n  ccg profile list\n  ccg profile list --session 0c0ffee0 --json")
		.action(async (where: Where) => (await import("../acts/profile.ts")).list(where, io, now()));

	profile
		.command("use")
		.description(
			"choose a profile for this project, or for one session; it is checked first. Use it again after editing it",
		)
		.argument("<name>", "a profile; none takes the choice back")
		.option("--session <id>", "for this session only; wins over the project's")
		.option("--project [folder]", "for the project of this folder (default: the current one)")
		.option("--json", "machine-readable")
		.addHelpText("after", USE_HELP)
		.action(async (name: string, where: Where) => (await import("../acts/profile.ts")).use(name, where, io, now()));

	profile
		.command("show")
		.description("a profile's settings, or the configuration that counts here")
		.argument("[name]", "a profile (default: what counts here, with config.json)")
		.option("--session <id>", "what counts for this session")
		.option("--project [folder]", "what counts for the project of this folder")
		.option("--json", "machine-readable")
		.addHelpText("after", "\nExamples:\n  ccg profile show careful\n  ccg profile show --session 0c0ffee0 --json")
		.action(async (name: string | undefined, where: Where) =>
			(await import("../acts/profile.ts")).show(name, where, io, now()),
		);
}

const USE_HELP = `
A profile is a file <store>/profiles/NAME.yaml (or NAME.yml). It may set every section of config.json:

  description: for migrations
  marker:
    headroomTokens: 60000
  guard:
    mode: enforce

Examples:
  ccg profile use careful
  ccg profile use quiet --session 0c0ffee0
  ccg profile use none --session 0c0ffee0

Exit code 1 and the failing keys when a profile does not fit.`;
