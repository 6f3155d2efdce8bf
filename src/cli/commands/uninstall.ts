import { errorText } from "../../files/system-failure.ts";
import { removeUnusedCopies } from "../../install/copy-plan.ts";
import { planMcp } from "../../install/mcp-plan.ts";
import { hasChanges, type InstallPlan } from "../../install/plan.ts";
import { planSettings } from "../../install/settings-plan.ts";
import { planSkills } from "../../install/skills-plan.ts";
import { type Change, type ChangeFlags, confirmAndApply, makeChange, SCOPE, STATUS_LINE } from "../support/change.ts";
import { DRY_RUN, type Spec, YES } from "../support/command.ts";
import { changePluginLine } from "../support/plugin-line.ts";
import { printText } from "../support/text.ts";

export const uninstall: Spec = {
	about: "take ccg's entries out of Claude Code's settings; what ccg has saved stays",
	options: [SCOPE, STATUS_LINE, YES, DRY_RUN],
	help: `
Examples:
  ccg uninstall --dry-run
  ccg uninstall --scope local  # this repository's`,
	async run(io, options: ChangeFlags) {
		const change = makeChange(options, io);
		if (options.statusLine) await changePluginLine("uninstall", change);
		else await removeEntries(change);
		return undefined;
	},
};

/** Removes ccg's entries from the settings file, and its copies in the store that no settings file starts any more. */
async function removeEntries(change: Change): Promise<void> {
	const { request, options, io } = change;
	const settings = await planSettings("uninstall", request);
	// (skills first: the folder of the settings file is deleted if it is empty after that)
	const plans =
		options.scope === "user" ? [planSkills("uninstall", request), settings, ...planMcpRemoval(change)] : [settings];
	if (!plans.some(hasChanges)) {
		io.out(`No entries of ccg in ${settings.path}; nothing to do.`);
		for (const note of settings.notes) printText(note, io);
		if (options.dryRun) return;
	} else if (!(await confirmAndApply(plans, change))) return;
	const copies = removeUnusedCopies(request);
	if (copies === "in use") printText("ccg's copy in the store stays: another settings file starts it.", io);
	if (copies === "removed") printText("ccg's own files were removed from the store.", io);
}

/** Plans the removal of the MCP server. Where that fails it says so and gives no plan, so that the rest is still removed. */
function planMcpRemoval({ request, io }: Change): InstallPlan[] {
	try {
		return [planMcp("uninstall", request)];
	} catch (error) {
		io.err(`ccg: the MCP server was not taken out: ${errorText(error)}`);
		return [];
	}
}
