import { whyOf } from "../../files/system-failure.ts";
import { removeUnusedCopies } from "../../install/copy-plan.ts";
import { planMcp } from "../../install/mcp-plan.ts";
import { type InstallPlan, isChange } from "../../install/plan.ts";
import { planSettings } from "../../install/settings-plan.ts";
import { planSkills } from "../../install/skills-plan.ts";
import { type Change, type ChangeOptions, planChange, SCOPE, STATUS_LINE, showAndApply } from "../support/change.ts";
import { DRY_RUN, type Spec, YES } from "../support/command.ts";
import { changePluginLine } from "../support/plugin-line.ts";
import { say } from "../support/text.ts";

export const uninstall: Spec = {
	about: "take ccg's entries out of Claude Code's settings; what ccg has saved stays",
	options: [SCOPE, STATUS_LINE, YES, DRY_RUN],
	help: `
Examples:
  ccg uninstall --dry-run
  ccg uninstall --scope local  # this repository's`,
	async act(io, options: ChangeOptions) {
		const change = planChange(options, io);
		if (options.statusLine) await changePluginLine("uninstall", change);
		else await takeOutEntries(change);
		return undefined;
	},
};

/** Takes ccg's entries out of the settings file, and deletes copies that no settings file starts any more. */
async function takeOutEntries(change: Change): Promise<void> {
	const { request, options, io } = change;
	const settings = await planSettings("uninstall", request);
	// skills first: the settings file's folder is deleted where it is empty then
	const all = options.scope === "user" ? [planSkills("uninstall", request), settings, ...mcpPlan(change)] : [settings];
	if (!all.some(isChange)) {
		io.out(`No entries of ccg in ${settings.path}; nothing to do.`);
		for (const note of settings.notes) say(note, io);
		if (options.dryRun) return;
	} else if (!(await showAndApply(all, change))) return;
	const done = removeUnusedCopies(request);
	if (done === "in use") say("ccg's copy in the store stays: another settings file starts it.", io);
	if (done === "removed") say("ccg's own files were removed from the store.", io);
}

/** Plans to take out the MCP server, which goes with the user's entries; no plan where that fails, so that all else goes. */
function mcpPlan({ request, io }: Change): InstallPlan[] {
	try {
		return [planMcp("uninstall", request)];
	} catch (error) {
		io.err(`ccg: the MCP server was not taken out: ${whyOf(error)}`);
		return [];
	}
}
