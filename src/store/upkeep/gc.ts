import { rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { entriesOf, namesIn } from "../../files/names-in.ts";
import { linkText, quietLstat, quietStat } from "../../files/quietly.ts";
import { appFolder, currentLink } from "../app-folder.ts";
import { isStaleTempFile, STALE_MS } from "../atomic-write.ts";
import type { Config } from "../config/config.ts";
import { fromStore } from "../database.ts";
import { isSessionId } from "../paths.ts";
import { checkpointPath, deleteCheckpoint } from "../recovery/checkpoints.ts";
import { deleteSession, listSessions } from "../session/cycles.ts";
import { type Session, type Store, sessionAt } from "../session-handle.ts";

/** Something to delete, and why. */
interface Deletion {
	what: "session" | "checkpoint" | "file";
	/** Of a session its folder, of a checkpoint its readable form. */
	path: string;
	reason: string;
}

interface GcRequest extends Store {
	retention: Config["retention"];
	now: Date;
	/** The session that asks: never touched. */
	asking?: string | undefined;
}

const DAY_MS = 86_400_000;

/** What retention deletes, as a value. Changes nothing; people's notes (MEMORY.md, daily logs) are never in it. */
export function planGc(request: GcRequest) {
	const { now, asking = "", retention } = request;
	const { maxAgeDays, maxCheckpoints } = retention;
	const [dayAgo, oldestMs] = [1, maxAgeDays].map((days) => now.getTime() - days * DAY_MS) as [number, number];
	const known = new Set(listSessions(request));
	const left = foldersWithout(known, request);
	const running = "SELECT count(*) FROM cycles WHERE at >= ? OR session = ?";
	const [[live = 0] = []] = ask(request, running, [dayAgo, asking]);
	const due = ask(request, DUE, [dayAgo, oldestMs, maxCheckpoints, oldestKept(request)])
		.flat()
		.map(String);
	const looked = [...due, ...left].filter((id) => id !== asking && isSessionId(id));
	const deletions = looked.sort().flatMap((id): Deletion[] => {
		const session = sessionAt(request, id);
		const ageMs = sinceTouched(session, now);
		if (ageMs < DAY_MS) return [];
		if (ageMs <= maxAgeDays * DAY_MS) return oldCheckpoints(session, request);
		const reason = `not touched for ${Math.floor(ageMs / DAY_MS)} days (more than ${maxAgeDays})`;
		return [{ what: "session", path: session.paths.folder, reason }];
	});
	deletions.push(...leftFiles(request));
	return { deletions, sessions: known.size + left.length, live: Number(live) + (left.includes(asking) ? 1 : 0) };
}

const ask = (store: Store, sql: string, given: (string | number)[]): unknown[][] =>
	fromStore(store, (database) => database.query(sql).values(...given)) ?? [];

/** The sessions not touched for a day that are too old, or have too many checkpoints or too old ones. */
const DUE = `SELECT session FROM cycles WHERE at < ?1 AND (at < ?2
	OR (SELECT count(*) > ?3 OR (count(*) > 1 AND min(at) < ?4) FROM checkpoints AS own WHERE own.session = cycles.session))`;

/** The sessions that have a folder and no row. */
function foldersWithout(known: ReadonlySet<string>, { root }: Store): string[] {
	const folders = join(root, "sessions");
	const isLeft = (name: string): boolean => isSessionId(name) && !!quietLstat(join(folders, name))?.isDirectory();
	return namesIn(folders).filter((name) => !known.has(name) && isLeft(name));
}

/** Deletes one thing of a plan; gives whether it did: a session that was touched since stays. */
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

/** How long ago a session was touched: its rows, its last measurement. */
function sinceTouched(session: Session, now: Date): number {
	const { folder, pressure } = session.paths;
	const [[at = 0] = []] = ask(session, "SELECT at FROM cycles WHERE session = ?", [session.id]);
	return now.getTime() - Math.max(...[folder, pressure].map((path) => quietStat(path)?.mtimeMs ?? 0), Number(at));
}

/**
 * Those too old, and all but the newest of a person's and of the others, each counted by themselves. The newest of all stays, and what
 * the cycle points to.
 */
const OLD_CHECKPOINTS = `
SELECT key, own.at < ?2 FROM (
	SELECT session, key, at, row_number() OVER (PARTITION BY about ->> '$.type' = 'manual' ORDER BY id DESC) AS place,
		id = max(id) OVER () AS isNewest FROM checkpoints WHERE session = ?1) AS own
LEFT JOIN cycles ON cycles.session = own.session AND json_valid(value)
WHERE NOT isNewest AND (place > ?3 OR own.at < ?2)
	AND key IS NOT value ->> '$.prepared.key' AND key IS NOT value ->> '$.began.key'`;

/** What is older is deleted; ISO 8601. */
export const oldestKept = ({ retention, now }: GcRequest): string =>
	new Date(now.getTime() - retention.maxAgeDays * DAY_MS).toISOString();

function oldCheckpoints(session: Session, request: GcRequest): Deletion[] {
	const { maxCheckpoints, maxAgeDays } = request.retention;
	return ask(session, OLD_CHECKPOINTS, [session.id, oldestKept(request), maxCheckpoints]).map(([key, isOld]) => ({
		what: "checkpoint",
		path: checkpointPath(session, String(key)),
		reason: isOld ? `older than ${maxAgeDays} days` : `${maxCheckpoints} newer ones are kept`,
	}));
}

/** Damaged databases, temporary files, logs that were rotated long ago and copies of ccg that were replaced. */
function leftFiles({ root, retention: { maxAgeDays }, now }: GcRequest): Deletion[] {
	const found: Deletion[] = oldCopies(root, now).map((path) => ({ what: "file", path, reason: "a replaced copy" }));
	for (const { path, name } of storeFiles(root)) {
		const isTemp = isStaleTempFile(name);
		if (!isTemp && !/\.damaged-\d{14}|^(?:ccg|gc)\.log\.1$/.test(name)) continue;
		const ageMs = now.getTime() - (quietStat(path)?.mtimeMs ?? now.getTime());
		if (ageMs > (isTemp ? STALE_MS : maxAgeDays * DAY_MS))
			found.push({ what: "file", path, reason: isTemp ? "left by a killed process" : `older than ${maxAgeDays} days` });
	}
	return found;
}

/** What lies in a store but for copies of ccg and the given folders, 200,000 things at most. Of a link itself; none is followed. */
function* storeFiles(
	root: string,
	without: readonly string[] = [],
): Generator<{ path: string; name: string; isLink: boolean }> {
	let left = 200_000;
	const folders = [root];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
		for (const entry of entriesOf(folder)) {
			const { name } = entry;
			const path = join(folder, name);
			if (left-- <= 0) return;
			if (without.includes(path) || path === appFolder(root)) continue;
			yield { path, name, isLink: entry.isSymbolicLink() };
			if (entry.isDirectory()) folders.push(path);
		}
}

/** One that lies elsewhere is its owner's wish, as are notes; the short command is a link. */
const OWNERS = ["config.json", "MEMORY.md", "ccg", "projects", "profiles"];

/** What is wrong with the files of a store, for `ccg doctor`: what readers set aside, and links where ccg has files of its own. */
export function faultyFiles(root: string): { damaged: string[]; links: string[] } {
	const found = [
		...storeFiles(
			root,
			OWNERS.map((name) => join(root, name)),
		),
	];
	const paths = (of: typeof found): string[] => of.map(({ path }) => path).sort();
	return {
		damaged: paths(found.filter(({ name, isLink }) => !isLink && name.includes(".damaged-"))),
		links: paths(found.filter(({ isLink }) => isLink)),
	};
}

/** A session that runs may have started an MCP server from it. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Copies of ccg that are not at work any more, and what is left of unfinished ones. Without a copy at work there are none. */
export function oldCopies(root: string, now: Date): string[] {
	const app = appFolder(root);
	const current = linkText(currentLink(app));
	if (!current) return [];
	return entriesOf(app)
		.filter(({ name }) => name !== "current" && name !== current)
		.map(({ name }) => join(app, name))
		.filter((path) => now.getTime() - (quietLstat(path)?.mtimeMs ?? now.getTime()) > KEPT_MS);
}
