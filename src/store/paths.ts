import { isAbsolute, join } from "node:path";

/** The environment as data: functions take it, only entries read `process.env`. */
export type Env = Record<string, string | undefined>;

/**
 * Where ccg keeps everything. `null` when neither `CCG_HOME` nor `HOME` is set, or the one that counts is a relative path:
 * nothing can be kept then. A hook runs wherever the session is; a store in each of those folders would clutter
 * people's repositories, and what one hook keeps the next would not find. The command line says so (`relativeFolder`).
 */
export function storeRoot(env: Env): string | null {
	const root = env.CCG_HOME || (env.HOME ? join(env.HOME, ".claude-memory") : "");
	return isAbsolute(root) ? root : null;
}

/** The variable that holds a relative path where an absolute one must stand; `null` when none does. */
export function relativeFolder(env: Env): "CCG_HOME" | "HOME" | null {
	if (env.CCG_HOME && !isAbsolute(env.CCG_HOME)) return "CCG_HOME";
	return env.HOME && !isAbsolute(env.HOME) ? "HOME" : null;
}

/** Claude Code's own folder. */
export function claudeRoot(env: Env): string | null {
	if (env.CLAUDE_CONFIG_DIR) return env.CLAUDE_CONFIG_DIR;
	return env.HOME ? join(env.HOME, ".claude") : null;
}

const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** A profile is a file of its name. */
export const PROFILE_NAME = /^[A-Za-z0-9_-]{1,40}$/;

/** Session ids become path parts, so nothing else than letters, digits, `_` and `-` passes. */
export function isSessionId(value: unknown): value is string {
	return typeof value === "string" && SESSION_ID.test(value);
}

/** Paths of one session below the store root. `sid` must have passed `isSessionId`. */
export function sessionPaths(root: string, sid: string) {
	const folder = join(root, "sessions", sid);
	return {
		folder,
		/** Tested by the pre-check, claimed by rename. */
		marker: join(root, "run", "flush", sid),
		/** Stands from a compaction until its follow-up block is injected. */
		followUpMarker: join(root, "run", "follow-up", sid),
		/** Stands while the pressure is critical and the halt gate has something to do; tested by the pre-check. */
		haltMarker: join(root, "run", "halt", sid),
		/** A task checkpoint written since the last change at critical pressure: taken by the next change. */
		changePass: join(folder, "change-pass"),
		/** The user was told of critical pressure in this cycle. */
		haltTold: join(folder, "halt-told"),
		/** The user override: the work may go on. */
		resumed: join(folder, "resumed.json"),
		/** Exists while a status line feeds this session; the transcript's tail is not read then. */
		statusLineSeen: join(root, "run", "statusline", sid),
		/** The project the session belongs to, for commands of the agent's shell. */
		project: join(root, "run", "project", sid),
		usage: join(folder, "usage.json"),
		/** Created exclusively by the one hook that nudges in this cycle. */
		nudged: join(folder, "nudged.json"),
		/** Set by PreCompact, committed by SessionStart. */
		pending: join(folder, "pending.json"),
		committed: join(folder, "committed.json"),
		/** Created exclusively by the one measurement of this cycle that has a checkpoint taken. */
		usageCheckpoint: join(folder, "usage-checkpoint"),
		/** The snapshot: what is known of the session, and the transcript offset it reaches. */
		state: join(folder, "state.json"),
		checkpoints: join(folder, "checkpoints"),
		latest: join(folder, "latest"),
		/** The latest checkpoint's time on the reader's clock, for the status line. */
		savedAt: join(folder, "saved-at"),
		/** What the last compaction lost, for the status line. */
		lossNote: join(folder, "loss-note"),
		/** ccg's own part of the last status line: bin/ccg prints it while Bun can't be started. */
		statusLine: join(folder, "status-line"),
		checkpointLog: join(folder, "checkpoint-log.jsonl"),
		/** Exclusive creates: one per checkpoint and SessionStart source. */
		injected: join(folder, "injected"),
		failure: join(folder, "last-failure.json"),
		/** What the session said and decided, line by line, only ever added to. */
		events: join(folder, "events.jsonl"),
		/** The snapshot's lock lies outside of the folder, which may be deleted. */
		contextLock: join(root, "run", "context", `${sid}.lock`),
		/** Hashes of the prompts that Claude Code handed over, only ever added to. */
		heard: join(folder, "heard-prompts"),
		/** The last batch of tool calls. */
		batch: join(folder, "batch.json"),
		/** The profile chosen for this session, compiled. */
		profile: join(folder, "profile.json"),
	};
}

export const logPath = (root: string): string => join(root, "log", "ccg.log");
export const configPath = (root: string): string => join(root, "config.json");
export const observedTriggersPath = (root: string): string => join(root, "observed-triggers.json");
export const profilesFolder = (root: string): string => join(root, "profiles");
/** The search index: derived, so that deleting it loses nothing. */
export const indexPath = (root: string): string => join(root, "index.sqlite");
export const indexLock = (root: string): string => join(root, "run", "search-index.lock");
