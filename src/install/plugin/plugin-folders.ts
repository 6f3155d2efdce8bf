import { isAbsolute } from "node:path";
import { compactionScopes } from "../../claude/machine/compaction-settings.ts";
import { isProgram } from "../../files/on-path.ts";
import { appFolder, currentLink, stableLauncher, swapLink } from "../../store/app-folder.ts";
import { makeFolder } from "../../store/atomic-write.ts";
import type { Env } from "../../store/paths.ts";
import { callIn, commandsIn } from "../entries.ts";

/** Where a plugin lies and keeps its data, as Claude Code names it to the plugin's own hooks. */
export interface PluginFolders {
	root: string;
	data: string;
}

/**
 * The folders of the plugin that this hook belongs to; `null` in a hook of a settings file. `hooks/run` says so by its last word: a
 * variable could come from a repository's settings, and a plugin's hooks get theirs from Claude Code, over those (measured on 2.1.118 to
 * 2.1.330).
 */
export function pluginFolders(words: readonly string[], env: Env): PluginFolders | null {
	if (words.at(-1) !== "plugin") return null;
	const { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: data } = env;
	if (!root || !isAbsolute(root)) return null;
	// the mod knows no folder for data, and starts nothing that needs one
	return { root, data: data && isAbsolute(data) ? data : root };
}

/** Has the launcher that a plugin's status line names lead to the plugin's folder, which each version has anew. */
export function linkPlugin({ root, data }: PluginFolders): string {
	const app = appFolder(data);
	makeFolder(app);
	swapLink(currentLink(app), root);
	return stableLauncher(app);
}

/**
 * The launcher of a ccg that a settings file of this session registers, and that is there: `null` without one. Beside it a plugin's
 * hooks have nothing to do; the settings have the status line too. Asked anew by each hook, so the plugin takes over with the
 * next event when that entry goes.
 */
export function registeredLauncher(env: Env, folder: string): string | null {
	for (const settings of compactionScopes(env, folder) as { hooks?: { SessionStart?: unknown } }[])
		for (const { command, args } of commandsIn({ hooks: { SessionStart: settings.hooks?.SessionStart } })) {
			// asked at every hook: only what may be one is taken apart
			if (!/ccg|session-start/.test(`${command} ${args}`)) continue;
			const own = callIn(command, args);
			if (own?.part === "session-start" && !own.isShared && isAbsolute(own.launcher) && isProgram(own.launcher))
				return own.launcher;
		}
	return null;
}
