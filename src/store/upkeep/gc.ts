import { type Dirent, existsSync, lstatSync, readdirSync, rmSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
	filesToDelete,
	type KeptFile,
	type Retention,
	type StoredSession,
	sessionsToDelete,
} from "../../core/retention.ts";
import { readText } from "../json-file.ts";
import { indexPath, isSessionId } from "../paths.ts";
import { readUsage } from "../pressure/usage-record.ts";
import { latestKey } from "../recovery/checkpoints.ts";
import { readRecoveryInjection } from "../recovery/compaction-record.ts";
import { readCommitted, readPending } from "../recovery/pending.ts";
import { forgetSessions } from "../search/forget-sessions.ts";
import { deleteSession } from "../session/delete-session.ts";
import { type Session, type Store, sessionAt } from "../session-handle.ts";
import { isStaleTempFile, STALE_MS } from "../stale-temp-files.ts";
import { entriesOf } from "./faulty-files.ts";
import { bytesBelow, oldCopies } from "./old-copies.ts";

/** Something to delete, and why. */
export interface Deletion {
	what:
		| "session"
		| "checkpoint"
		| "report"
		| "damaged file"
		| "temporary file"
		| "log"
		| "old version"
		| "restore request";
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
	onProgress?(done: number, of: number): void;
}

/** A session touched within this time may be running. */
const LIVE_MS = 24 * 3_600_000;
const DAMAGED_KEPT = 50;

/** What retention deletes, as a value. Reads the whole store and changes nothing; people's notes (MEMORY.md, daily logs) are never in it. */
export function planGc(request: GcRequest): GcPlan {
	const { root, retention, now } = request;
	const found = readStore(request);
	const doomed = new Map(sessionsToDelete(found.sessions, retention).map(({ id, reason }) => [id, reason]));
	const deletions: Deletion[] = found.sessions
		.filter(({ id }) => doomed.has(id))
		.map(({ id, bytes }) => ({
			what: "session",
			path: join(root, "sessions", id),
			reason: doomed.get(id)!,
			bytes,
		}));
	for (const { id } of found.sessions.filter(({ id, live }) => !live && !doomed.has(id)))
		deletions.push(...inSession(sessionAt(request, id), retention, now));
	const others = found.others.filter(({ path }) => !isBelow(path, [...doomed.keys()], root));
	const damaged = filesToDelete(
		others.filter(({ damaged }) => damaged),
		{ most: DAMAGED_KEPT, maxAgeDays: retention.maxAgeDays, what: "damaged" },
	);
	deletions.push(
		...damaged.map(({ path, reason }) => ({ what: "damaged file" as const, path, reason, bytes: size(path) })),
	);
	for (const { path, damaged, ageMs } of others)
		if (!damaged && ageMs > STALE_MS)
			deletions.push({
				what: "temporary file",
				path,
				reason: "left by a process that was killed, older than an hour",
				bytes: size(path),
			});
	for (const name of ["ccg.log.1", "gc.log.1"]) {
		const path = join(root, "log", name);
		const ageMs = ageOf(path, now);
		if (ageMs !== null && ageMs > retention.maxAgeDays * 86_400_000)
			deletions.push({ what: "log", path, reason: `older than ${retention.maxAgeDays} days`, bytes: size(path) });
	}
	for (const { name } of entriesOf(join(root, "projects"))) {
		const path = join(root, "projects", name, "restore-next.json");
		const ageMs = ageOf(path, now);
		if (ageMs !== null && ageMs > retention.maxAgeDays * 86_400_000)
			deletions.push({
				what: "restore request",
				path,
				reason: `older than ${retention.maxAgeDays} days`,
				bytes: size(path),
			});
	}
	for (const { path, reason } of oldCopies(root, now))
		deletions.push({ what: "old version", path, reason, bytes: bytesBelow(path) });
	const bytes = found.sessions.reduce((sum, one) => sum + one.bytes, 0);
	return { deletions, sessions: found.sessions.length, live: found.sessions.filter(({ live }) => live).length, bytes };
}

/**
 * Deletes what a plan says and gives what was deleted. A session that was touched since stays; one that goes is renamed
 * first, so that a hook finds it whole or not at all. What can't be deleted is told to `onFailure`.
 */
export function applyGc(
	{ deletions }: GcPlan,
	request: Omit<GcRequest, "retention">,
	onFailure: (deletion: Deletion, reason: unknown) => void,
): Deletion[] {
	const { root, now, asking, onProgress } = request;
	const done: Deletion[] = [];
	for (const [i, deletion] of deletions.entries()) {
		onProgress?.(i, deletions.length);
		try {
			if (deletion.what === "session") {
				const id = deletion.path.slice(join(root, "sessions").length + 1);
				const session = sessionAt(request, id);
				if (id === asking || ageOfSession(session, now) < LIVE_MS) continue;
				deleteSession(session, { waitMs: 0 });
			} else rmSync(deletion.path, { recursive: true, force: true });
			done.push(deletion);
		} catch (error) {
			onFailure(deletion, error);
		}
	}
	const gone = done.filter(({ what }) => what === "session").map(({ path }) => basename(path));
	try {
		forgetSessions(root, gone, now);
	} catch (error) {
		onFailure({ what: "session", path: indexPath(root), reason: "passages of deleted sessions", bytes: 0 }, error);
	}
	return done;
}

interface Other {
	path: string;
	ageMs: number;
	damaged: boolean;
}

/** All sessions, and all damaged and temporary files of the store. */
function readStore(request: GcRequest): { sessions: StoredSession[]; others: Other[] } {
	const { root, now, asking, onProgress } = request;
	const others: Other[] = [];
	const note = (path: string, name: string, stat: Stats): void => {
		const damaged = /\.damaged-\d{14}/.test(name);
		if (damaged || isStaleTempFile(name)) others.push({ path, ageMs: now.getTime() - stat.mtimeMs, damaged });
	};
	const walk = (folder: string, depth: number): number => {
		let bytes = 0;
		for (const entry of entriesOf(folder)) {
			const path = join(folder, entry.name);
			const stat = lstatSync(path, { throwIfNoEntry: false });
			if (!stat) continue;
			bytes += stat.size;
			note(path, entry.name, stat);
			if (entry.isDirectory() && depth > 0 && !isStaleTempFile(entry.name)) bytes += walk(path, depth - 1);
		}
		return bytes;
	};
	walk(root, 0);
	for (const [name, depth] of [
		["run", 1],
		["log", 0],
		["install", 1],
		["observed-later", 0],
		["projects", 2],
		["sessions", 0],
	] as const)
		walk(join(root, name), depth);
	const ids = strictEntries(join(root, "sessions")).flatMap((entry) =>
		entry.isDirectory() && isSessionId(entry.name) ? entry.name : [],
	);
	const sessions = ids.map((id, i) => {
		onProgress?.(i, ids.length);
		const bytes = walk(join(root, "sessions", id), 4);
		const ageMs = ageOfSession(sessionAt(request, id), now);
		return {
			id,
			bytes,
			ageMs,
			live: id === asking || ageMs < LIVE_MS,
			pinned: hasOpenTask(join(root, "sessions", id)),
		};
	});
	return { sessions, others };
}

/** A task that is not complete; one that can't be read may be. By a look: gc quarantines no damaged file. */
function hasOpenTask(folder: string): boolean {
	const task = readText(join(folder, "task-state.json"));
	return task !== null && !/"status":\s*"complete"/.test(task);
}

/** How long ago anything of a session was touched: its files, its markers, its transcript; 0 for one that can't be looked at. */
function ageOfSession(session: Session, now: Date): number {
	try {
		return newestOf(session, now);
	} catch {
		return 0;
	}
}

function newestOf(session: Session, now: Date): number {
	const { folder, marker, followUpMarker, haltMarker, statusLineSeen } = session.paths;
	const usage = readUsage(session);
	const paths = [
		folder,
		...strictEntries(folder).map(({ name }) => join(folder, name)),
		marker,
		followUpMarker,
		haltMarker,
		statusLineSeen,
		...(usage?.transcriptPath ? [usage.transcriptPath] : []),
	];
	const ages = paths.flatMap((path) => ageOf(path, now) ?? []);
	const measured = now.getTime() - Date.parse(usage?.at ?? "");
	if (Number.isFinite(measured)) ages.push(measured);
	return Math.max(0, Math.min(...ages));
}

/** Checkpoints and reports beyond those kept. What the session points to stays, whatever its age. */
function inSession(session: Session, { maxCheckpoints, maxReports, maxAgeDays }: Retention, now: Date): Deletion[] {
	const { checkpoints, folder } = session.paths;
	const pinned = new Set([
		latestKey(session),
		readPending(session)?.key,
		readCommitted(session)?.key,
		readRecoveryInjection(session)?.key,
	]);
	const kept = (where: string): KeptFile[] =>
		entriesOf(where).flatMap(({ name }) => {
			const key = /^(\w+)\.json$/.exec(name)?.[1];
			const path = join(where, name);
			return key ? { path, ageMs: ageOf(path, now) ?? 0, pinned: pinned.has(key) } : [];
		});
	// those of a person are counted by themselves: none that came by itself takes their place
	const all = kept(checkpoints);
	const groups = [all.filter(isManual), all.filter((one) => !isManual(one))];
	return [
		...groups
			.flatMap((files) => filesToDelete(files, { most: maxCheckpoints, maxAgeDays, what: "checkpoint" }))
			.flatMap(({ path, reason }) =>
				[path, path.replace(/json$/, "md")]
					.filter((one) => existsSync(one))
					.map((one) => ({
						what: "checkpoint" as const,
						path: one,
						reason,
						bytes: size(one),
					})),
			),
		...filesToDelete(kept(join(folder, "reports")), { most: maxReports, maxAgeDays, what: "report" }).map(
			({ path, reason }) => ({ what: "report" as const, path, reason, bytes: size(path) }),
		),
	];
}

const isManual = ({ path }: KeptFile): boolean => basename(path).startsWith("manual_");

const isBelow = (path: string, ids: string[], root: string): boolean =>
	ids.some((id) => dirname(path).startsWith(join(root, "sessions", id)));

/** Throws where a folder is there and can't be read: what is not seen would be taken for not there. */
function strictEntries(folder: string): Dirent[] {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return [];
		throw error;
	}
}

function ageOf(path: string, now: Date): number | null {
	try {
		return now.getTime() - statSync(path).mtimeMs;
	} catch {
		return null;
	}
}

const size = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
