import { isAbsolute, join } from "node:path";
import { isOfProcess, realPath } from "../files/real-path.ts";

/** The environment as data: functions take it, only entries read `process.env`. */
export type Env = Record<string, string | undefined>;

/** Whether Claude Code started this command: it sets one of these variables for each. */
export const isInSession = (env: Env): boolean =>
	Boolean(env.CLAUDECODE || env.CLAUDE_CODE_SESSION_ID || env.CLAUDE_CODE_ENTRYPOINT || env.CLAUDE_PROJECT_DIR);

/**
 * The store's folder, where ccg keeps everything, resolved. The launcher sets `CCG_HOME` to the store in which it lies; a person's own value
 * reaches `install` and `uninstall` alone. `null` where there is no absolute path: a hook runs in the session's folder, and a store in each
 * such folder would clutter people's repositories, and no hook would find what another one kept.
 */
export function storeRoot({ CCG_HOME, HOME }: Env): string | null {
	const root = realPath(CCG_HOME || (HOME ? `${HOME}/.claude-memory` : ""));
	return isAbsolute(root) && !isOfProcess(root) ? root : null;
}

export const NO_STORE = "HOME is no absolute path, so there is no store; set it (a ~ in quotes is none)";

/** Claude Code's own folder; `null` also with an empty CLAUDE_CONFIG_DIR, for which it takes each folder that it starts in (measured on 2.1.332). */
export const claudeRoot = ({ CLAUDE_CONFIG_DIR, HOME }: Env): string | null =>
	(CLAUDE_CONFIG_DIR ?? (HOME && join(HOME, ".claude"))) || null;

/** The name that Claude Code gives a folder's own folder below its `projects`. */
export const claudeName = (folder: string): string => folder.replace(/[^A-Za-z0-9]/g, "-");

/** Session ids become path parts, so nothing else than letters, digits, `_` and `-` passes. */
export const isSessionId = (value: unknown): value is string =>
	typeof value === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(value);

export const isPid = (text: string): boolean => /^[1-9]\d{0,9}$/.test(text);

/** Paths of one session below the store root. `sid` must have passed `isSessionId`. */
export function sessionPaths(root: string, sid: string) {
	const folder = join(root, "sessions", sid);
	const flag = (name: string): string => join(root, "run", name, sid);
	return {
		/** Stands while a compaction is near and the model does not know it; tested by the pre-check. */
		marker: flag("flush"),
		/** Stands from a compaction until the model has the line on it, and while a restore waits. */
		followUpMarker: flag("follow-up"),
		/** Stands while the pressure is critical and the halt gate has something to do; tested by the pre-check. */
		haltMarker: flag("halt"),
		/**
		 * ccg's own part of the last status line, for bin/ccg while Bun can't be started. While it stands, a status line feeds this session, and
		 * the transcript's tail is not read.
		 */
		statusLine: flag("statusline"),
		/** The last measurement. */
		pressure: flag("pressure"),
		/** Holds its readable checkpoints and its task. */
		folder,
	};
}

export const logPath = (root: string): string => join(root, "log", "ccg.log");
export const configPath = (root: string): string => join(root, "config.json");
export const observedTriggersPath = (root: string): string => join(root, "observed-triggers");
/** Sessions, their cycles and their checkpoints. */
export const databasePath = (root: string): string => join(root, "ccg.sqlite");
export const profilesFolder = (root: string): string => join(root, "profiles");
/** The space that this machine shares; not there where it shares none. */
export const syncPath = (root: string): string => join(root, "sync", "space.json");
/** The report of the last exchange, written at the end of each. */
export const lastSyncPath = (root: string): string => join(root, "sync", "last.json");
/** The search index: derived, so that deleting it loses nothing. */
export const indexPath = (root: string): string => join(root, "index.sqlite");
