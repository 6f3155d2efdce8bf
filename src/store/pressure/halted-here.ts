import { projectOf } from "../project.ts";
import { sessionProject } from "../session/session-project.ts";
import { type Session, type Store, sessionAt } from "../session-handle.ts";
import { haltedSessions } from "./halt.ts";
import { readUsage } from "./usage-record.ts";

/** The folder a session belongs to; `""` where nothing tells it. */
export function folderOf(session: Session): string {
	const usage = readUsage(session);
	return sessionProject(session)?.folder || usage?.projectDir || usage?.cwd || "";
}

/** The sessions of a folder's project at which a stop stands, and all others. */
export function haltedAt(store: Store, folder: string): { here: string[]; elsewhere: string[] } {
	const isHere = inProjectOf(store, folder);
	const all = haltedSessions(store);
	return { here: all.filter(isHere), elsewhere: all.filter((sid) => !isHere(sid)) };
}

/** Whether a session is known to belong to a folder's project. */
export function inProjectOf(store: Store, folder: string): (sid: string) => boolean {
	const { key } = projectOf(folder);
	return (sid) => {
		const own = folderOf(sessionAt(store, sid));
		return own !== "" && projectOf(own).key === key;
	};
}
