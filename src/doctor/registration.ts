import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isObject } from "../core/transcript/decode.ts";
import { readJson, readText } from "../files/json-file.ts";
import { isProgram } from "../files/on-path.ts";
import { foldersUp } from "../files/real-path.ts";
import { catalog, commandFor } from "../install/catalog.ts";
import { type Entry, expandHome } from "../install/entries.ts";
import { findMcp, isOwnMcp, mcpEntry, mcpFile } from "../install/mcp-plan.ts";
import { effective, type SettingsFile } from "../install/settings-sources.ts";
import { type Finding, fail, info, type Look, ok, toChecks, warn } from "./check.ts";
import { eventName, renew, type Seen, type SettingsEntry } from "./seen.ts";

/** What each plugin and each settings file registers, whether an install would change it, and whose status line runs. */
export const REGISTRATION: Look[] = [
	["settings.plugin", "plugin", (seen) => seen.plugins.map((plugin) => pluginIn(plugin, seen))],
	[
		"settings.file",
		"settings file",
		(seen) => seen.sources.flatMap((file) => toChecks(`settings.${file.scope}`, file.scope, registeredIn(file, seen))),
	],
	[
		"settings.registered",
		"registration",
		({ entries, plugins }) =>
			entries.length > 0 || plugins[0]?.isEnabled
				? []
				: fail("no settings file holds an entry of ccg, so Claude Code never runs it", "run `ccg install`"),
	],
	["settings.statusline", "status line", statusLineInUse],
	["settings.mcp", "MCP server", registeredServer],
	["settings.mcp-name", "MCP server of the same name", serversOfSameName],
];

/** What an installed plugin does, and which of several installations works. */
function pluginIn(plugin: Seen["plugins"][number], { plugins, entries }: Seen): Finding {
	const { id } = plugin;
	const settings = entries.find(({ part, launcher }) => part === "session-start" && isProgram(launcher));
	if (!plugin.isEnabled) return info(`${id} is not enabled`, `\`claude plugin enable ${id}\``);
	if (plugin !== plugins[0])
		return warn(
			`${id} has the name of ${plugins[0]!.id}: Claude Code loads one of the two`,
			"`claude plugin uninstall` of the one that is too many",
		);
	if (settings)
		return info(
			`${id} is enabled; its hooks do nothing, since ${settings.source.path} registers ccg's`,
			`\`claude plugin disable ${id}\`, or \`ccg uninstall\` to have the plugin work`,
		);
	return ok(`${id} is enabled`);
}

function registeredIn(file: SettingsFile, { entries: all }: Seen): Finding | Finding[] {
	const { scope, path, settings, problem } = file;
	const entries = all.filter(({ source }) => source === file);
	if (problem) {
		const where = problem.includes(path) ? problem : `${path}: ${problem}`;
		return fail(`Claude Code ignores the whole file. ${where}`, `mend ${path}`);
	}
	// most machines have no managed settings, and nothing is missing then
	if (settings === null) return scope === "managed" ? [] : info(`no file ${path}`);
	if (entries.length === 0) return info(`no entry of ccg in ${path}`);
	if (scope === "managed") return info(`${names(entries)} in ${path}`);
	if (scope === "project")
		return info(`${names(entries)} in ${path}`, "look at them: Claude Code runs them once this folder is trusted");
	const found = changesOf(file, entries);
	return found.length > 0 ? found : ok(`${names(entries)} in ${path}`);
}

/** What an install of the same ccg would change in the file. */
function changesOf(file: SettingsFile, entries: SettingsEntry[]): Finding[] {
	const { path } = file;
	const fix = renew(file);
	// without a status line ccg works, a step later: that has a look of its own
	const { hooks } = catalog(entries[0]!.launcher);
	const absent = hooks.filter(({ event, part }) => !entries.some((own) => own.event === event && own.part === part));
	if (absent.length > 0) return [fail(`missing in ${path}: ${names(absent)}`, fix)];
	const other = entries.filter((own) => commandFor(own, own.launcher) !== own.command);
	return other.length > 0 ? [warn(`not what this version registers, in ${path}: ${names(other)}`, fix)] : [];
}

const names = (entries: readonly Pick<Entry, "event">[]): string => [...new Set(entries.map(eventName))].join(", ");

/** Whose status line runs. */
function statusLineInUse({ sources, entries, line, plugins }: Seen): Finding {
	const source = effective(sources, "statusLine", isObject)?.source;
	const own = [...entries, ...(line ? [line] : [])].find((one) => one.event === null && one.source === source);
	if (own) return ok(`ccg's, in ${own.source.path}${own.wrapped === undefined ? "" : `, around: ${own.wrapped}`}`);
	const tell = entries.length > 0 ? warn : info;
	const effect = "context use is read from the transcript, a step later";
	// what a repository shares is not written to: a local one runs it inside
	const scope = source && source.scope !== "user" ? " --scope local" : "";
	const isPlugin = entries.length === 0 && plugins[0]?.isEnabled;
	const fix = isPlugin ? "`/ccg:setup` in Claude Code registers one" : `\`ccg install${scope}\` registers ccg's`;
	if (!source) return tell(`none: ${effect}`, fix);
	return tell(`another one, in ${source.path}: ${effect}`, `${fix}, and runs this one inside it`);
}

/** Whether the MCP server is registered as an install of this ccg would leave it. */
function registeredServer({ env, cwd, launcher }: Seen): Finding {
	if (!env.HOME && !env.CLAUDE_CONFIG_DIR) return info("nobody's home folder is known");
	const path = mcpFile({ env, cwd });
	const entry = findMcp(readText(path) ?? "");
	if (entry === null) return info(`not registered in ${path}`, MCP_FIX);
	if (!isOwnMcp(entry)) return warn(`another server has the name ccg in ${path}`);
	const { command } = entry;
	if (!isProgram(expandHome(command))) return fail(`${command} is gone`, MCP_FIX);
	if (!isDeepStrictEqual({ ...entry, ...mcpEntry(launcher) }, entry))
		return warn(`not what this ccg registers: ${command} in ${path}`, MCP_FIX);
	return ok(`${command} mcp in ${path}`);
}

const MCP_FIX = "run `ccg install --mcp`";

/**
 * Servers of a repository that bear ccg's name, or the one that its plugin's tools are called by: in that folder they take the place of
 * the user's own, without being asked where there is no terminal, and permission rules for the name let them in (measured on 2.1.330).
 */
function serversOfSameName({ cwd, sources }: Seen): Finding[] {
	const own = sources.filter(({ scope }) => scope === "user" || scope === "managed");
	const refused = own.flatMap(({ settings }) => settings?.disabledMcpjsonServers ?? []);
	return [...foldersUp(cwd)].flatMap((folder) => {
		const path = join(folder, ".mcp.json");
		const servers = readJson<{ mcpServers: object }>(path)?.mcpServers ?? {};
		const names = Object.keys(servers).filter((name) => SAME_NAME.test(name) && !refused.includes(name));
		return names.map((name) =>
			warn(
				`${path} has a server named ${name}: there it takes the place of yours, and permission rules for that name allow what it does`,
				`add ${JSON.stringify(name)} to "disabledMcpjsonServers" in your own settings`,
			),
		);
	});
}

/** As Claude Code makes names of tools: what is no letter, digit, `_` or `-` becomes `_`. */
const SAME_NAME = /^(?:plugin[^A-Za-z0-9-]ccg[^A-Za-z0-9-])?ccg$/;
