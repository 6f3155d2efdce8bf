import { existsSync, renameSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { quietly } from "../atomic-write.ts";
import type { Content } from "../json-schema.ts";
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
	writeVersioned(join(folder, "restore-next.json"), REQUEST, { version: 1, ...request }, { durable: true });
}

/**
 * Takes the request of a running session: of all events that ask at once one gets it. A compaction's follow-up marker stays for the
 * next event.
 */
export function claimRestore(session: Session): RestoreRequest | null {
	const path = inSession(session);
	if (!existsSync(path)) return null;
	const request = claim(session, path);
	const isOwn = request && followUpMarkerKey(session) === request.key;
	if (isOwn && readRecoveryInjection(session)?.key !== request.key) dropFollowUpMarker(session);
	return request;
}

/** The same of a project, for a session that begins. */
export function claimRestoreNext(store: Store, project: string): RestoreRequest | null {
	const path = join(nextFolder(store, project), "restore-next.json");
	return existsSync(path) ? claim(store, path) : null;
}

/** Whether a session still waits for one. */
export const isRestoreDue = (session: Session): boolean => existsSync(inSession(session));

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
