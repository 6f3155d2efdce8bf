import { isAbsolute, join, resolve } from "node:path";
import { compactionScopes } from "../../claude/machine/compaction-settings.ts";
import { isObject } from "../../core/transcript/decode.ts";
import { readJson } from "../../files/json-file.ts";
import { isProgram } from "../../files/on-path.ts";
import { appFolder, currentLink, stableLauncher, swapLink } from "../../store/app-folder.ts";
import { makeFolder } from "../../store/atomic-write.ts";
import { claudeRoot, type Env } from "../../store/paths.ts";
import { asList, callIn, commandsIn } from "../entries.ts";
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
			if (call?.part === "session-start" && !call.isShared && isAbsolute(call.launcher) && isProgram(call.launcher))
				return call.launcher;
		}
	}
	return null;
}

const NAMED = "ccg@";

/**
 * The plugins named ccg that Claude Code has installed, by its own files; those that the settings of this folder enable come first. `id`
 * is `ccg@<marketplace>`. Of several, Claude Code loads one (measured on 2.1.330).
 */
export function installedPlugins(env: Env, cwd: string, sources: readonly SettingsFile[]) {
	const claude = claudeRoot(env);
	const folder = claude && join(resolve(cwd, claude), "plugins");
	const all = folder && readJson<{ plugins: unknown }>(join(folder, "installed_plugins.json"))?.plugins;
	if (!folder || !isObject(all)) return [];
	return Object.entries(all)
		.flatMap(([id, value]) => {
			// one record for each scope
			const [record] = asList(value);
			const marketplace = id.startsWith(NAMED) ? id.slice(NAMED.length) : "";
			if (!marketplace || !isObject(record) || typeof record.installPath !== "string") return [];
			const data = join(folder, "data", id.replace(/[^A-Za-z0-9_-]/g, "-"));
			const root = sourceFolder(folder, marketplace) ?? record.installPath;
			return [{ id, root, data, version: String(record.version), isEnabled: isEnabledIn(id, sources) }];
		})
		.sort((a, b) => Number(b.isEnabled) - Number(a.isEnabled));
}

const isEnabledIn = (id: string, sources: readonly SettingsFile[]): boolean =>
	sources
		.map(({ settings }) => (isObject(settings?.enabledPlugins) ? settings.enabledPlugins[id] : undefined))
		.find((value) => typeof value === "boolean") === true;

/** Of a marketplace that is a folder, what runs is the plugin in it, no copy; `null` for any other. */
function sourceFolder(folder: string, marketplace: string): string | null {
	const known = readJson<Record<string, unknown>>(join(folder, "known_marketplaces.json"))?.[marketplace];
	if (!isObject(known) || !isObject(known.source)) return null;
	const { source, path } = known.source;
	if (source !== "directory" || typeof path !== "string" || !isAbsolute(path)) return null;
	const file = readJson<{ plugins: unknown }>(join(path, ".claude-plugin", "marketplace.json"));
	const own = (Array.isArray(file?.plugins) ? file.plugins : []).find((one) => isObject(one) && one.name === "ccg");
	return typeof own?.source === "string" ? resolve(path, own.source) : null;
}

/** Whether a launcher is one of the plugin's: in its folder, or the link to it. */
export const isOfPlugin = (launcher: string, { root, data }: PluginFolders): boolean =>
	[root, join(data, "app")].some((folder) => launcher.startsWith(`${folder}/`));
