import { isAbsolute, join } from "node:path";
import { isPerProcessPath, realPath } from "../files/real-path.ts";

/** The environment as data: functions take it, only entries read `process.env`. */
export type Env = Record<string, string | undefined>;

/** Whether Claude Code started this command: it sets one of these variables for each. */
export const isInSession = (env: Env): boolean =>
	Boolean(env.CLAUDECODE || env.CLAUDE_CODE_SESSION_ID || env.CLAUDE_CODE_ENTRYPOINT || env.CLAUDE_PROJECT_DIR);

/**
 * The store's folder, where ccg keeps everything, without links. The launcher sets `CCG_HOME` to the store in which it lies. `null` for a
 * relative path: it would make a store in each session's folder.
 */
export function storeRoot({ CCG_HOME, HOME }: Env): string | null {
	const root = realPath(CCG_HOME || (HOME ? `${HOME}/.claude-memory` : ""));
	return isAbsolute(root) && !isPerProcessPath(root) ? root : null;
}

export const NO_STORE = "HOME is no absolute path, so there is no store; set it (a ~ in quotes is none)";

/** Claude Code's own folder; `null` where it is not known: with an empty CLAUDE_CONFIG_DIR it is the folder it was started in. */
export const claudeRoot = ({ CLAUDE_CONFIG_DIR, HOME }: Env): string | null =>
	(CLAUDE_CONFIG_DIR ?? (HOME && join(HOME, ".claude"))) || null;

/** The name that Claude Code gives a project folder's own folder below `projects`. */
export const claudeFolderName = (folder: string): string => folder.replace(/[^A-Za-z0-9]/g, "-");

/** Session ids become path parts, so nothing else than letters, digits, `_` and `-` passes. */
export const isSessionId = (value: unknown): value is string =>
	typeof value === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(value);

/** Whether a text is a process id. */
export const isPid = (text: string): boolean => /^[1-9]\d{0,9}$/.test(text);

/** Paths of one session below the store root. `sid` must have passed `isSessionId`. */
export function sessionPaths(root: string, sid: string) {
	const folder = join(root, "sessions", sid);
	const flag = (name: string): string => join(root, "run", name, sid);
	return {
		/** Stands while a compaction is near and the model does not know it; tested by the pre-check. */
		flushFlag: flag("flush"),
		/** Stands from a compaction until the model was told of it, and while a restore waits. */
		followUpFlag: flag("follow-up"),
		/** Stands while the pressure is critical and the halt gate has something to do; tested by the pre-check. */
		haltFlag: flag("halt"),
		/** ccg's part of the last status line, for bin/ccg without Bun. While it stands, the status line measures this session, not the transcript. */
		statusLine: flag("statusline"),
		/** Stands once the model was nudged, until the cycle ends. */
		nudged: flag("nudged"),
		/** What measurements use of the cycle: they need no database. */
		cycle: flag("cycle"),
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
/** Which space this machine shares with others; missing where it shares none. */
export const syncPath = (root: string): string => join(root, "sync", "space.json");
/** The report of the last synchronisation with other machines. */
export const lastSyncPath = (root: string): string => join(root, "sync", "last.json");
/** The search index; it is made from transcripts, so deleting it loses nothing. */
export const indexPath = (root: string): string => join(root, "index.sqlite");
