import { isAbsolute, join, resolve } from "node:path";
import { compactionScopes } from "../../claude/machine/compaction-settings.ts";
import { isProgram } from "../../files/on-path.ts";
import { realPath } from "../../files/real-path.ts";
import { appFolder, currentLink, stableLauncher, swapLink } from "../../store/app-folder.ts";
import { makeFolder } from "../../store/atomic-write.ts";
import { claudeRoot, type Env } from "../../store/paths.ts";
import { callIn, commandsIn } from "../entries.ts";
import type { SettingsFile } from "../settings-sources.ts";

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
	for (const { hooks } of compactionScopes(env, folder) as { hooks?: { SessionStart?: unknown } }[]) {
		const starts = JSON.stringify(hooks?.SessionStart ?? "");
		// asked at every hook: only what may be one is taken apart
		if (!starts.includes("ccg") && !starts.includes("session-start")) continue;
		for (const { command } of commandsIn({ hooks: { SessionStart: hooks?.SessionStart } })) {
			const call = callIn(command);
			if (call?.part === "session-start" && isAbsolute(call.launcher) && isProgram(call.launcher)) return call.launcher;
		}
	}
	return null;
}

/**
 * The plugins named ccg that these settings name, those that are enabled first. `id` is `ccg@<marketplace>`, `root` where the last session
 * has found it. Of several, Claude Code loads one (measured on 2.1.330).
 */
export function namedPlugins(env: Env, cwd: string, sources: readonly SettingsFile[]) {
	const all = resolve(cwd, claudeRoot(env) ?? "/", "plugins", "data");
	const named: object[] = sources.toReversed().map(({ settings }) => Object(settings?.enabledPlugins));
	return Object.entries(Object.assign({}, ...named))
		.filter(([id]) => id.startsWith("ccg@"))
		.map(([id, value]) => {
			const data = join(all, id.replace(/[^A-Za-z0-9_-]/g, "-"));
			return { id, data, root: realPath(currentLink(appFolder(data))), isEnabled: value === true };
		})
		.sort((a, b) => Number(b.isEnabled) - Number(a.isEnabled));
}

/** Whether a launcher is one of the plugin's: in its folder, or the link to it. */
export const isOfPlugin = (launcher: string, { root, data }: PluginFolders): boolean =>
	[root, join(data, "app")].some((folder) => launcher.startsWith(`${folder}/`));
