import { isAbsolute, join, resolve } from "node:path";
import { readSettings } from "../../claude/machine/compaction-settings.ts";
import { isExecutable } from "../../files/on-path.ts";
import { realPath } from "../../files/real-path.ts";
import { appFolder, currentLinkPath, replaceLink, stableLauncherPath } from "../../store/app-folder.ts";
import { makePrivateFolder } from "../../store/atomic-write.ts";
import { claudeRoot, type Env } from "../../store/paths.ts";
import { listCommands, parseCcgCommand } from "../entries.ts";
import type { SettingsFile } from "../settings-sources.ts";

/** Where a plugin lies and keeps its data, as Claude Code names it to the plugin's own hooks. */
export interface PluginFolders {
	root: string;
	data: string;
}

/**
 * The folders of the plugin that this hook belongs to; `null` in a hook of a settings file. The last word of the command tells the two apart:
 * variables alone could come from a repository's settings. A plugin's hooks get them from Claude Code (measured on 2.1.118 to 2.1.330).
 */
export function pluginFolders(commandWords: readonly string[], env: Env): PluginFolders | null {
	if (commandWords.at(-1) !== "plugin") return null;
	const { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: data } = env;
	if (!root || !isAbsolute(root)) return null;
	return { root, data: data && isAbsolute(data) ? data : root };
}

/** Links the launcher path that a plugin's status line names to the plugin's folder, which is new in each version; gives that path. */
export function linkPluginLauncher({ root, data }: PluginFolders): string {
	const app = appFolder(data);
	makePrivateFolder(app);
	replaceLink(currentLinkPath(app), root);
	return stableLauncherPath(app);
}

/**
 * The launcher that the session's settings register for SessionStart, if it exists; else `null`. With one, a plugin's hooks do nothing. Each hook
 * asks again, so the plugin takes over when that entry is removed.
 */
export function registeredLauncher(env: Env, folder: string): string | null {
	for (const { hooks } of readSettings(env, folder) as { hooks?: { SessionStart?: unknown } }[]) {
		const startHooks = JSON.stringify(hooks?.SessionStart ?? "");
		// (parsing costs time at every hook)
		if (!startHooks.includes("ccg") && !startHooks.includes("session-start")) continue;
		for (const { command } of listCommands({ hooks: { SessionStart: hooks?.SessionStart } })) {
			const call = parseCcgCommand(command);
			if (call?.part === "session-start" && isAbsolute(call.launcher) && isExecutable(call.launcher))
				return call.launcher;
		}
	}
	return null;
}

/** The plugins that these settings name: `[id, true]` is an enabled one. */
export const namedPlugins = (sources: readonly SettingsFile[]): [id: string, value: unknown][] =>
	Object.entries(Object.assign({}, ...sources.toReversed().map(({ settings }) => Object(settings?.enabledPlugins))));

/**
 * The plugins named ccg in these settings, enabled ones first. `id` is `ccg@<marketplace>`, `root` the folder that the last session ran it from.
 * Of several, Claude Code loads one (measured on 2.1.330).
 */
export function listPlugins(env: Env, cwd: string, sources: readonly SettingsFile[]) {
	const dataFolder = resolve(cwd, claudeRoot(env) ?? "/", "plugins", "data");
	return namedPlugins(sources)
		.filter(([id]) => id.startsWith("ccg@"))
		.map(([id, value]) => {
			const data = join(dataFolder, id.replace(/[^A-Za-z0-9_-]/g, "-"));
			return { id, data, root: realPath(currentLinkPath(appFolder(data))), isEnabled: value === true };
		})
		.sort((a, b) => Number(b.isEnabled) - Number(a.isEnabled));
}

/** Whether a launcher belongs to a plugin: it lies in the plugin's folder, or in the one with the link to it. */
export const isPluginLauncher = (launcher: string, { root, data }: PluginFolders): boolean =>
	[root, join(data, "app")].some((folder) => launcher.startsWith(`${folder}/`));
