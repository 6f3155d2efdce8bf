import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { whyOf } from "../../files/system-failure.ts";
import { findEntries } from "../../install/entries.ts";
import { dataOfLauncher, installedPlugins, isOfPlugin } from "../../install/plugin/installed-plugins.ts";
import { isListed, linkPlugin, type PluginFolders } from "../../install/plugin/plugin-folders.ts";
import { readSources } from "../../install/settings-sources.ts";
import { appFolder, stableLauncher } from "../../store/app-folder.ts";
import { claudeRoot } from "../../store/paths.ts";
import { type Change, showAndApply, tellFailure } from "./change.ts";
import { planOf, type TargetPlan } from "./install-words.ts";
import type { Io } from "./io.ts";

// The status line of ccg as a plugin, which a plugin can't register itself: `ccg install --status-line` and `uninstall`.

/** Registers it in the user's settings, and nothing else. */
export const addPluginLine = (given: Change): Promise<void> =>
	changeLine(given, false, async (change) => {
		const { request, options, io } = change;
		const folders = pluginOf(io);
		if (!folders) throw new Error("no plugin of ccg's is installed and enabled; `ccg install` registers everything");
		request.launcher = stableLauncher(appFolder(folders.data));
		const settings = await planOf("settings", "install", request);
		// what the settings will name has to be there first
		if (!options.dryRun) linkPlugin(folders);
		if (settings.changed) await showAndApply([settings], change);
		else io.out(`Already set up: the status line in ${settings.path} is ccg's.`);
	});

/** Takes it out. `isGone`: only a line that names what went with its plugin, since whoever set it up was told so. */
export const removePluginLine = (given: Change, isGone = false): Promise<void> =>
	changeLine(given, isGone, async (change, settings, line) => {
		const { io } = change;
		if (line === null) {
			if (!isGone) io.out(`No status line of ccg's in ${settings.path}; nothing to do.`);
			return;
		}
		const data = dataOfLauncher(line);
		if (isGone && (data === null || existsSync(line) || isListed({ root: ownRoot(io), data }))) return;
		await showAndApply([settings], change);
	});

/** `act` gets what taking the line out would do, and the launcher of the line in the user's file; `null` where there is none. */
async function changeLine(
	given: Change,
	isGone: boolean,
	act: (change: Change, settings: TargetPlan, line: string | null) => Promise<void>,
): Promise<void> {
	const { io } = given;
	const options = { ...given.options, scope: "user" as const, ...(isGone && { yes: true }) };
	const change: Change = { ...given, options, request: { ...given.request, scope: "user", statusLineOnly: true } };
	let settings: TargetPlan | undefined;
	try {
		settings = await planOf("settings", "uninstall", change.request);
		const entries = settings.before === null ? [] : findEntries(settings.before);
		const isInstalled = entries.some(({ event }) => event !== null);
		if (isInstalled && !isGone)
			return io.out(
				`\`ccg install\` has registered hooks and status line in ${settings.path}; there is nothing to set up.`,
			);
		await act(change, settings, isInstalled ? null : (entries[0]?.launcher ?? null));
	} catch (error) {
		// a slash command shows what this says, and is dropped where it fails
		if (options.dryRun) io.out(`ccg: ${whyOf(error)}`);
		else tellFailure(error, change, settings);
	}
}

const ownRoot = ({ launcher }: Io): string => dirname(dirname(launcher));

/**
 * The plugin this ccg belongs to, else the one that the user has enabled, since a repository's settings can enable another of that name;
 * also one that Claude Code was only shown (`--plugin-dir`).
 */
function pluginOf(io: Io): PluginFolders | null {
	const { env, cwd, launcher } = io;
	const users = readSources({ env, cwd }).filter(({ scope }) => scope === "user");
	const installed = installedPlugins(env, cwd, users);
	const own = installed.find((one) => isOfPlugin(launcher, one)) ?? installed.find(({ isEnabled }) => isEnabled);
	if (own) return own;
	const claude = claudeRoot(env);
	const data = claude && join(claude, "plugins", "data", "ccg-inline");
	const isPlugin = existsSync(join(ownRoot(io), ".claude-plugin", "plugin.json"));
	return data && isPlugin && existsSync(data) ? { root: ownRoot(io), data } : null;
}
