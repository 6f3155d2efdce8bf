import { olderThan } from "../core/pressure/model.ts";
import { isProgram } from "../files/on-path.ts";
import { catalog, skipsUnknownEvents, unknownEvents } from "../install/catalog.ts";
import { type FoundClaude, oldestOf } from "../install/claude-version.ts";
import { type Entry, entriesIn, findEntries, isObject } from "../install/entries.ts";
import { PLUGIN_SINCE } from "../install/plugin/hooks-file.ts";
import { type InstalledPlugin, isOfPlugin } from "../install/plugin/installed-plugins.ts";
import { effective, type SettingsFile, variable } from "../install/settings-sources.ts";
import { addEntries } from "../install/settings-text.ts";
import { type Env, storeRoot } from "../store/paths.ts";
import { type DoctorCheck, look } from "./check.ts";

/** An entry of ccg in a settings file. */
export interface SettingsEntry extends Entry {
	source: SettingsFile;
}

/** What is registered, and for whom. */
export interface Registered {
	sources: readonly SettingsFile[];
	/** Of ccg in settings files, the plugin's status line left out. */
	entries: readonly SettingsEntry[];
	/** The plugin's status line, as `ccg install --status-line` registers it. */
	line: SettingsEntry | undefined;
	/** Those that are enabled first. */
	plugins: readonly InstalledPlugin[];
	claude: readonly FoundClaude[];
	env: Env;
}

/** All entries of ccg in the files, also those that run something else beside it; the plugin's status line apart. */
export function entriesOf(
	sources: readonly SettingsFile[],
	plugins: readonly InstalledPlugin[],
): Pick<Registered, "entries" | "line"> {
	const all = sources.flatMap((source) => entriesIn(source.settings).map((entry) => ({ ...entry, source })));
	const isPluginLine = ({ event, launcher }: Entry): boolean =>
		event === null && plugins.some((plugin) => isOfPlugin(launcher, plugin));
	return { entries: all.filter((entry) => !isPluginLine(entry)), line: all.find(isPluginLine) };
}

/** How people name an entry. */
export const eventName = ({ event }: Pick<SettingsEntry, "event">): string => event ?? "StatusLine";

/** What each plugin and each settings file registers, whether an install would change it, and whose status line runs. */
export function checkRegistration(seen: Registered): DoctorCheck[] {
	const { sources, entries, plugins } = seen;
	const hasPlugin = plugins[0]?.isEnabled === true;
	const none = "no settings file holds an entry of ccg, so Claude Code never runs it";
	return [
		...plugins.map((plugin) => checkPlugin(plugin, seen)),
		...sources.flatMap((source) => checkSource(source, seen)),
		...(entries.length === 0 && !hasPlugin
			? [look("settings.registered", "registration").fail(none, "run `ccg install`")]
			: []),
		checkStatusLine(seen, entries.length === 0 && hasPlugin),
		...checkHome(seen),
	];
}

function checkSource(source: SettingsFile, { entries: all, claude }: Registered): DoctorCheck[] {
	const { scope, path, settings, problem } = source;
	const { info, fail } = look(`settings.${scope}`, scope);
	const entries = all.filter((entry) => entry.source === source);
	if (problem) {
		const where = problem.includes(path) ? problem : `${path}: ${problem}`;
		return [fail(`Claude Code ignores the whole file. ${where}`, `mend ${path}`)];
	}
	// most machines have no managed settings, and nothing is missing then
	if (settings === null) return scope === "managed" ? [] : [info(`no file ${path}`)];
	if (entries.length === 0) return [info(`no entry of ccg in ${path}`)];
	return scope === "managed" ? [info(`${names(entries)} in ${path}`)] : checkEntries(source, entries, claude);
}

/** What an install of the same ccg would change in the file, and what a Claude Code of this machine makes of it. */
function checkEntries(
	{ scope, path, text }: SettingsFile,
	entries: SettingsEntry[],
	claude: readonly FoundClaude[],
): DoctorCheck[] {
	const { ok, warn, fail } = look(`settings.${scope}`, scope);
	const fix = `run \`ccg install${scope === "user" ? "" : ` --scope ${scope}`}\``;
	const { launcher, home } = entries.find(({ isShared }) => !isShared) ?? entries[0]!;
	let wanted: Entry[];
	try {
		wanted = findEntries(addEntries(text!, catalog(launcher, home, oldestOf(claude)?.version), { path }));
	} catch (error) {
		return [fail((error as Error).message)];
	}
	const shared = entries.filter(({ isShared }) => isShared);
	const isIn = (all: readonly Entry[], { event, part }: Entry, command?: string): boolean =>
		all.some((one) => one.event === event && one.part === part && one.command === (command ?? one.command));
	// without a status line ccg works, a step later: that has a look of its own
	const absent = wanted.filter((one) => one.event !== null && !isIn(entries, one));
	const outdated = entries.filter((one) => !one.isShared && !isIn(wanted, one, one.command));
	const narrowed = entries.filter(({ isNarrowed }) => isNarrowed);
	const checks = claude.flatMap(({ version, path: program }) => {
		const events = unknownEvents(version).filter((event) => entries.some((entry) => entry.event === event));
		if (events.length === 0) return [];
		const effect = skipsUnknownEvents(version)
			? `so it skips all of ${path}, permissions and deny rules included`
			: `so what ${path} registers there never runs`;
		return [fail(`Claude Code ${version} (${program}) does not know ${events.join(", ")}, ${effect}`, fix)];
	});
	if (shared.length > 0)
		checks.push(
			warn(
				`another program runs beside ccg in ${path}: ${names(shared)}; install and uninstall leave such an entry alone`,
				`take it out of ${path}, then ${fix}`,
			),
		);
	else if (absent.length > 0) checks.push(fail(`missing in ${path}: ${names(absent)}`, fix));
	else if (outdated.length > 0)
		checks.push(warn(`not what this version registers, in ${path}: ${names(outdated)}`, fix));
	if (narrowed.length > 0) checks.push(warn(`a matcher narrows when it runs, in ${path}: ${names(narrowed)}`, fix));
	return checks.length > 0 ? checks : [ok(`${names(entries)} in ${path}`)];
}

/** What an installed plugin does, and which of several installations works. */
function checkPlugin(plugin: InstalledPlugin, { plugins, entries, claude }: Registered): DoctorCheck {
	const { id, version, root } = plugin;
	const { ok, info, warn, fail } = look("settings.plugin", "plugin");
	const what = `${id} ${version} in ${root}`;
	const settings = entries.find(({ part, launcher }) => part === "session-start" && isProgram(launcher));
	const old = claude.find((one) => olderThan(one.version, PLUGIN_SINCE));
	if (!plugin.isEnabled) return info(`${what} is not enabled`, `\`claude plugin enable ${id}\``);
	if (plugin !== plugins[0])
		return warn(
			`${what} has the name of ${plugins[0]!.id}: Claude Code loads one of the two`,
			"`claude plugin uninstall` of the one that is too many",
		);
	if (settings)
		return info(
			`${what} is enabled; its hooks do nothing, since ${settings.source.path} registers ccg's`,
			`\`claude plugin disable ${id}\`, or \`ccg uninstall\` to have the plugin work`,
		);
	if (old)
		return fail(
			`${what}: Claude Code ${old.version} (${old.path}) is older than ${PLUGIN_SINCE.join(".")} and runs none of its hooks`,
			"update Claude Code, or take `ccg install`",
		);
	return ok(`${what} works`);
}

/** Whose status line runs; `line` is the plugin's. */
function checkStatusLine({ sources, entries, line }: Registered, isPlugin: boolean): DoctorCheck {
	const { ok, info, warn } = look("settings.statusline", "status line");
	const source = effective(sources, "statusLine", isObject)?.source;
	const own = [...entries, ...(line ? [line] : [])].find((one) => one.event === null && one.source === source);
	const tell = entries.length > 0 ? warn : info;
	if (own && !isProgram(own.launcher))
		return warn(`StatusLine in ${own.source.path} names ${own.launcher}, which is gone`, "register it again");
	if (own) return ok(`ccg's, in ${own.source.path}${own.wrapped === undefined ? "" : `, around: ${own.wrapped}`}`);
	const effect = "context use is read from the transcript, a step later";
	// what a repository shares is not written to: a local one runs it inside
	const scope = source && source.scope !== "user" ? " --scope local" : "";
	const fix = isPlugin ? "`/ccg:setup` in Claude Code registers one" : `\`ccg install${scope}\` registers ccg's`;
	if (!source) return tell(`none: ${effect}`, fix);
	return tell(`another one, in ${source.path}: ${effect}`, `${fix}, and runs this one inside it`);
}

/** Entries carry the `CCG_HOME` they were installed with, and a session's own goes before; the shell of the moment may have another. */
function checkHome({ sources, entries, env }: Registered): DoctorCheck[] {
	const here = storeRoot(env);
	const byDefault = storeRoot({ ...env, CCG_HOME: undefined });
	const own = entries.filter(({ isShared }) => !isShared).map(({ home }) => home ?? byDefault);
	const block = variable(sources, "CCG_HOME");
	const other = (block ? [storeRoot({ ...env, CCG_HOME: block.value })] : own).find((store) => store !== here);
	if (other === undefined) return [];
	const where = block ? `, as "env" in ${block.source.path} says` : "";
	const detail = `the hooks keep their store in ${other}${where}, ccg in this shell uses ${here ?? "none"}`;
	const fix = "set CCG_HOME in your shell's profile, or install with the same one";
	return [look("settings.home", "store of the hooks").warn(detail, fix)];
}

const names = (entries: readonly Entry[]): string => [...new Set(entries.map(eventName))].join(", ");
