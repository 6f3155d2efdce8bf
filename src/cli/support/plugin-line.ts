import { readText } from "../../files/json-file.ts";
import { isExecutable } from "../../files/on-path.ts";
import { errorText } from "../../files/system-failure.ts";
import { parseEntries } from "../../install/entries.ts";
import { hasChanges, type InstallPlan } from "../../install/plan.ts";
import { listPlugins } from "../../install/plugin/plugin-folders.ts";
import { planSettings } from "../../install/settings-plan.ts";
import { readAllSettings } from "../../install/settings-sources.ts";
import { appFolder, stableLauncherPath } from "../../store/app-folder.ts";
import { type Change, confirmAndApply } from "./change.ts";
import type { Io } from "./io.ts";

/**
 * Registers ccg's status line in the user's settings, or takes it out, as `kind` says; hooks it leaves alone. For ccg as a plugin, since a
 * plugin can't register a status line itself.
 */
export async function changePluginLine(kind: InstallPlan["kind"], planned: Change): Promise<void> {
	const { options, io } = planned;
	const request = { ...planned.request, scope: "user" as const, statusLineOnly: true };
	const change: Change = { ...planned, request };
	try {
		const launcher = kind === "install" ? pluginLauncher(io) : undefined;
		if (launcher) request.launcher = launcher;
		const settings = await planSettings(kind, request);
		const { path } = settings;
		const hasHooks = parseEntries(readText(path) ?? "").some(({ event }) => event !== null);
		if (hasHooks)
			return io.out(`\`ccg install\` has registered hooks and status line in ${path}; there is nothing to set up.`);
		if (kind === "install" && !launcher)
			throw new Error("no plugin of ccg's is enabled and was started by a session; `ccg install` registers everything");
		if (hasChanges(settings)) await confirmAndApply([settings], change);
		else io.out(`${launcher ? "Already set up" : "No status line of ccg's"}: ${path}`);
	} catch (error) {
		// a slash command shows what a dry run prints, and shows nothing where that fails
		if (!options.dryRun) throw error;
		io.out(`ccg: ${errorText(error)}`);
	}
}

/** Gives the launcher of ccg's plugin that the user's own settings enable; a repository's could enable another plugin of that name. */
function pluginLauncher({ env, cwd }: Io): string | undefined {
	const userSettings = readAllSettings({ env, cwd }).filter(({ scope }) => scope === "user");
	const enabled = listPlugins(env, cwd, userSettings).filter(({ isEnabled }) => isEnabled);
	return enabled.map(({ data }) => stableLauncherPath(appFolder(data))).find(isExecutable);
}
