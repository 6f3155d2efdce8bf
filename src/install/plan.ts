import { join } from "node:path";
import { createTwoFilesPatch } from "diff";
import { coded } from "../files/system-failure.ts";
import { shortLauncher } from "../store/app-folder.ts";
import { withColdLock, withFileLock } from "../store/lock.ts";
import { type Env, storeRoot } from "../store/paths.ts";
import { refusePathLinks } from "../store/refuse-links.ts";
import type { Allowed } from "./catalog.ts";
import type { FoundClaude } from "./claude-version.ts";
import { backupIn, dropReceipt, receiptKeeper } from "./receipt.ts";
import { changeSettings, readSettled, type SettingsChange } from "./settings-file.ts";
import type { Scope } from "./settings-sources.ts";

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
	/** What is asked how it reads the settings. */
	found?: readonly FoundClaude[];
	/** What a plugin can't register: its hooks are in its own folder. */
	statusLineOnly?: boolean;
	/** The folder ccg's own files lie in until they are copied to where the launcher will be. */
	from?: string | undefined;
}

/** One of the things of Claude Code's that are changed: a settings file, its own file with MCP servers, its folder with slash commands. */
interface Target {
	/** The file or the folder, as the user knows it. */
	path: string;
	/** Its files, with what is to become of each; asked again when it is done. `path` is as the user knows it. */
	files(): (Omit<SettingsChange, "beforeWrite"> & { path: string })[];
	/** The folder of its receipt (`receiptFolder`); without one no bytes come back. */
	receipt?: string;
	/** Whether a text has been changed by an install before: then it is none that comes back. */
	isInstalled?(text: string): boolean;
	/** The file beside which Claude Code puts its lock. */
	lock?: string;
	/** Facts to show beside the diff, one sentence each. */
	notes?: string[];
	/** What of a file's text may be shown: it may end in a transcript. */
	shown?(text: string): string;
}

/** A change of what Claude Code reads as a value: shown first, done by `apply`. */
export type InstallPlan = Awaited<ReturnType<typeof planTarget>>;

/** The plan for a target. Writes nothing. Throws what reading and editing its files throws. */
export async function planTarget(kind: "install" | "uninstall", request: InstallRequest, target: Target) {
	const { path, files, receipt, isInstalled, lock, notes = [], shown = (text) => text } = target;
	const read = files().map(async ({ path, target, edit, read = readSettled }) => {
		const before = await read(target);
		return { path, before, after: edit(before) };
	});
	const all = await Promise.all(read);
	const changes = all.filter(({ before, after }) => before !== after);
	const changeFiles = async (): Promise<boolean> => {
		let wrote = false;
		for (const file of files()) {
			const keep = receipt && kind === "install" && receiptKeeper(receipt, file.target, isInstalled);
			wrote = (await changeSettings({ ...file, ...(keep && { beforeWrite: keep }) })) || wrote;
		}
		if (receipt && wrote && kind === "uninstall") dropReceipt(receipt);
		return wrote;
	};
	return {
		kind,
		path,
		/** The text of its first file; `null` where there is none. */
		before: all[0]?.before ?? null,
		/** Files that are made, edited or deleted; `null` stands for no file. */
		changes,
		changed: changes.length > 0,
		notes,
		shown,
		/** Where the file as it was before the first install is kept by now; `null` when there was none. */
		backup: () => (receipt ? backupIn(receipt) : null),
		store: receiptStore(request),
		/** Does it on what stands there by then, and gives whether anything was written. */
		act: () => (lock ? withFileLock(lock, changeFiles) : changeFiles()),
	};
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

/** The plan as the lines of unified diffs. */
export function unifiedDiff({ changes, shown }: Pick<InstallPlan, "changes" | "shown">): string[] {
	return changes.flatMap(({ path, before, after }) => {
		const head = (text: string | null): string => (text === null ? "/dev/null" : path);
		const [from, to] = [before, after].map((text) => (text === null ? "" : shown(text))) as [string, string];
		return createTwoFilesPatch(head(before), head(after), from, to)
			.replace(/^=+\r?\n/, "")
			.trimEnd()
			.split("\n");
	});
}

/** The store that keeps the receipts. Throws `NO_HOME`. */
export function receiptStore({ env }: Pick<InstallRequest, "env">): string {
	const store = storeRoot(env);
	if (!store) throw coded("NO_HOME", "there is no folder to keep the backup in; set HOME or CCG_HOME");
	return store;
}

/** How the installation will be told: by the short command that it makes. */
export const launcherToTell = (request: Pick<InstallRequest, "env">): string => shortLauncher(receiptStore(request));
