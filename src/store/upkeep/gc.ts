import { type Dirent, existsSync, lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { exact } from "../../core/redact/secrets.ts";
import { entriesOf } from "../../files/names-in.ts";
import { isStaleTempFile, STALE_MS } from "../atomic-write.ts";
import type { Retention } from "../config/config.ts";
import { choicePath, choosingSessions } from "../config/profiles.ts";
import { fromStore, inStore } from "../database.ts";
import { indexPath, isSessionId } from "../paths.ts";
import { readUsage } from "../pressure/flags.ts";
import { checkpointPath, deleteCheckpoint, storedCheckpoints } from "../recovery/checkpoints.ts";
import { deleteSession, listSessions, readCycle } from "../session/cycles.ts";
import { markersOf, type Session, type Store, sessionAt } from "../session-handle.ts";
import { readState } from "../task/task-state.ts";
import { bytesBelow, oldCopies } from "./leftovers.ts";

/** Something to delete, and why. */
export interface Deletion {
	what: "session" | "checkpoint" | "damaged file" | "temporary file" | "log" | "old version" | "restore request";
	/** Of a session its folder, of a checkpoint its readable form, of a request whom it is for. */
	path: string;
	reason: string;
	bytes: number;
}

export interface GcPlan {
	deletions: Deletion[];
	sessions: number;
	live: number;
	/** Of all sessions, before. */
	bytes: number;
}

interface GcRequest extends Store {
	retention: Retention;
	now: Date;
	/** The session that asks: never touched. */
	asking?: string | undefined;
}

const DAY_MS = 86_400_000;
/** A session touched within this time may be running. */
const LIVE_MS = DAY_MS;

/** What retention deletes, as a value. Looks through the whole store and changes nothing; people's notes (MEMORY.md, daily logs) are never in it. */
export function planGc(request: GcRequest): GcPlan {
	const { root, retention, now } = request;
	const sessions = storedSessions(request);
	const doomed = sessionsToDelete(sessions, retention);
	const gone = new Set(doomed.map(({ path }) => basename(path)));
	const staying = sessions.filter(({ id }) => !gone.has(id));
	const deletions = [
		...doomed,
		...staying.filter(({ live }) => !live).flatMap(({ id }) => oldCheckpoints(sessionAt(request, id), request)),
		...leftFiles(root, retention, now, gone),
		...oldRestores(request),
		...oldCopies(root, now).map((one) => ({ what: "old version" as const, ...one, bytes: bytesBelow(one.path) })),
	];
	const bytes = sessions.reduce((sum, one) => sum + one.bytes, 0);
	return { deletions, sessions: sessions.length, live: sessions.filter(({ live }) => live).length, bytes };
}

/**
 * Deletes what a plan says and gives what was deleted. A session that was touched since stays. What can't be deleted is told to
 * `onFailure`; the sessions that are gone are named to `forget`, which takes them out of the search index.
 */
export function applyGc(
	{ deletions }: GcPlan,
	request: Omit<GcRequest, "retention">,
	onFailure: (deletion: Deletion, reason: unknown) => void,
	forget: (sessions: readonly string[]) => void,
): Deletion[] {
	const done: Deletion[] = [];
	for (const deletion of deletions) {
		try {
			if (deleted(deletion, request)) done.push(deletion);
		} catch (error) {
			onFailure(deletion, error);
		}
	}
	try {
		forget(done.filter(({ what }) => what === "session").map(({ path }) => basename(path)));
	} catch (error) {
		const path = indexPath(request.root);
		onFailure({ what: "session", path, reason: "passages of deleted sessions", bytes: 0 }, error);
	}
	return done;
}

function deleted({ what, path }: Deletion, request: Omit<GcRequest, "retention">): boolean {
	const { now, asking } = request;
	if (what === "session") {
		const session = sessionAt(request, basename(path));
		if (session.id === asking || ageOf(session, now) < LIVE_MS) return false;
		deleteSession(session, { waitMs: 0 });
	} else if (what === "checkpoint")
		deleteCheckpoint(sessionAt(request, basename(dirname(dirname(path)))), basename(path, ".md"));
	else if (what === "restore request")
		inStore(request, (database) => database.query("DELETE FROM restores WHERE target = ?").run(exact(path)));
	else rmSync(path, { recursive: true, force: true });
	return true;
}

interface StoredSession {
	id: string;
	folder: string;
	/** Since anything of it was touched. */
	ageMs: number;
	bytes: number;
	/** It may be running: never deleted. */
	live: boolean;
	/** It holds a task that is not finished: neither count nor bytes delete it, only age. */
	pinned: boolean;
}

/** Those with rows, and those that left only a folder or the choice of a profile. */
function storedSessions(request: GcRequest): StoredSession[] {
	const { root, now, asking } = request;
	const rows = rowBytes(request);
	const folders = strictEntries(join(root, "sessions")).filter((one) => one.isDirectory() && isSessionId(one.name));
	const known = [...listSessions(request), ...folders.map(({ name }) => name), ...choosingSessions(root)];
	const ids = [...new Set(known)].sort();
	return ids.map((id) => {
		const session = sessionAt(request, id);
		const { folder } = session.paths;
		const ageMs = ageOf(session, now);
		const bytes = (rows.get(id) ?? 0) + bytesBelow(folder);
		return { id, folder, bytes, ageMs, live: id === asking || ageMs < LIVE_MS, pinned: hasOpenTask(folder) };
	});
}

/** Live ones count towards the limits and stay. */
function sessionsToDelete(
	sessions: readonly StoredSession[],
	{ maxAgeDays, maxSessions, maxBytes }: Retention,
): Deletion[] {
	const newestFirst = sessions.toSorted((a, b) => Number(b.live) - Number(a.live) || a.ageMs - b.ageMs);
	let count = 0;
	let sum = 0;
	return newestFirst.flatMap(({ folder: path, ageMs, bytes, live, pinned }) => {
		let reason = "";
		if (live) reason = "";
		else if (ageMs > maxAgeDays * DAY_MS)
			reason = `not touched for ${Math.floor(ageMs / DAY_MS)} days (more than ${maxAgeDays})`;
		else if (!pinned && count >= maxSessions) reason = `${maxSessions} newer sessions are kept`;
		else if (!pinned && sum + bytes > maxBytes) reason = `the newer sessions fill ${maxBytes} bytes`;
		if (reason) return [{ what: "session" as const, path, reason, bytes }];
		count++;
		sum += bytes;
		return [];
	});
}

/** Characters of each session's rows. */
function rowBytes(store: Store): Map<string, number> {
	const rows = fromStore(store, (database) =>
		database
			.query(
				`SELECT session, sum(size) FROM (SELECT session, length(value) AS size FROM records
				UNION ALL SELECT session, length(value) + coalesce(length(report), 0) FROM checkpoints) GROUP BY session`,
			)
			.values(),
	);
	return new Map(rows as [string, number][]);
}

/** A task that is not complete; one that can't be read may be. */
function hasOpenTask(folder: string): boolean {
	const file = readState(folder);
	return file.found === "present" ? file.state.status !== "complete" : file.found !== "absent";
}

/** How long ago anything of a session was touched: its rows, its files, its transcript; 0 for one that can't be looked at. */
function ageOf(session: Session, now: Date): number {
	try {
		const { folder } = session.paths;
		const usage = readUsage(session);
		const sql =
			"SELECT max(at) FROM (SELECT at FROM cycles WHERE session = ?1 UNION SELECT at FROM records WHERE session = ?1)";
		const [row] = fromStore(session, (database) => database.query(sql).values(session.id)) ?? [];
		const files = strictEntries(folder).map(({ name }) => join(folder, name));
		const choice = choicePath(session.root, { sid: session.id });
		const touched = [folder, ...files, ...markersOf(session), choice, usage?.transcriptPath ?? ""].map(mtimeOf);
		return Math.max(0, now.getTime() - Math.max(...touched, Number(row?.[0] ?? 0), Date.parse(usage?.at ?? "") || 0));
	} catch {
		return 0;
	}
}

/** Checkpoints beyond those kept. What the session points to stays, whatever its age. */
function oldCheckpoints(session: Session, { retention, now }: GcRequest): Deletion[] {
	const { maxCheckpoints, maxAgeDays } = retention;
	const { prepared, began } = readCycle(session);
	const all = storedCheckpoints(session, { sid: session.id });
	const pinned = new Set([all[0]?.key, prepared?.key, began?.key]);
	// those of a person are counted by themselves: none that came by itself takes their place
	const groups = [all.filter(({ type }) => type === "manual"), all.filter(({ type }) => type !== "manual")];
	return groups.flatMap((group) =>
		group.flatMap(({ key, at, bytes }, i) => {
			const days = Math.floor((now.getTime() - Date.parse(at)) / DAY_MS);
			const isOld = days >= maxAgeDays;
			if (pinned.has(key) || (!isOld && i < maxCheckpoints)) return [];
			const why = isOld ? `${days} days old (more than ${maxAgeDays})` : `${maxCheckpoints} newer ones are kept`;
			return [{ what: "checkpoint" as const, path: checkpointPath(session, key), reason: `checkpoint, ${why}`, bytes }];
		}),
	);
}

function oldRestores(request: GcRequest): Deletion[] {
	const { retention, now } = request;
	const rows = fromStore(request, (database) => database.query("SELECT target, value FROM restores").values()) ?? [];
	return (rows as [string, string][])
		.filter(([, value]) => now.getTime() - Date.parse(JSON.parse(value).at) > retention.maxAgeDays * DAY_MS)
		.map(([path, value]) => ({
			what: "restore request",
			path,
			reason: `older than ${retention.maxAgeDays} days`,
			bytes: value.length,
		}));
}

/** Damaged databases, temporary files, and logs that were rotated long ago; not below sessions that go. */
function leftFiles(root: string, { maxAgeDays }: Retention, now: Date, gone: ReadonlySet<string>): Deletion[] {
	const found: Deletion[] = [];
	const look = (path: string): void => {
		const stat = lstatSync(path, { throwIfNoEntry: false });
		const ageMs = stat ? now.getTime() - stat.mtimeMs : 0;
		const name = basename(path);
		const add = (what: Deletion["what"], reason: string): void =>
			void found.push({ what, path, reason, bytes: stat?.size ?? 0 });
		if (isStaleTempFile(name)) {
			if (ageMs > STALE_MS) add("temporary file", "left by a process that was killed, older than an hour");
		} else if (ageMs > maxAgeDays * DAY_MS) {
			if (/\.damaged-\d{14}/.test(name)) add("damaged file", `older than ${maxAgeDays} days`);
			else if (/^(?:ccg|gc)\.log\.1$/.test(name)) add("log", `older than ${maxAgeDays} days`);
		}
	};
	const walk = (folder: string, depth: number): void => {
		for (const entry of entriesOf(folder)) {
			const path = join(folder, entry.name);
			look(path);
			if (entry.isDirectory() && depth > 0 && !isStaleTempFile(entry.name)) walk(path, depth - 1);
		}
	};
	walk(root, 0);
	for (const [name, depth] of Object.entries({ run: 1, log: 0, install: 1, projects: 2, profiles: 1 }))
		walk(join(root, name), depth);
	for (const { name } of entriesOf(join(root, "sessions"))) if (!gone.has(name)) walk(join(root, "sessions", name), 4);
	return found;
}

/** Throws where a folder is there and can't be read: what is not seen would be taken for not there. */
function strictEntries(folder: string): Dirent[] {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return [];
		throw error;
	}
}

const mtimeOf = (path: string): number => (path && existsSync(path) ? statSync(path).mtimeMs : 0);
