import type { FoundClaude } from "../install/claude-version.ts";
import { ccgEntries, type Entry } from "../install/entries.ts";
import { currentCopy } from "../install/own-copy.ts";
import { isPluginLauncher, listPlugins } from "../install/plugin/plugin-folders.ts";
import { readAllSettings, type SettingsFile } from "../install/settings-sources.ts";
import { appFolder } from "../store/app-folder.ts";
import { type Env, storeRoot } from "../store/paths.ts";
import type { OnProblem } from "../store/session-handle.ts";

/** Where the doctor looks. */
export interface DoctorInput {
	env: Env;
	/** Absolute; the folder whose project and local settings count. */
	cwd: string;
	/** Absolute path of the `bin/ccg` that is running. */
	launcher: string;
	/** Where to tell what the store's files are like. */
	onProblem: OnProblem;
	/** Folder of the managed settings; the platform's by default. */
	managed?: string;
	/** What Claude Code there is, looked for by default. */
	claude?: readonly FoundClaude[];
	/** For each command, 15 s by default. */
	timeLimitMs?: number;
	/** Told what is about to run. */
	progress?: ((what: string) => void) | undefined;
}

/** What the doctor's checks read. */
export type DoctorFacts = ReturnType<typeof collectFacts>;

/** Collects, once for all checks: settings files, plugins, ccg's entries in them, the copy of ccg in the store. */
export function collectFacts(input: DoctorInput, claude: readonly FoundClaude[]) {
	const { env, cwd, launcher: runningLauncher } = input;
	const root = storeRoot(env);
	const sources = readAllSettings(input);
	const plugins = listPlugins(env, cwd, sources);
	const allEntries = sources.flatMap((source) => ccgEntries(source.settings).map((entry) => ({ ...entry, source })));
	const isPluginStatusLine = ({ event, launcher }: Entry): boolean =>
		event === null && plugins.some((plugin) => isPluginLauncher(launcher, plugin));
	const entries = allEntries.filter((entry) => !isPluginStatusLine(entry));
	/** The plugin's status line, as `ccg install --status-line` registers it. */
	const pluginStatusLine = allEntries.find(isPluginStatusLine);
	const storeCopy = root && currentCopy(appFolder(root));
	/** The copy of ccg in the store, where something here starts it. */
	const copy =
		storeCopy && (entries.length === 0 || entries.some((entry) => entry.launcher === storeCopy.launcher))
			? storeCopy
			: null;
	/** The launcher that sessions start: the store's copy where an entry names it, else the ccg that was asked. */
	const launcher = (entries.length > 0 && copy?.launcher) || runningLauncher;
	const registered = { sources, plugins, entries, pluginStatusLine };
	return { timeLimitMs: 15_000, ...input, ...registered, claude, root, runningLauncher, copy, launcher };
}

/** What the user should do to have ccg's entries of a settings file written anew. */
export function renewalAdvice({ scope, path }: SettingsFile): string {
	if (scope === "user") return "run `ccg install`";
	return scope === "local" ? "run `ccg install --scope local`" : `take ccg's entries out of ${path}`;
}

/** The name of an entry in what the doctor prints: its hook event, or `StatusLine`. */
export const eventName = ({ event }: Pick<Entry, "event">): string => event ?? "StatusLine";
