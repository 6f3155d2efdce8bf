import { type Dirent, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Config } from "../../core/config/config.ts";
import { entriesOf, quietStat } from "../../files/quietly.ts";
import { appFolder } from "../app-folder.ts";
import { isStaleTempFile, STALE_MS } from "../atomic-write.ts";
import { fromStore } from "../database.ts";
import { isSessionId } from "../paths.ts";
import { checkpointPath, deleteCheckpoint } from "../recovery/checkpoints.ts";
import { deleteSession, listSessions } from "../session/cycles.ts";
import { type Session, type Store, sessionAt } from "../session-handle.ts";

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
	/** The session that asks: never touched. */
	asking?: string | undefined;
}

const DAY_MS = 86_400_000;

/** Lists what retention deletes, and changes nothing. People's notes (MEMORY.md, daily logs) are never in the list. */
export function planGc(request: GcRequest) {
	const { root, now, asking, retention } = request;
	const { maxAgeDays } = retention;
	const isSession = (entry: Dirent): boolean => entry.isDirectory() && isSessionId(entry.name);
	const folders = entriesOf(join(root, "sessions")).filter(isSession);
	const ids = [...new Set([...listSessions(request), ...folders.map(({ name }) => name)])].sort();
	const others = ids.filter((id) => id !== asking).map((id) => sessionAt(request, id));
	const aged = others.map((session) => ({ session, ageMs: sinceTouched(session, now) }));
	const resting = aged.filter(({ ageMs }) => ageMs >= DAY_MS);
	const deletions = resting.flatMap(({ session, ageMs }): Deletion[] => {
		if (ageMs <= maxAgeDays * DAY_MS) return oldCheckpoints(session, request);
		const reason = `not touched for ${Math.floor(ageMs / DAY_MS)} days (more than ${maxAgeDays})`;
		return [{ what: "session", path: session.paths.folder, reason }];
	});
	const deletedIds = new Set(deletions.flatMap(({ what, path }) => (what === "session" ? basename(path) : [])));
	deletions.push(...leftFiles(request, deletedIds));
	return { deletions, sessions: ids.length, live: ids.length - resting.length };
}

const ask = (store: Store, sql: string, given: (string | number)[]): unknown[][] =>
	fromStore(store, (database) => database.query(sql).values(...given)) ?? [];

/** Deletes one entry of a plan; gives whether it did: a session that was touched since stays. */
export function deleteOne({ what, path }: Deletion, request: GcRequest): boolean {
	if (what === "session") {
		const session = sessionAt(request, basename(path));
		if (sinceTouched(session, request.now) < DAY_MS) return false;
		deleteSession(session, 0);
	} else if (what === "checkpoint")
		deleteCheckpoint(sessionAt(request, basename(dirname(dirname(path)))), basename(path, ".md"));
	else rmSync(path, { recursive: true, force: true });
	return true;
}

/** Milliseconds since a session was touched: since its last row, its last measurement, or a change in its folder. */
function sinceTouched(session: Session, now: Date): number {
	const { folder, pressure } = session.paths;
	const [[at = 0] = []] = ask(session, "SELECT at FROM cycles WHERE session = ?", [session.id]);
	return now.getTime() - Math.max(...[folder, pressure].map((path) => quietStat(path)?.mtimeMs ?? 0), Number(at));
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
export const oldestKept = ({ retention, now }: GcRequest): string =>
	new Date(now.getTime() - retention.maxAgeDays * DAY_MS).toISOString();

/** The deletions of a session's checkpoints, each with its reason. */
function oldCheckpoints(session: Session, request: GcRequest): Deletion[] {
	const { maxCheckpoints, maxAgeDays } = request.retention;
	return ask(session, OLD_CHECKPOINTS, [session.id, oldestKept(request), maxCheckpoints]).map(([key, isOld]) => ({
		what: "checkpoint",
		path: checkpointPath(session, String(key)),
		reason: isOld ? `older than ${maxAgeDays} days` : `${maxCheckpoints} newer ones are kept`,
	}));
}

/** Paths of damaged databases, rotated logs, flags and measurements. */
const LEFT = /\.damaged-\d{14}|^log\/\w+\.log\.1$|^run\/[^/]+\/./;

/** Old files that nobody else deletes: paths that `LEFT` matches, but for sessions in `deletedIds`, and temp files of killed processes. */
function leftFiles({ root, now, retention }: GcRequest, deletedIds: ReadonlySet<string>): Deletion[] {
	const found: Deletion[] = [];
	const { maxAgeDays } = retention;
	for (const path of storeFiles(root)) {
		const isDraft = isStaleTempFile(basename(path));
		if (!isDraft && (deletedIds.has(basename(path)) || !LEFT.test(relative(root, path)))) continue;
		const [mostMs, reason] = isDraft
			? [STALE_MS, "left by a killed process"]
			: [maxAgeDays * DAY_MS, `older than ${maxAgeDays} days`];
		if (now.getTime() - (quietStat(path)?.mtimeMs ?? Infinity) > mostMs) found.push({ what: "file", path, reason });
	}
	return found;
}

/** The paths of files and folders in a store, without ccg's own copies, 200,000 at most. No link is followed. */
function* storeFiles(root: string): Generator<string> {
	let remaining = 200_000;
	const folders = [root];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
		for (const entry of entriesOf(folder)) {
			const path = join(folder, entry.name);
			if (remaining-- <= 0) return;
			if (path === appFolder(root)) continue;
			yield path;
			if (entry.isDirectory()) folders.push(path);
		}
}
