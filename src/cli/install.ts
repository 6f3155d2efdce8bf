import { type Command, Option } from "commander";
import { hookSwitches } from "../install/doctor-blockers.ts";
import { backupOf, type Plan, planInstall, requestedCatalog } from "../install/plan.ts";
import { SCOPES } from "../install/settings-path.ts";
import type { Io } from "./io.ts";
import { type Ask, type ChangeOptions, EXIT_CODES, requestOf, showAndApply, tellFailure } from "./settings-change.ts";

/** `ccg install`: registers hooks and status line in a settings file. `ask` answers in place of the terminal. */
export function registerInstall(program: Command, io: Io, ask?: Ask): void {
	program
		.command("install")
		.description("register ccg's hooks and status line in Claude Code's settings")
		.addOption(new Option("--scope <scope>", "which settings file").choices(SCOPES).default("user"))
		.option("--yes", "do not ask")
		.option("--dry-run", "show the change and write nothing")
		.option("--allow-memory", "also let the agent run `ccg memory save` without asking")
		.addHelpText("after", EXAMPLES + EXIT_CODES)
		.action((options: ChangeOptions) => install(options, io, ask));
}

const EXAMPLES = `
Examples:
  ccg install --dry-run              show what would change in ~/.claude/settings.json
  ccg install                        show it, ask, do it
  ccg install --yes --allow-memory   without a question, with the permission for \`ccg memory save\`
  ccg install --scope local          for this repository only, in .claude/settings.local.json
`;

async function install(options: ChangeOptions, io: Io, ask?: Ask): Promise<void> {
	const request = requestOf(io, options);
	let plan: Plan | undefined;
	try {
		plan = await planInstall(request);
		if (!plan.changed) {
			io.out(`Already up to date: ${plan.path}`);
			for (const note of plan.notes) io.out(note);
			return;
		}
		if (!(await showAndApply(plan, request, { io, options, ask }))) return;
		const { hooks } = requestedCatalog(request);
		const parts = [
			...new Set(hooks.map(({ event }) => event)),
			"status line",
			...(options.allowMemory ? ["memory permission"] : []),
		];
		io.out(`Registered in ${plan.path}: ${parts.join(", ")}.`);
		const backup = backupOf(plan);
		io.out(
			backup
				? `The file as it was before: ${backup}`
				: `There was no such file before; \`ccg uninstall${request.scope === "user" ? "" : ` --scope ${request.scope}`}\` deletes it.`,
		);
		io.out(
			hookSwitches(request).length > 0
				? "No session runs it as long as hooks are switched off (see the warning above). `ccg doctor` tells how it stands."
				: "Running sessions pick it up at once. `ccg doctor` checks that it works.",
		);
	} catch (error) {
		tellFailure(error, io, request, plan);
	}
}
