import { createTwoFilesPatch } from "diff";
import { codedError } from "../files/system-failure.ts";
import { shortLauncherPath } from "../store/app-folder.ts";
import { type Env, storeRoot } from "../store/paths.ts";
import type { Scope } from "./settings-sources.ts";

/** What a plan is made from. */
export interface InstallRequest {
	/** Of the settings; MCP server and skills are the user's, in all projects. */
	scope: Scope;
	env: Env;
	/** Absolute. */
	cwd: string;
	launcher: string;
	/** The agent may run some commands without being asked. */
	allow?: boolean | undefined;
	/** What a plugin can't register: its hooks are in its own folder. */
	statusLineOnly?: boolean;
	/** The folder ccg's own files lie in until they are copied to where the launcher will be. */
	from?: string | undefined;
}

/** A change of something that Claude Code reads, as a value: shown first, then done. */
export interface InstallPlan {
	kind: "install" | "uninstall";
	target: "settings" | "mcp" | "skills";
	/** The file or the folder, as the user knows it. */
	path: string;
	/** Files that are made, edited or deleted, by the paths that the user knows; `null` stands for no file. */
	changes: { path: string; before: string | null; after: string | null }[];
	/** What is run instead of changing files, as it could be typed. */
	commands: string[];
	/** Facts to show beside the change, one sentence each. */
	notes: string[];
	/** What of a file's text may be shown: it may end in a transcript. */
	shown?(text: string): string;
	/** Where the file as it was before the first install is kept by now; `null` when there was none. */
	backup?(): string | null;
	/** Makes the change, on what the files hold by then. Throws when it can't be made. */
	apply(): Promise<void>;
}

/** Whether a plan would change a file or run a command. */
export const hasChanges = ({ changes, commands }: InstallPlan): boolean => changes.length + commands.length > 0;

/** The changes of a plan as the lines of unified diffs; `shown` hides what must not be printed. */
export function unifiedDiff({ changes, shown = (text) => text }: Pick<InstallPlan, "changes" | "shown">): string[] {
	return changes.flatMap(({ path, before, after }) => {
		const fileName = (text: string | null): string => (text === null ? "/dev/null" : path);
		const [from, to] = [before, after].map((text) => (text === null ? "" : shown(text))) as [string, string];
		return createTwoFilesPatch(fileName(before), fileName(after), from, to)
			.replace(/^=+\r?\n/, "")
			.trimEnd()
			.split("\n");
	});
}

/** The store that keeps the backups of settings files. Throws `NO_HOME`. */
export function backupStore({ env }: Pick<InstallRequest, "env">): string {
	const store = storeRoot(env);
	if (!store) throw codedError("NO_HOME", "there is no folder to keep the backup in; set HOME or CCG_HOME");
	return store;
}

/** The short path of the launcher that an install makes, for people and agents to type. */
export const shortLauncherFor = (request: Pick<InstallRequest, "env">): string =>
	shortLauncherPath(backupStore(request));
