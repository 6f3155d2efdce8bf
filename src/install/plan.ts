import { join, resolve } from "node:path";
import { shortLauncher } from "../store/app-folder.ts";
import { withColdLock } from "../store/lock.ts";
import { type Env, storeRoot } from "../store/paths.ts";
import { refusePathLinks } from "../store/refuse-links.ts";
import type { Allowed } from "./catalog.ts";
import { type Scope, settingsError } from "./settings-path.ts";

/** What a plan is made from. */
export interface InstallRequest extends Allowed {
	/** Of the settings; MCP server and skills are the user's, in all projects. */
	scope: Scope;
	env: Env;
	/** Absolute. */
	cwd: string;
	launcher: string;
	/** The version of Claude Code to register for; absent for one that knows every event. */
	claude?: string | null;
	/** What a plugin can't register: its hooks are in its own folder. */
	statusLineOnly?: boolean;
	/** The folder ccg's own files lie in until they are copied to where the launcher will be. */
	from?: string | undefined;
}

/**
 * A change of what Claude Code reads (a settings file, its own file with MCP servers, its folder with slash commands) as a value:
 * shown first, done by `apply`.
 */
export interface InstallPlan {
	kind: "install" | "uninstall";
	/** The file or the folder, as the user knows it. */
	path: string;
	/** The text it has; `null` where there is no file, or it is a folder. */
	before: string | null;
	/** Files that are made, edited or deleted; `null` stands for no file. */
	changes: { path: string; before: string | null; after: string | null }[];
	changed: boolean;
	/** Facts to show beside the diff, one sentence each. */
	notes: string[];
	/** The name over its diff, where it is not the file's path. */
	name?: string;
	/** What of a file's text may be shown: it may end in a transcript. */
	shown(text: string): string;
	/** The status line command that goes on running inside ours. */
	wraps?: string | undefined;
	/** Where the file as it was before the first install is kept by now; `null` when there was none. */
	backup?(): string | null;
	store: string;
	/** Does it on what stands there by then, and gives whether anything was written. */
	act(): Promise<boolean>;
}

type Planned = Omit<InstallPlan, "changed" | "notes" | "store"> & Partial<Pick<InstallPlan, "notes">>;

/** The plan of what a target found. */
export function planned(request: InstallRequest, { changes, ...target }: Planned): InstallPlan {
	const real = changes.filter(({ before, after }) => before !== after);
	return { notes: [], ...target, changes: real, changed: real.length > 0, store: storeOf(request) };
}

/**
 * Does what the plan shows, or the same edit on the text that stands there by now. Gives whether anything was written.
 * Throws `SETTINGS_READONLY`, `STORE_READONLY`, `SETTINGS_BUSY`, `SETTINGS_INVALID`, `ELOCKED`; the file is untouched then.
 */
export function apply({ store, act }: Pick<InstallPlan, "store" | "act">): Promise<boolean> {
	refusePathLinks(store, join(store, "run"));
	// where it can't be locked the swap alone must do
	return withColdLock(join(store, "run", "install"), act, { ifPossible: true });
}

/** The store that keeps the receipts. Throws `NO_HOME`. */
export function storeOf({ env, cwd }: Pick<InstallRequest, "env" | "cwd">): string {
	const store = storeRoot(env);
	if (!store) throw settingsError("NO_HOME", "there is no folder to keep the backup in; set HOME or CCG_HOME");
	return resolve(cwd, store);
}

/** A store of one's own, which goes into what is registered: a session's environment need not hold it. */
export const ownStore = ({ env, cwd }: Pick<InstallRequest, "env" | "cwd">): string | undefined =>
	env.CCG_HOME ? resolve(cwd, env.CCG_HOME) : undefined;

/** How the installation will be told: by the short command that it makes. */
export function toldIn({ launcher, env, cwd }: Pick<InstallRequest, "launcher" | "env" | "cwd">): string {
	const root = storeRoot(env);
	return root ? shortLauncher(resolve(cwd, root)) : launcher;
}
