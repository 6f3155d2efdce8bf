import type { FoundClaude } from "../install/claude-version.ts";
import { type Entry, entriesIn } from "../install/entries.ts";
import { currentCopy } from "../install/own-copy.ts";
import { isOfPlugin, namedPlugins } from "../install/plugin/plugin-folders.ts";
import { readSources, type SettingsFile } from "../install/settings-sources.ts";
import { appFolder } from "../store/app-folder.ts";
import { type Env, storeRoot } from "../store/paths.ts";
import type { Tell } from "../store/session-handle.ts";

/** Where the doctor looks. */
export interface DoctorInput {
	env: Env;
	/** Absolute; the folder whose project and local settings count. */
	cwd: string;
	/** Absolute path of the `bin/ccg` that is running. */
	launcher: string;
	/** Where to tell what the store's files are like. */
	tell: Tell;
	/** Folder of the managed settings; the platform's by default. */
	managed?: string;
	/** What Claude Code there is, looked for by default. */
	claude?: readonly FoundClaude[];
	/** For each command, 15 s by default. */
	timeLimitMs?: number;
	/** Told what is about to run. */
	progress?: ((what: string) => void) | undefined;
}

/** An entry of ccg in a settings file. */
export interface SettingsEntry extends Entry {
	source: SettingsFile;
}

export type Seen = ReturnType<typeof collectSeen>;

/** Reads once what all checks judge: settings, plugins, ccg's entries, the store's copy. */
export function collectSeen(input: DoctorInput, claude: readonly FoundClaude[]) {
	const { env, cwd, launcher: running } = input;
	const root = storeRoot(env);
	const sources = readSources(input);
	/** Those that are enabled first. */
	const plugins = namedPlugins(env, cwd, sources);
	const all: SettingsEntry[] = sources.flatMap((source) =>
		entriesIn(source.settings).map((entry) => ({ ...entry, source })),
	);
	const isPluginLine = ({ event, launcher }: Entry): boolean =>
		event === null && plugins.some((plugin) => isOfPlugin(launcher, plugin));
	const entries = all.filter((entry) => !isPluginLine(entry));
	/** The plugin's status line, as `ccg install --status-line` registers it. */
	const line = all.find(isPluginLine);
	const storeCopy = root && currentCopy(appFolder(root));
	/** The copy of ccg in the store, where something here starts it. */
	const copy =
		storeCopy && (entries.length === 0 || entries.some((entry) => entry.launcher === storeCopy.launcher))
			? storeCopy
			: null;
	/** The launcher that sessions start: the store's copy where an entry names it, else the ccg that was asked. */
	const launcher = (entries.length > 0 && copy?.launcher) || running;
	return { timeLimitMs: 15_000, ...input, claude, running, root, sources, plugins, entries, line, copy, launcher };
}

/** The command that registers ccg's entries of a settings file anew. */
export function renew({ scope, path }: SettingsFile): string {
	if (scope === "user") return "run `ccg install`";
	return scope === "local" ? "run `ccg install --scope local`" : `take ccg's entries out of ${path}`;
}

/** How people name an entry. */
export const eventName = ({ event }: Pick<Entry, "event">): string => event ?? "StatusLine";
