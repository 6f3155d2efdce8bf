import { join } from "node:path";
import { isObject } from "../core/transcript/decode.ts";
import { readJson, readText } from "../files/json-file.ts";
import { isExecutable } from "../files/on-path.ts";
import { foldersUp } from "../files/real-path.ts";
import { catalog, entryCommand } from "../install/catalog.ts";
import { type Entry, expandHome } from "../install/entries.ts";
import { findMcpServer, isCcgServer, mcpFilePath, mcpServerEntry } from "../install/mcp-plan.ts";
import { effectiveSetting, type SettingsFile } from "../install/settings-sources.ts";
import { type CheckEntry, type Finding, fail, info, ok, toChecks, warn } from "./check.ts";
import { type DoctorFacts, eventName, renewalAdvice } from "./seen.ts";

/** What each plugin and each settings file registers, whether an install would change it, and whose status line runs. */
export const REGISTRATION: CheckEntry[] = [
	["settings.plugin", "plugin", (facts) => facts.plugins.map((plugin) => checkPlugin(plugin, facts))],
	[
		"settings.file",
		"settings file",
		(facts) =>
			facts.sources.flatMap((file) => toChecks(`settings.${file.scope}`, file.scope, checkSettingsFile(file, facts))),
	],
	[
		"settings.registered",
		"registration",
		({ entries, plugins }) =>
			entries.length > 0 || plugins[0]?.isEnabled
				? []
				: fail("no settings file holds an entry of ccg, so Claude Code never runs it", "run `ccg install`"),
	],
	["settings.statusline", "status line", checkStatusLine],
	["settings.mcp", "MCP server", checkMcpServer],
	["settings.mcp-name", "MCP server of the same name", checkServersOfSameName],
];

/** Whether a plugin of ccg is at work: enabled, the one of its name that Claude Code loads, and not replaced by a settings file's entries. */
function checkPlugin(plugin: DoctorFacts["plugins"][number], { plugins, entries }: DoctorFacts): Finding {
	const { id } = plugin;
	const settingsEntry = entries.find(({ part, launcher }) => part === "session-start" && isExecutable(launcher));
	if (!plugin.isEnabled) return info(`${id} is not enabled`, `\`claude plugin enable ${id}\``);
	if (plugin !== plugins[0])
		return warn(
			`${id} has the name of ${plugins[0]!.id}: Claude Code loads one of the two`,
			"`claude plugin uninstall` of the one that is too many",
		);
	if (settingsEntry)
		return info(
			`${id} is enabled; its hooks do nothing, since ${settingsEntry.source.path} registers ccg's`,
			`\`claude plugin disable ${id}\`, or \`ccg uninstall\` to have the plugin work`,
		);
	return ok(`${id} is enabled`);
}

/** Whether a settings file can be read, and whether ccg's entries in it are those that an install writes. */
function checkSettingsFile(file: SettingsFile, { entries: allEntries }: DoctorFacts): Finding | Finding[] {
	const { scope, path, settings, problem } = file;
	const entries = allEntries.filter(({ source }) => source === file);
	if (problem) {
		const where = problem.includes(path) ? problem : `${path}: ${problem}`;
		return fail(`Claude Code ignores the whole file. ${where}`, `mend ${path}`);
	}
	// most machines have no managed settings, and nothing is missing then
	if (settings === null) return scope === "managed" ? [] : info(`no file ${path}`);
	if (entries.length === 0) return info(`no entry of ccg in ${path}`);
	if (scope === "managed") return info(`${eventNames(entries)} in ${path}`);
	if (scope === "project")
		return info(`${eventNames(entries)} in ${path}`, "look at them: Claude Code runs them once this folder is trusted");
	const problems = checkHookEntries(file, entries);
	return problems.length > 0 ? problems : ok(`${eventNames(entries)} in ${path}`);
}

/** ccg's entries that are missing in a settings file, or differ from those that an install of the same ccg writes. */
function checkHookEntries(file: SettingsFile, entries: DoctorFacts["entries"]): Finding[] {
	const { path } = file;
	const fix = renewalAdvice(file);
	// (the status line has a check of its own)
	const { hooks } = catalog(entries[0]!.launcher);
	const missing = hooks.filter(
		({ event, part }) => !entries.some((entry) => entry.event === event && entry.part === part),
	);
	if (missing.length > 0) return [fail(`missing in ${path}: ${eventNames(missing)}`, fix)];
	const outdated = entries.filter((entry) => entryCommand(entry, entry.launcher) !== entry.command);
	return outdated.length > 0 ? [warn(`not what this version registers, in ${path}: ${eventNames(outdated)}`, fix)] : [];
}

/** The names of these entries' hook events, each once, as a list for a sentence. */
const eventNames = (entries: readonly Pick<Entry, "event">[]): string =>
	[...new Set(entries.map(eventName))].join(", ");

/** Whether the status line that Claude Code runs is ccg's. Without it ccg works, but knows the context use a step later. */
function checkStatusLine({ sources, entries, pluginStatusLine, plugins }: DoctorFacts): Finding {
	const source = effectiveSetting(sources, "statusLine", isObject)?.source;
	const candidates = pluginStatusLine ? [...entries, pluginStatusLine] : entries;
	const inUse = candidates.find((entry) => entry.event === null && entry.source === source);
	if (inUse)
		return ok(`ccg's, in ${inUse.source.path}${inUse.wrapped === undefined ? "" : `, around: ${inUse.wrapped}`}`);
	const finding = entries.length > 0 ? warn : info;
	const effect = "context use is read from the transcript, a step later";
	// a project's shared settings file is not changed: a local status line replaces it, and runs it
	const scopeOption = source && source.scope !== "user" ? " --scope local" : "";
	const isPlugin = entries.length === 0 && plugins[0]?.isEnabled;
	const fix = isPlugin ? "`/ccg:setup` in Claude Code registers one" : `\`ccg install${scopeOption}\` registers ccg's`;
	if (!source) return finding(`none: ${effect}`, fix);
	return finding(`another one, in ${source.path}: ${effect}`, `${fix}, and runs this one inside it`);
}

/** Whether the MCP server is registered as an install of this ccg would leave it. */
function checkMcpServer({ env, cwd, launcher }: DoctorFacts): Finding {
	if (!env.HOME && !env.CLAUDE_CONFIG_DIR) return info("nobody's home folder is known");
	const path = mcpFilePath({ env, cwd });
	const entry = findMcpServer(readText(path) ?? "");
	if (entry === null) return info(`not registered in ${path}`, MCP_FIX);
	if (!isCcgServer(entry)) return warn(`another server has the name ccg in ${path}`);
	const { command } = entry;
	if (!isExecutable(expandHome(command))) return fail(`${command} is gone`, MCP_FIX);
	if (!Bun.deepEquals({ ...entry, ...mcpServerEntry(launcher) }, entry, true))
		return warn(`not what this ccg registers: ${command} in ${path}`, MCP_FIX);
	return ok(`${command} mcp in ${path}`);
}

const MCP_FIX = "run `ccg install --mcp`";

/**
 * Warns of MCP servers in a repository's `.mcp.json` that have the name of ccg's server, or the one that the plugin's gets. There they replace
 * the user's own, without a question where there is no terminal, and permission rules for the name allow them (measured on 2.1.330).
 */
function checkServersOfSameName({ cwd, sources }: DoctorFacts): Finding[] {
	const ownSources = sources.filter(({ scope }) => scope === "user" || scope === "managed");
	const refused = ownSources.flatMap(({ settings }) => settings?.disabledMcpjsonServers ?? []);
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
