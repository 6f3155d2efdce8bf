import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { olderThan } from "../core/pressure/model.ts";
import { counted } from "../core/text/text.ts";
import { isProgram } from "../files/on-path.ts";
import { catalog, commandFor, skipsUnknownEvents, unknownEvents } from "../install/catalog.ts";
import { type FoundClaude, isTooOld, madeFor, oldestOf } from "../install/claude-version.ts";
import { type Entry, entriesIn, findEntries, isObject } from "../install/entries.ts";
import { PLUGIN_SINCE, pluginHooks } from "../install/plugin/hooks-file.ts";
import { hasOwnBun, type InstalledPlugin, isOfPlugin } from "../install/plugin/installed-plugins.ts";
import { effective, type SettingsFile } from "../install/settings-sources.ts";
import { addEntries } from "../install/settings-text.ts";
import { readJson } from "../store/json-file.ts";
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

const STATUS_LINE = look("settings.statusline", "status line");

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
		entries.length === 0 && hasPlugin ? checkPluginLine(seen.line) : checkStatusLine(sources, entries),
		...checkHome(seen),
	];
}

function checkSource(source: SettingsFile, { entries: all, claude }: Registered): DoctorCheck[] {
	const { scope, path, settings, problem } = source;
	const { info, fail } = look(`settings.${scope}`, scope);
	const entries = all.filter((entry) => entry.source === source);
	if (problem) {
		const where = problem.includes(path) ? problem : `${path}: ${problem}`;
		const fix = scope === "managed" ? "tell whoever manages this machine" : `mend ${path}`;
		return [fail(`Claude Code ignores the whole file. ${where}`, fix)];
	}
	// most machines have no managed settings, and nothing is missing then
	if (settings === null) return scope === "managed" ? [] : [info(`no file ${path}`)];
	if (entries.length === 0) return [info(`no entry of ccg in ${path}`)];
	if (scope === "managed") return [info(`${counted(entries.length, "entry", "entries")} in ${path}`)];
	return checkEntries(source, entries, claude);
}

/** What an install of the same ccg would change in the file. */
function checkEntries(
	{ scope, path, text }: SettingsFile,
	entries: SettingsEntry[],
	claude: readonly FoundClaude[],
): DoctorCheck[] {
	const { ok, warn, fail } = look(`settings.${scope}`, scope);
	const fix = `run \`ccg install${scope === "user" ? "" : ` --scope ${scope}`}\``;
	const own = entries.filter(({ isShared }) => !isShared);
	const { launcher, home } = own[0] ?? entries[0]!;
	const wanted = catalog(launcher, home, oldestOf(claude)?.version ?? madeFor(own));
	let after: Entry[];
	try {
		after = findEntries(addEntries(text!, wanted, { path }));
	} catch (error) {
		return [fail((error as Error).message)];
	}
	const isIn = (all: readonly Entry[], { event, part }: Entry, command?: string): boolean =>
		all.some((one) => one.event === event && one.part === part && (command ?? one.command) === one.command);
	const absent = after.filter((one) => one.event !== null && !isIn(entries, one));
	const gone = own.filter((one) => !isIn(after, one, one.command));
	const outdated = gone.filter((one) => isIn(after, one) || commandFor(one, launcher) === null);
	const shared = entries.filter((entry) => entry.isShared);
	const narrowed = entries.filter(isNarrowed);
	const found = [
		absent.length > 0 &&
			(gone.some(({ event }) => event === "PostToolUse")
				? warn(`${path} was made for an older Claude Code: ${names(absent)} can be had now`, fix)
				: fail(`missing in ${path}: ${names(absent)}`, fix)),
		shared.length > 0 &&
			warn(
				`another program runs beside ccg in ${path}: ${names(shared)}; install and uninstall leave such an entry alone`,
				`take it out of ${path}, then ${fix}`,
			),
		outdated.length > 0 && warn(`not what this version registers, in ${path}: ${names(outdated)}`, fix),
		narrowed.length > 0 &&
			warn(`a matcher narrows when it runs, in ${path}: ${names(narrowed)}`, "take the matcher out"),
	];
	const unknown = unknownTo(claude, entries, path).map((detail) => fail(detail, fix));
	const checks = [...unknown, ...found.filter((one) => one !== false)];
	return checks.length > 0 ? checks : [ok(`${names(entries)} in ${path}`)];
}

/** Whether the group around it says when it runs. */
function isNarrowed({ source: { settings }, event, at }: SettingsEntry): boolean {
	if (event === null) return false;
	const { matcher } = (settings!.hooks as Record<string, { matcher?: unknown }[]>)[event]![Number(at[2])]!;
	return typeof matcher === "string" && matcher !== "" && matcher !== "*";
}

/** What a Claude Code of this machine makes of events it does not know. */
function unknownTo(claude: readonly FoundClaude[], entries: SettingsEntry[], path: string): string[] {
	return claude.flatMap((found) => {
		const who = `Claude Code ${found.version} (${found.path})`;
		const skips = `so it skips all of ${path}, permissions and deny rules included`;
		if (isTooOld(found.version)) return [`${who} is older than 2.0.30: it does not know every event, ${skips}`];
		const events = unknownEvents(found.version).filter((event) => entries.some((entry) => entry.event === event));
		if (events.length === 0) return [];
		const effect = skipsUnknownEvents(found.version) ? skips : `so what ${path} registers there never runs`;
		return [`${who} does not know ${events.join(", ")}, ${effect}`];
	});
}

/** What an installed plugin does, and which of several installations works. */
function checkPlugin(plugin: InstalledPlugin, { plugins, entries, claude }: Registered): DoctorCheck {
	const { id, version, root, copy } = plugin;
	const { ok, info, warn, fail } = look("settings.plugin", "plugin");
	const what = `${id} ${version} in ${root}`;
	const settings = entries.find(({ part, launcher }) => part === "session-start" && isProgram(launcher));
	const old = claude.find((one) => olderThan(one.version, PLUGIN_SINCE));
	const file = join(root, "hooks", "hooks.json");
	const wanted: unknown = JSON.parse(JSON.stringify(pluginHooks().hooks));
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
			`${what}: Claude Code ${old.version} (${old.path}) is older than ${PLUGIN_SINCE.join(".")} and runs none of its hooks to any effect`,
			"update Claude Code, or take `ccg install`",
		);
	if (!isDeepStrictEqual(readJson<{ hooks: unknown }>(file)?.hooks, wanted))
		return warn(
			`${what}: ${file} is not what this ccg registers`,
			`\`claude plugin marketplace update\`, then \`claude plugin update ${id}\``,
		);
	if (!hasOwnBun(plugin))
		return warn(
			`${what} brought no Bun: npm was missing or offline, so it needs one on PATH`,
			`\`claude plugin update ${id}\` with npm on PATH, or install Bun`,
		);
	return ok(
		`${what} works${copy ? `, prepared copy ${copy}` : "; its first session prepares a copy that starts faster"}`,
	);
}

function checkPluginLine(line: SettingsEntry | undefined): DoctorCheck {
	if (!line)
		return STATUS_LINE.info(
			"none of ccg's: context use is read from the transcript, a step later",
			"`/ccg:setup` in Claude Code registers one",
		);
	const { launcher, source } = line;
	if (isProgram(launcher)) return STATUS_LINE.ok(`the plugin's, in ${source.path}`);
	const fix = "`/ccg:setup` in Claude Code makes it anew";
	return STATUS_LINE.warn(`${eventName(line)} in ${source.path} names ${launcher}, which is gone`, fix);
}

function checkStatusLine(sources: readonly SettingsFile[], entries: readonly SettingsEntry[]): DoctorCheck {
	const { ok, info, warn } = STATUS_LINE;
	const source = effective(sources, "statusLine", isObject)?.source;
	const tell = entries.length > 0 ? warn : info;
	if (!source)
		return tell("none: context use is read from the transcript, a step later", "`ccg install` registers one");
	const own = entries.find((entry) => entry.event === null && entry.source === source);
	if (own) return ok(`ccg's, in ${source.path}${own.wrapped === undefined ? "" : `, around: ${own.wrapped}`}`);
	// what a repository shares is not written to: a local one runs it inside
	const option = source.scope === "user" ? "" : " --scope local";
	const fix = source.scope === "managed" ? undefined : `\`ccg install${option}\` keeps it and runs it inside ccg's`;
	if (tell === info) return info(`${source.scope === "user" ? "yours" : "another one"}, in ${source.path}`, fix);
	const hidden = entries.find((entry) => entry.event === null);
	const instead = hidden ? `. It takes the place of ccg's in ${hidden.source.path}.` : "";
	const effect = "it does not feed ccg, which reads the transcript instead, a step later";
	return warn(`another one, in ${source.path}: ${effect}${instead}`, fix);
}

/** Entries carry the `CCG_HOME` they were installed with, and a session's own goes before; the shell of the moment may have another. */
function checkHome({ sources, entries, env }: Registered): DoctorCheck[] {
	const here = storeRoot(env);
	const byDefault = storeRoot({ ...env, CCG_HOME: undefined });
	const block = effective(sources, "env", hasHome);
	const own = entries.filter(({ isShared }) => !isShared).map(({ home }) => home ?? byDefault);
	const other = (block ? [block.value.CCG_HOME] : own).find((store) => store !== here);
	if (other === undefined) return [];
	const where = block ? `, as "env" in ${block.source.path} says` : "";
	const detail = `the hooks keep their store in ${other}${where}, ccg in this shell uses ${here ?? "none"}`;
	const fix = "set CCG_HOME in your shell's profile, or install with the same one";
	return [look("settings.home", "store of the hooks").warn(detail, fix)];
}

const hasHome = (value: unknown): value is { CCG_HOME: string } =>
	isObject(value) && typeof value.CCG_HOME === "string";

const names = (entries: readonly Entry[]): string => [...new Set(entries.map(eventName))].join(", ");
