import { appendFileSync, closeSync, existsSync, openSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Checkpoint, checkpointKey } from "../core/recovery/checkpoint.ts";
import { checkpointMarkdown } from "../core/recovery/checkpoint-markdown.ts";
import { makeFolder, writeFileAtomic } from "./atomic-write.ts";
import { readJson, readText, writeJson } from "./json-file.ts";
import { sessionPaths } from "./paths.ts";

/** A compaction that PreCompact prepared for. Pending until SessionStart, PostCompact or a boundary proves it. */
export interface Pending {
	key: string;
	at: string;
	trigger: string;
	/** On versions that do not mark a subagent's compaction: it does not look like the main thread's. */
	doubtful?: boolean;
}

/** Path of a checkpoint's readable form. */
export const checkpointPath = (root: string, sid: string, key: string): string =>
	join(sessionPaths(root, sid).checkpoints, `${key}.md`);

/** Writes JSON and Markdown, then the latest pointer and the log line; the pointer never names a half-written checkpoint. */
export function saveCheckpoint(
	root: string,
	sid: string,
	now: Date,
	content: Omit<Checkpoint, "key" | "version" | "at" | "session">,
): Checkpoint {
	const paths = sessionPaths(root, sid);
	let n = 1;
	while (existsSync(join(paths.checkpoints, `${checkpointKey(now, n)}.json`))) n++;
	const checkpoint: Checkpoint = {
		version: 1,
		key: checkpointKey(now, n),
		at: now.toISOString(),
		session: sid,
		...content,
	};
	const { key } = checkpoint;
	writeFileAtomic(checkpointPath(root, sid, key), checkpointMarkdown(checkpoint), { sync: false });
	writeJson(join(paths.checkpoints, `${key}.json`), checkpoint, { durable: true });
	writeFileAtomic(paths.latest, `${key}\n`, { sync: false });
	const { at, trigger } = checkpoint;
	appendFileSync(
		paths.checkpointLog,
		`${JSON.stringify({ key, type: "precompact", at, trigger, tokens: content.state.tokens })}\n`,
		{ mode: 0o600 },
	);
	return checkpoint;
}

/** A saved checkpoint, or `null` when it is missing, torn or not ours. */
export function loadCheckpoint(root: string, sid: string, key: string): Checkpoint | null {
	if (!/^[a-z]+_checkpoint_[0-9_]+$/.test(key)) return null;
	const checkpoint = readJson<Checkpoint>(join(sessionPaths(root, sid).checkpoints, `${key}.json`));
	return checkpoint?.version === 1 && checkpoint.key === key && checkpoint.state ? (checkpoint as Checkpoint) : null;
}

export const latestKey = (root: string, sid: string): string | null =>
	readText(sessionPaths(root, sid).latest)?.trim() || null;

export const setPending = (root: string, sid: string, pending: Pending): void =>
	writeJson(sessionPaths(root, sid).pending, pending, { durable: true });

export const readPending = (root: string, sid: string): Pending | null =>
	asPending(readJson<Pending>(sessionPaths(root, sid).pending));
export const readCommitted = (root: string, sid: string): Pending | null =>
	asPending(readJson<Pending>(committedPath(root, sid)));

/** Pending becomes committed: by rename, so that of two events that see it at once one succeeds. */
export function commitPending(root: string, sid: string): boolean {
	try {
		renameSync(sessionPaths(root, sid).pending, committedPath(root, sid));
		return true;
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return false;
		throw error;
	}
}

export const setCommitted = (root: string, sid: string, pending: Pending): void =>
	writeJson(committedPath(root, sid), pending);

/** True for the first who gives this checkpoint back at this kind of start; false ever after. */
export function claimGiving(root: string, sid: string, key: string, source: string): boolean {
	const folder = sessionPaths(root, sid).given;
	makeFolder(folder);
	try {
		closeSync(openSync(join(folder, `${key}.${source}`), "wx", 0o600));
		return true;
	} catch (error) {
		if ((error as { code?: string }).code === "EEXIST") return false;
		throw error;
	}
}

/** When this checkpoint was given at this kind of start, in milliseconds; `null` when it was not. */
export function givenAt(root: string, sid: string, key: string, source: string): number | null {
	try {
		return statSync(join(sessionPaths(root, sid).given, `${key}.${source}`)).mtimeMs;
	} catch {
		return null;
	}
}

const committedPath = (root: string, sid: string): string => join(sessionPaths(root, sid).folder, "committed.json");

function asPending(value: Partial<Pending> | null): Pending | null {
	return typeof value?.key === "string" && typeof value.at === "string"
		? { trigger: "", ...value, key: value.key, at: value.at }
		: null;
}
