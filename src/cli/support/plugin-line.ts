import { readText } from "../../files/json-file.ts";
import { whyOf } from "../../files/system-failure.ts";
import { findEntries } from "../../install/entries.ts";
import { type InstallPlan, isChange } from "../../install/plan.ts";
import { installedPlugins, isOfPlugin, linkPlugin, type PluginFolders } from "../../install/plugin/plugin-folders.ts";
import { planSettings } from "../../install/settings-plan.ts";
import { readSources } from "../../install/settings-sources.ts";
import { appFolder, stableLauncher } from "../../store/app-folder.ts";
import { type Change, showAndApply } from "./change.ts";
import type { Io } from "./io.ts";

/**
 * The status line of ccg as a plugin, which a plugin can't register itself: registers it in the user's settings, and nothing else, or
 * takes it out.
 */
export async function changePluginLine(kind: InstallPlan["kind"], given: Change): Promise<void> {
	const { options, io } = given;
	const request = { ...given.request, scope: "user" as const, statusLineOnly: true };
	const change: Change = { ...given, request };
	try {
		const plugin = kind === "install" ? pluginOf(io) : null;
		if (plugin) request.launcher = stableLauncher(appFolder(plugin.data));
		const settings = await planSettings(kind, request);
		const { path } = settings;
		if (findEntries(readText(path) ?? "").some(({ event }) => event !== null))
			return io.out(`\`ccg install\` has registered hooks and status line in ${path}; there is nothing to set up.`);
		if (kind === "install" && !plugin)
			throw new Error("no plugin of ccg's is installed and enabled; `ccg install` registers everything");
		// what the settings will name has to be there first
		if (plugin && !options.dryRun) linkPlugin(plugin);
		if (isChange(settings)) await showAndApply([settings], change);
		else io.out(`${plugin ? "Already set up" : "No status line of ccg's"}: ${path}`);
	} catch (error) {
		// a slash command shows what this says, and is dropped where it fails
		if (!options.dryRun) throw error;
		io.out(`ccg: ${whyOf(error)}`);
	}
}

/** The plugin this ccg belongs to, else the one that the user has enabled, since a repository's settings can enable another of that name. */
function pluginOf({ env, cwd, launcher }: Io): PluginFolders | null {
	const users = readSources({ env, cwd }).filter(({ scope }) => scope === "user");
	const installed = installedPlugins(env, cwd, users);
	return installed.find((one) => isOfPlugin(launcher, one)) ?? installed.find(({ isEnabled }) => isEnabled) ?? null;
}
