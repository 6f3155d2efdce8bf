import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Config } from "../../core/config/config.ts";
import { listFolder, tryLstat, tryOrUndefined, tryStat } from "../../files/quietly.ts";
import { isTempFileName, STALE_MS } from "../atomic-write.ts";
import { readFromStore } from "../database.ts";
import { isSessionId } from "../paths.ts";
import { checkpointPath, deleteCheckpoint } from "../recovery/checkpoints.ts";
import { deleteSession } from "../session/cycles.ts";
import { type Session, type Store, sessionHandle } from "../session-handle.ts";

/** Something to delete, and why. */
export interface Deletion {
	what: "session" | "checkpoint" | "file";
	/** Of a session its folder, of a checkpoint its readable form. */
	path: string;
	reason: string;
}

export interface GcRequest extends Store {
	retention: Config["retention"];
	now: Date;
	/** The session that runs `ccg gc`: never deleted. */
	requesterId?: string | undefined;
}

const DAY_MS = 86_400_000;

/** Lists what is to be deleted, and deletes nothing. People's notes (MEMORY.md, daily logs) are never in the list. */
export function planGc(request: GcRequest) {
	const { root, now, requesterId, retention } = request;
	const { maxAgeDays } = retention;
	const times = new Map(readRows(request, "SELECT session, at FROM cycles", []) as [id: string, at: number][]);
	for (const name of listFolder(join(root, "sessions")))
		if (!times.has(name) && isFolder(join(root, "sessions", name))) times.set(name, 0);
	const ids = [...times.keys()].filter(isSessionId).sort();
	const isIdle = (id: string, days = 1): boolean =>
		id !== requesterId && now.getTime() - times.get(id)! >= days * DAY_MS;
	const oldIds = ids.filter((id) => isIdle(id, Math.max(1, maxAgeDays)));
	const deletions = oldIds.flatMap((id): Deletion[] => {
		const session = sessionHandle(request, id);
		const ageMs = msSinceTouched(session, now);
		if (ageMs < DAY_MS || ageMs <= maxAgeDays * DAY_MS) return [];
		const reason = `not touched for ${Math.floor(ageMs / DAY_MS)} days (more than ${maxAgeDays})`;
		return [{ what: "session", path: session.paths.folder, reason }];
	});
	const deletedIds = new Set(deletions.map(({ path }) => basename(path)));
	const isAsked = (id: string): boolean =>
		id !== requesterId && !deletedIds.has(id) && msSinceTouched(sessionHandle(request, id), now) >= DAY_MS;
	deletions.push(...planCheckpointDeletions(request, isAsked));
	deletions.push(...planFileDeletions(request, times));
	return { deletions, sessions: ids.length, live: ids.filter((id) => !isIdle(id)).length };
}

/** Whether a path is a folder, and no link to one. */
const isFolder = (path: string): boolean => tryLstat(path)?.isDirectory() === true;

/** The rows that a query selects; none where there is no store. */
const readRows = (store: Store, sql: string, values: (string | number)[]): unknown[][] =>
	readFromStore(store, (database) => database.query(sql).values(...values)) ?? [];

/** Deletes one entry of a plan; gives whether it did: a session that was used since stays. */
export function deletePlanned({ what, path }: Deletion, request: GcRequest): boolean {
	if (what === "session") {
		const session = sessionHandle(request, basename(path));
		if (msSinceTouched(session, request.now) < DAY_MS) return false;
		deleteSession(session, 0);
	} else if (what === "checkpoint")
		deleteCheckpoint(sessionHandle(request, basename(dirname(dirname(path)))), basename(path, ".md"));
	else rmSync(path, { recursive: true, force: true });
	return true;
}

/** Milliseconds since anything of a session was written: a row, a measurement, or a file in its folder. */
function msSinceTouched(session: Session, now: Date): number {
	const { folder, pressure } = session.paths;
	const [[at = 0] = []] = readRows(session, "SELECT at FROM cycles WHERE session = ?", [session.id]);
	return now.getTime() - Math.max(...[folder, pressure].map((path) => tryStat(path)?.mtimeMs ?? 0), Number(at));
}

/** Selects the checkpoints of idle sessions that are too old or too many (manual ones counted apart). The newest and those of the cycle stay. */
const OLD_CHECKPOINTS = `
SELECT session, key, own.at < ?2 FROM (
	SELECT session, key, at, row_number() OVER (PARTITION BY session, about ->> '$.type' = 'manual' ORDER BY id DESC) AS place,
		id = max(id) OVER (PARTITION BY session) AS isNewest FROM checkpoints) AS own
JOIN (SELECT session, iif(json_valid(value), value, '{}') AS cycle FROM cycles WHERE at <= ?1) USING(session)
WHERE NOT isNewest AND (place > ?3 OR own.at < ?2)
	AND key IS NOT cycle ->> '$.prepared.key' AND key IS NOT cycle ->> '$.began.key'`;

/** The moment (ISO 8601) before which checkpoints are deleted. */
export const deletionCutoff = ({ retention, now }: GcRequest): string =>
	new Date(now.getTime() - retention.maxAgeDays * DAY_MS).toISOString();

/** Lists the checkpoints of idle sessions that are too old or too many, each with the reason. */
function planCheckpointDeletions(request: GcRequest, isAsked: (id: string) => boolean): Deletion[] {
	const { maxCheckpoints, maxAgeDays } = request.retention;
	const dayAgo = request.now.getTime() - DAY_MS;
	const rows = readRows(request, OLD_CHECKPOINTS, [dayAgo, deletionCutoff(request), maxCheckpoints]);
	const asked = new Set([...new Set(rows.map(([id]) => String(id)))].filter(isAsked));
	return rows.flatMap(([id, key, isOld]): Deletion[] => {
		const path = checkpointPath(sessionHandle(request, String(id)), String(key));
		const reason = isOld ? `older than ${maxAgeDays} days` : `${maxCheckpoints} newer ones are kept`;
		return asked.has(String(id)) ? [{ what: "checkpoint", path, reason }] : [];
	});
}

/** Paths of damaged databases, rotated logs, flags and measurements. */
const LEFTOVER_PATH = /\.damaged-\d{14}|^log\/\w+\.log\.1$|^run\/[^/]+\/./;
/** Where they lie besides, and temp files of killed processes; those of `sessions` go with their session. */
const LEFTOVER_PLACES = [
	"*",
	"run/*",
	..."log install profiles projects sync".split(" ").map((folder) => `${folder}/**`),
];

/** Lists old files that nothing else deletes: `LEFTOVER_PATH`, but not those of `sessions`, and temp files. No link is followed. */
function planFileDeletions({ root, now, retention }: GcRequest, sessions: ReadonlyMap<string, unknown>): Deletion[] {
	const options = { cwd: root, dot: true, onlyFiles: false };
	const namesIn = (place: string) => tryOrUndefined(() => [...new Bun.Glob(place).scanSync(options)]) ?? [];
	const ofRun = (folder: string) =>
		listFolder(join(root, folder)).flatMap((name) => (sessions.has(name) ? [] : join(folder, name)));
	const runFolders = namesIn("run/*").filter((name) => isFolder(join(root, name)));
	return [...LEFTOVER_PLACES.flatMap(namesIn), ...runFolders.flatMap(ofRun)].flatMap((name): Deletion[] => {
		const path = join(root, name);
		const isTempFile = isTempFileName(basename(name));
		if (!isTempFile && !LEFTOVER_PATH.test(name)) return [];
		const ageMs = now.getTime() - (tryStat(path)?.mtimeMs ?? Infinity);
		if (ageMs <= (isTempFile ? STALE_MS : retention.maxAgeDays * DAY_MS)) return [];
		const reason = isTempFile ? "left by a killed process" : `older than ${retention.maxAgeDays} days`;
		return [{ what: "file", path, reason }];
	});
}
