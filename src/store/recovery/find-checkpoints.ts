import { existsSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../files/names-in.ts";
import { isSessionId } from "../paths.ts";
import { folderOf } from "../pressure/halted-here.ts";
import { projectOf } from "../project.ts";
import { type Store, sessionAt } from "../session-handle.ts";
import { type LoggedCheckpoint, readCheckpointLog } from "./checkpoint-log.ts";
import { jsonPath, latestKey } from "./checkpoints.ts";
import { latestOfProject } from "./project-checkpoint.ts";

export interface StoredCheckpoint {
	sid: string;
	key: string;
}

/** All checkpoints of a store, or of one session, by the names of their files: the newest first. Reads none of them. */
export function storedCheckpoints({ root }: Pick<Store, "root">, sid?: string): StoredCheckpoint[] {
	const sessions = sid === undefined ? namesIn(join(root, "sessions")).filter(isSessionId) : [sid];
	// one text each, which sort by themselves: moment, number, session, key
	const found: string[] = [];
	// (all paths of each session would cost more than the look into its folder)
	for (const one of sessions)
		for (const name of namesIn(`${root}/sessions/${one}/checkpoints`)) {
			if (!name.endsWith(".json")) continue;
			const at = name.indexOf(MIDDLE) + MIDDLE.length;
			const moment = name.slice(at, at + MOMENT);
			if (at < MIDDLE.length || moment.length < MOMENT) continue;
			const n = name.slice(at + MOMENT + 1, -5) || "1";
			found.push(`${moment} ${n.padStart(6, "0")} ${one} ${name.slice(0, -5)}`);
		}
	return found
		.sort()
		.reverse()
		.map((text) => {
			const [, , of = "", key = ""] = text.split(" ");
			return { sid: of, key };
		});
}

const MIDDLE = "_checkpoint_";
/** `yyyymmdd_hhmmss` */
const MOMENT = 15;

/** How a checkpoint was found, in the order in which they are looked for. */
export type FoundBy = "latest pointer" | "log" | "pattern";

/**
 * The checkpoints a restore may mean, the likeliest first: the latest pointer's, then the log's newest, then by the names of the
 * files. Each once, and only those whose file is there.
 */
export function* candidates(
	store: Store,
	where: { sid: string } | { project: string },
): Generator<StoredCheckpoint & { by: FoundBy }> {
	const given = new Set<string>();
	const isNew = ({ sid, key }: StoredCheckpoint): boolean => {
		const name = `${sid} ${key}`;
		if (given.has(name) || !existsSync(jsonPath(sessionAt(store, sid), key))) return false;
		given.add(name);
		return true;
	};
	const pointed = pointedAt(store, where);
	if (pointed && isNew(pointed)) yield { ...pointed, by: "latest pointer" };
	const stored = storedCheckpoints(store, "sid" in where ? where.sid : undefined).filter(
		(one) => "sid" in where || projectIn(store, one.sid) === where.project,
	);
	const logged = new Set(
		[...new Set(stored.map(({ sid }) => sid))].flatMap((sid) =>
			readCheckpointLog(sessionAt(store, sid)).map(({ key }) => `${sid} ${key}`),
		),
	);
	for (const one of stored) if (logged.has(`${one.sid} ${one.key}`) && isNew(one)) yield { ...one, by: "log" };
	for (const one of stored) if (isNew(one)) yield { ...one, by: "pattern" };
}

function pointedAt(store: Store, where: { sid: string } | { project: string }): StoredCheckpoint | null {
	if ("project" in where) return latestOfProject(store.root, where.project);
	const key = latestKey(sessionAt(store, where.sid));
	return key ? { sid: where.sid, key } : null;
}

/** The sessions that hold a checkpoint of this key. */
export const sessionsWith = (store: Store, key: string): string[] =>
	namesIn(join(store.root, "sessions"))
		.filter(isSessionId)
		.filter((sid) => existsSync(jsonPath(sessionAt(store, sid), key)));

/** The project a session belongs to, as the store names it; `""` where nothing tells. */
export function projectIn(store: Store, sid: string): string {
	const session = sessionAt(store, sid);
	const folder = folderOf(session);
	if (folder) return projectOf(folder).key;
	// (a file that was imported says nothing of whose session it names)
	const own = readCheckpointLog(session).filter(({ reason }) => reason !== "imported");
	return own.findLast(({ project }) => project !== undefined)?.project ?? "";
}

/** What the logs say of checkpoints: reason, sizes, coverage. Reads each session's log once. */
export function logLines(store: Store): (one: StoredCheckpoint) => LoggedCheckpoint | null {
	const read = new Map<string, Map<string, LoggedCheckpoint>>();
	return ({ sid, key }) => {
		const known = read.get(sid) ?? new Map(readCheckpointLog(sessionAt(store, sid)).map((line) => [line.key, line]));
		read.set(sid, known);
		return known.get(key) ?? null;
	};
}
