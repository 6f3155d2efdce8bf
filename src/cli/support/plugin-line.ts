import { readText } from "../../files/json-file.ts";
import { isProgram } from "../../files/on-path.ts";
import { whyOf } from "../../files/system-failure.ts";
import { findEntries } from "../../install/entries.ts";
import { type InstallPlan, isChange } from "../../install/plan.ts";
import { namedPlugins } from "../../install/plugin/plugin-folders.ts";
import { planSettings } from "../../install/settings-plan.ts";
import { readSources } from "../../install/settings-sources.ts";
import { appFolder, stableLauncher } from "../../store/app-folder.ts";
import { type Change, showAndApply } from "./change.ts";
import type { Io } from "./io.ts";

/**
 * Registers ccg's status line in the user's settings, and nothing else, or takes it out: for ccg as a plugin, since a plugin can't register
 * one itself.
 */
export async function changePluginLine(kind: InstallPlan["kind"], given: Change): Promise<void> {
	const { options, io } = given;
	const request = { ...given.request, scope: "user" as const, statusLineOnly: true };
	const change: Change = { ...given, request };
	try {
		const launcher = kind === "install" ? pluginLauncher(io) : undefined;
		if (launcher) request.launcher = launcher;
		const settings = await planSettings(kind, request);
		const { path } = settings;
		if (findEntries(readText(path) ?? "").some(({ event }) => event !== null))
			return io.out(`\`ccg install\` has registered hooks and status line in ${path}; there is nothing to set up.`);
		if (kind === "install" && !launcher)
			throw new Error("no plugin of ccg's is enabled and was started by a session; `ccg install` registers everything");
		if (isChange(settings)) await showAndApply([settings], change);
		else io.out(`${launcher ? "Already set up" : "No status line of ccg's"}: ${path}`);
	} catch (error) {
		// a slash command shows what a dry run prints, and shows nothing where that fails
		if (!options.dryRun) throw error;
		io.out(`ccg: ${whyOf(error)}`);
	}
}

/** Gives the launcher of ccg's plugin that the user's own settings enable; a repository's could enable another plugin of that name. */
function pluginLauncher({ env, cwd }: Io): string | undefined {
	const users = readSources({ env, cwd }).filter(({ scope }) => scope === "user");
	const enabled = namedPlugins(env, cwd, users).filter(({ isEnabled }) => isEnabled);
	return enabled.map(({ data }) => stableLauncher(appFolder(data))).find(isProgram);
}
