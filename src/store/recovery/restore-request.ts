import { existsSync, renameSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../files/names-in.ts";
import { quietly } from "../atomic-write.ts";
import type { Content } from "../json-schema.ts";
import { isSessionId } from "../paths.ts";
import { refusePathLinks } from "../refuse-links.ts";
import type { Session, Store } from "../session-handle.ts";
import { restoreRequest as requestShape } from "../shapes.generated.ts";
import type * as stored from "../stored-shapes.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";
import {
	dropFollowUpMarker,
	followUpMarkerKey,
	readRecoveryInjection,
	setFollowUpMarker,
} from "./compaction-record.ts";

/** A checkpoint that the user wants back, with the text for the model. */
export type RestoreRequest = Content<typeof stored.restoreRequest>;

/** Of one moment: a later one takes its place. */
const REQUEST = kindOf("restore request", requestShape, { maxBytes: 256 * 1024, passing: true });

const inSession = ({ paths }: Session): string => join(paths.folder, "restore.json");
const forNext = (store: Pick<Store, "root">, project: string): string =>
	join(nextFolder(store, project), "restore-next.json");
const nextFolder = ({ root }: Pick<Store, "root">, project: string): string => join(root, "projects", project);

/**
 * For the session that runs: its next tool call or prompt gets it. The follow-up marker starts the hook; where one stands
 * already, it does so too. The request comes first: a marker without one costs a start, one without marker would never come.
 */
export function requestRestore(session: Session, request: RestoreRequest): void {
	writeVersioned(inSession(session), REQUEST, { version: 1, ...request }, { durable: true });
	if (!existsSync(session.paths.followUpMarker)) setFollowUpMarker(session, request.key);
}

/** For the next session of the project: `project` is its key. */
export function requestRestoreNext(store: Store, project: string, request: RestoreRequest): void {
	const folder = nextFolder(store, project);
	refusePathLinks(store.root, folder);
	writeVersioned(forNext(store, project), REQUEST, { version: 1, ...request }, { durable: true });
}

/** How old a request may be: one that is older reaches nobody. */
export interface AgeLimit {
	now: Date;
	maxHours: number;
}

/**
 * Takes the request of a running session: of all events that ask at once one gets it. A compaction's follow-up marker stays for the
 * next event. One that is too old is removed; without a limit any age will do.
 */
export function claimRestore(session: Session, limit: AgeLimit | null): RestoreRequest | null {
	const path = inSession(session);
	if (!existsSync(path)) return null;
	const request = claim(session, path);
	const isOwn = request && followUpMarkerKey(session) === request.key;
	if (isOwn && readRecoveryInjection(session)?.key !== request.key) dropFollowUpMarker(session);
	return request && isInTime(request, limit) ? request : null;
}

/** The same of a project, for a session that begins. */
export function claimRestoreNext(store: Store, project: string, limit: AgeLimit | null): RestoreRequest | null {
	const path = forNext(store, project);
	const request = existsSync(path) ? claim(store, path) : null;
	return request && isInTime(request, limit) ? request : null;
}

/** The request that waits for a session, left where it is. */
export const waitingRestore = (session: Session, limit: AgeLimit): RestoreRequest | null =>
	waiting(session, inSession(session), limit);

/** The same for the next session of a project. */
export const waitingRestoreNext = (store: Store, project: string, limit: AgeLimit): RestoreRequest | null =>
	waiting(store, forNext(store, project), limit);

/** Sessions with a request, whatever its age. */
export function sessionsWithRequest({ root }: Pick<Store, "root">): string[] {
	const names = namesIn(join(root, "sessions"));
	return names.filter((name) => isSessionId(name) && existsSync(`${root}/sessions/${name}/restore.json`));
}

/** Drops the follow-up marker of a compaction; a request that waits behind it gets its own. Gives whether this run dropped it. */
export function dropCompactionMarker(session: Session): boolean {
	if (!dropFollowUpMarker(session)) return false;
	const path = inSession(session);
	const request = existsSync(path) ? readGood(path, REQUEST, session.tell) : null;
	if (request) setFollowUpMarker(session, request.key);
	return true;
}

/** Removes a request whose marker is gone: the marker of a later compaction must not bring it. */
export function dropOrphanedRestore(session: Session, now: Date): void {
	const path = inSession(session);
	if (!existsSync(path) || existsSync(session.paths.followUpMarker)) return;
	const request = readGood(path, REQUEST, session.tell);
	// a restore that runs at this moment has yet to set it
	if (request && now.getTime() - Date.parse(request.at) < BEING_MADE_MS) return;
	quietly(() => unlinkSync(path));
}

const BEING_MADE_MS = 60_000;

function waiting({ tell }: Pick<Store, "tell">, path: string, limit: AgeLimit): RestoreRequest | null {
	const request = existsSync(path) ? readGood(path, REQUEST, tell) : null;
	return request && isInTime(request, limit) ? request : null;
}

const isInTime = ({ at }: RestoreRequest, limit: AgeLimit | null): boolean =>
	limit === null || limit.now.getTime() - Date.parse(at) < limit.maxHours * 3_600_000;

/** By rename: who has the file has it alone, and reads it then. */
function claim({ tell }: Pick<Store, "tell">, path: string): RestoreRequest | null {
	const mine = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
	try {
		renameSync(path, mine);
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return null;
		throw error;
	}
	const request = readGood(mine, REQUEST, tell, path);
	quietly(() => unlinkSync(mine));
	if (!request) return null;
	const { version: _, ...content } = request;
	return content;
}
