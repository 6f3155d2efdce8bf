import { type Dirent, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Config } from "../../core/config/config.ts";
import { listEntries, tryStat } from "../../files/quietly.ts";
import { appFolder } from "../app-folder.ts";
import { isTempFileName, STALE_MS } from "../atomic-write.ts";
import { readFromStore } from "../database.ts";
import { isSessionId } from "../paths.ts";
import { checkpointPath, deleteCheckpoint } from "../recovery/checkpoints.ts";
import { deleteSession, listSessions } from "../session/cycles.ts";
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
	const isSession = (entry: Dirent): boolean => entry.isDirectory() && isSessionId(entry.name);
	const folders = listEntries(join(root, "sessions")).filter(isSession);
	const ids = [...new Set([...listSessions(request), ...folders.map(({ name }) => name)])].sort();
	const others = ids.filter((id) => id !== requesterId).map((id) => sessionHandle(request, id));
	const withAge = others.map((session) => ({ session, ageMs: msSinceTouched(session, now) }));
	const idle = withAge.filter(({ ageMs }) => ageMs >= DAY_MS);
	const deletions = idle.flatMap(({ session, ageMs }): Deletion[] => {
		if (ageMs <= maxAgeDays * DAY_MS) return planCheckpointDeletions(session, request);
		const reason = `not touched for ${Math.floor(ageMs / DAY_MS)} days (more than ${maxAgeDays})`;
		return [{ what: "session", path: session.paths.folder, reason }];
	});
	const deletedIds = new Set(deletions.flatMap(({ what, path }) => (what === "session" ? basename(path) : [])));
	deletions.push(...planFileDeletions(request, deletedIds));
	return { deletions, sessions: ids.length, live: ids.length - idle.length };
}

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

/** Selects a session's checkpoints that are too old or too many (manual ones counted apart). The newest and those of the cycle stay. */
const OLD_CHECKPOINTS = `
SELECT key, own.at < ?2 FROM (
	SELECT session, key, at, row_number() OVER (PARTITION BY about ->> '$.type' = 'manual' ORDER BY id DESC) AS place,
		id = max(id) OVER () AS isNewest FROM checkpoints WHERE session = ?1) AS own
LEFT JOIN cycles ON cycles.session = own.session AND json_valid(value)
WHERE NOT isNewest AND (place > ?3 OR own.at < ?2)
	AND key IS NOT value ->> '$.prepared.key' AND key IS NOT value ->> '$.began.key'`;

/** The moment (ISO 8601) before which checkpoints are deleted. */
export const deletionCutoff = ({ retention, now }: GcRequest): string =>
	new Date(now.getTime() - retention.maxAgeDays * DAY_MS).toISOString();

/** Lists the checkpoints of a session that are too old or too many, each with the reason. */
function planCheckpointDeletions(session: Session, request: GcRequest): Deletion[] {
	const { maxCheckpoints, maxAgeDays } = request.retention;
	const rows = readRows(session, OLD_CHECKPOINTS, [session.id, deletionCutoff(request), maxCheckpoints]);
	return rows.map(([key, isOld]) => ({
		what: "checkpoint",
		path: checkpointPath(session, String(key)),
		reason: isOld ? `older than ${maxAgeDays} days` : `${maxCheckpoints} newer ones are kept`,
	}));
}

/** Paths of damaged databases, rotated logs, flags and measurements. */
const LEFTOVER_PATH = /\.damaged-\d{14}|^log\/\w+\.log\.1$|^run\/[^/]+\/./;

/** Lists old files that nothing else deletes: `LEFTOVER_PATH`, but not those of sessions deleted anyway, and temp files of killed processes. */
function planFileDeletions({ root, now, retention }: GcRequest, deletedIds: ReadonlySet<string>): Deletion[] {
	const found: Deletion[] = [];
	for (const path of walkStore(root)) {
		const isTempFile = isTempFileName(basename(path));
		if (!isTempFile && (deletedIds.has(basename(path)) || !LEFTOVER_PATH.test(relative(root, path)))) continue;
		const [maxAgeMs, reason] = isTempFile
			? [STALE_MS, "left by a killed process"]
			: [retention.maxAgeDays * DAY_MS, `older than ${retention.maxAgeDays} days`];
		if (now.getTime() - (tryStat(path)?.mtimeMs ?? Infinity) > maxAgeMs) found.push({ what: "file", path, reason });
	}
	return found;
}

/** The paths of all files and folders in a store, 200,000 at most, without the copies of ccg itself. No link is followed. */
function* walkStore(root: string): Generator<string> {
	let remaining = 200_000;
	const folders = [root];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
		for (const entry of listEntries(folder)) {
			const path = join(folder, entry.name);
			if (remaining-- <= 0) return;
			if (path === appFolder(root)) continue;
			yield path;
			if (entry.isDirectory()) folders.push(path);
		}
}
