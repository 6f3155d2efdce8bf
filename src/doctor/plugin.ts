import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { olderThan } from "../core/pressure/model.ts";
import { isProgram } from "../files/on-path.ts";
import { catalog } from "../install/catalog.ts";
import type { FoundClaude } from "../install/claude-version.ts";
import { PLUGIN_SINCE, pluginHooks } from "../install/plugin/hooks-file.ts";
import { hasOwnBun, type InstalledPlugin, isOfPlugin } from "../install/plugin/installed-plugins.ts";
import { shellWord } from "../install/shell-word.ts";
import { readJson } from "../store/json-file.ts";
import type { DoctorCheck } from "./check.ts";
import { eventName, type SettingsEntry } from "./entries.ts";
import type { OwnEntry } from "./own.ts";

const CHECK = { id: "settings.plugin", title: "plugin" };

interface Around {
	/** Of settings files, those of `ccg setup` left out. */
	entries: readonly SettingsEntry[];
	claude: readonly FoundClaude[];
}

/** What each installed plugin does, and which of several installations works. */
export function checkPlugins(plugins: readonly InstalledPlugin[], around: Around): DoctorCheck[] {
	const [first] = plugins.filter(({ isEnabled }) => isEnabled);
	return plugins.map((plugin) => {
		const what = `${plugin.id} ${plugin.version} in ${plugin.root}`;
		if (!plugin.isEnabled)
			return {
				...CHECK,
				status: "info",
				detail: `${what} is not enabled`,
				fix: `\`claude plugin enable ${plugin.id}\``,
			};
		if (plugin !== first)
			return {
				...CHECK,
				status: "warn",
				detail: `${what} has the name of ${first!.id}: Claude Code loads one of the two`,
				fix: `\`claude plugin uninstall\` of the one that is too many`,
			};
		return { ...CHECK, ...checkEnabled(plugin, what, around) };
	});
}

function checkEnabled(
	plugin: InstalledPlugin,
	what: string,
	{ entries, claude }: Around,
): Pick<DoctorCheck, "status" | "detail" | "fix"> {
	const settings = entries.find(({ part, launcher }) => part === "session-start" && isProgram(launcher));
	if (settings)
		return {
			status: "info",
			detail: `${what} is enabled; its hooks do nothing, since ${settings.source.path} registers ccg's`,
			fix: `\`claude plugin disable ${plugin.id}\`, or \`ccg uninstall\` to have the plugin work`,
		};
	const old = claude.find(({ version }) => olderThan(version, PLUGIN_SINCE));
	if (old)
		return {
			status: "fail",
			detail: `${what}: Claude Code ${old.version} (${old.path}) is older than ${PLUGIN_SINCE.join(".")} and runs none of its hooks to any effect`,
			fix: "update Claude Code, or take `ccg install`",
		};
	const file = join(plugin.root, "hooks", "hooks.json");
	if (!isDeepStrictEqual(readJson<{ hooks: unknown }>(file)?.hooks, JSON.parse(JSON.stringify(pluginHooks().hooks))))
		return {
			status: "warn",
			detail: `${what}: ${file} is not what this ccg registers`,
			fix: `\`claude plugin marketplace update\`, then \`claude plugin update ${plugin.id}\``,
		};
	if (!hasOwnBun(plugin))
		return {
			status: "warn",
			detail: `${what} brought no Bun: npm was missing or offline, so it needs one on PATH`,
			fix: `\`claude plugin update ${plugin.id}\` with npm on PATH, or install Bun`,
		};
	const copy = plugin.copy
		? `, prepared copy ${plugin.copy}`
		: "; its first session prepares a copy that starts faster";
	return { status: "ok", detail: `${what} works${copy}` };
}

/** The status line that `ccg setup` registered: it names the plugin's copy. */
export const isPluginLine = (
	{ event, launcher }: Pick<SettingsEntry, "event" | "launcher">,
	plugins: readonly InstalledPlugin[],
): boolean => event === null && plugins.some((plugin) => isOfPlugin(launcher, plugin));

/** What runs as the plugin's hooks, where the ccg that is running is the plugin: the texts are ccg's own, not the file's. */
export function pluginCommands(plugins: readonly InstalledPlugin[], launcher: string): OwnEntry[] {
	const plugin = plugins.find((one) => one.isEnabled && isOfPlugin(launcher, one));
	if (!plugin) return [];
	const source = { scope: "user", path: join(plugin.root, "hooks", "hooks.json"), settings: null } as const;
	return catalog(launcher).hooks.map(({ event, part }) => {
		const command = `${shellWord(join(plugin.root, "hooks", "run"))} ${part}`;
		return { source, event, part, launcher, command, value: {}, isShared: false, run: command };
	});
}

/** Whose status line runs, where it is the plugin's. */
export function checkPluginLine(line: SettingsEntry | undefined): DoctorCheck[] {
	const check = { id: "settings.statusline", title: "status line" };
	if (!line)
		return [
			{
				...check,
				status: "info",
				detail: "none of ccg's: context use is read from the transcript, a step later",
				fix: "`/ccg:setup` in Claude Code registers one",
			},
		];
	if (!isProgram(line.launcher))
		return [
			{
				...check,
				status: "warn",
				detail: `${eventName(line)} in ${line.source.path} names ${line.launcher}, which is gone`,
				fix: "`/ccg:setup` in Claude Code makes it anew",
			},
		];
	return [{ ...check, status: "ok", detail: `the plugin's, in ${line.source.path}` }];
}
