import { type Command, Option } from "commander";
import { type Plan, planUninstall } from "../../install/plan.ts";
import { SCOPES } from "../../install/settings-path.ts";
import type { Io } from "../support/io.ts";
import { say } from "../support/say.ts";
import {
	type Ask,
	type ChangeOptions,
	EXIT_CODES,
	requestOf,
	showAndApply,
	tellFailure,
} from "../support/settings-change.ts";

/** `ccg uninstall`: takes ccg's entries out of a settings file again. `ask` answers in place of the terminal. */
export function registerUninstall(program: Command, io: Io, ask?: Ask): void {
	program
		.command("uninstall")
		.description("take ccg's entries out of Claude Code's settings; what ccg has saved stays")
		.addOption(new Option("--scope <scope>", "which settings file").choices(SCOPES).default("user"))
		.option("--yes", "do not ask")
		.option("--dry-run", "show the change and write nothing")
		.addHelpText("after", EXAMPLES + EXIT_CODES)
		.action((options: ChangeOptions) => uninstall(options, io, ask));
}

const EXAMPLES = `
Examples:
  ccg uninstall --dry-run         show what would change in ~/.claude/settings.json
  ccg uninstall --yes             do it without a question
  ccg uninstall --scope project   from .claude/settings.json of this folder
`;

async function uninstall(options: ChangeOptions, io: Io, ask?: Ask): Promise<void> {
	const request = requestOf(io, options);
	let plan: Plan | undefined;
	try {
		plan = await planUninstall(request);
		if (!plan.changed) {
			io.out(`No entries of ccg in ${plan.path}; nothing to do.`);
			for (const note of plan.notes) say(note, io);
			return;
		}
		const summary = [`This takes ccg's entries out of ${plan.path}. What ccg has saved stays.`];
		if (!(await showAndApply(plan, request, { io, options, ask, summary }))) return;
		io.out(`Removed from ${plan.path}. Running sessions notice at once; what ccg saved stays where it is.`);
	} catch (error) {
		tellFailure(error, io, request, plan);
	}
}
