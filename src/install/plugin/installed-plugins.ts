import { isAbsolute, join, resolve } from "node:path";
import { isObject } from "../../core/transcript/decode.ts";
import { readJson } from "../../store/json-file.ts";
import { claudeRoot, type Env } from "../../store/paths.ts";
import type { SettingsFile } from "../settings-sources.ts";
import type { PluginFolders } from "./plugin-folders.ts";

/** A plugin of ccg's that Claude Code has installed, by its own files. */
export interface InstalledPlugin extends PluginFolders {
	/** `ccg@<marketplace>`. */
	id: string;
	version: string;
	/** By the settings of this folder. */
	isEnabled: boolean;
}

const ID = /^ccg@(.+)$/;

/** The plugins named ccg, the ones that are switched on first. Of several, Claude Code loads one (measured on 2.1.330). */
export function installedPlugins(env: Env, cwd: string, sources: readonly SettingsFile[]): InstalledPlugin[] {
	const claude = claudeRoot(env);
	const folder = claude && join(resolve(cwd, claude), "plugins");
	const all = folder && readJson<{ plugins: unknown }>(join(folder, "installed_plugins.json"))?.plugins;
	if (!folder || !isObject(all)) return [];
	return Object.entries(all)
		.flatMap(([id, value]) => {
			// one record for each scope; before 2.1 there was one alone
			const record: unknown = Array.isArray(value) ? value[0] : value;
			const marketplace = ID.exec(id)?.[1];
			if (!marketplace || !isObject(record) || typeof record.installPath !== "string") return [];
			const data = join(folder, "data", id.replace(/[^A-Za-z0-9_-]/g, "-"));
			const root = sourceFolder(folder, marketplace) ?? record.installPath;
			return [{ id, root, data, version: String(record.version), isEnabled: isOn(id, sources) }];
		})
		.sort((a, b) => Number(b.isEnabled) - Number(a.isEnabled));
}

const isOn = (id: string, sources: readonly SettingsFile[]): boolean =>
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
