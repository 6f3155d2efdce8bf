import { basename, dirname, join, relative, resolve } from "node:path";
import { lastCompaction } from "../../claude/transcript/compactions.ts";
import type { Whose } from "../../core/checkpoint/checkpoint.ts";
import type { Config } from "../../core/config/config.ts";
import { sessionContext } from "../../core/context/project.ts";
import { safeText } from "../../core/text/text.ts";
import { quietLstat } from "../../files/quietly.ts";
import { isWithin, realPath } from "../../files/real-path.ts";
import { chosenProfile, loadConfig, type ProfilePlace } from "../../store/config.ts";
import { isInSession, isSessionId } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { refuseStoreLinks } from "../../store/refuse-links.ts";
import { listSessions } from "../../store/session/cycles.ts";
import { projectFolderOf, projectIn, storeOf } from "../../store/session/place.ts";
import { readRecord } from "../../store/session/records.ts";
import { type Session, sessionAt } from "../../store/session-handle.ts";
import { readSessions } from "../../store/status/session-status.ts";
import type { Given } from "./command.ts";
import type { Io } from "./io.ts";

// Which session, project, file and configuration a command means, and which it may.

/**
 * Whether a command keeps to its session's project: a permission rule allows all that begins as it does, so what crosses
 * projects begins otherwise (`ccg --anyway …`). A person's terminal is held to nothing. All that holds it stands in this file.
 */
export const isHeld = (io: Io): boolean => isInSession(io.env) && !io.anyway;

/** Throws where a held command is asked for what is not this project's. */
export function refuseCrossing(what: string, io: Io): void {
	if (isHeld(io))
		throw new Error(`${what}: a command in a session keeps to its project; add --anyway before it: ${ANYWAY}`);
}

const ANYWAY = "ccg --anyway COMMAND";

/** The key of the project that a command works for. */
export const ownProject = (io: Io): string => projectOf(projectFolderOf(io)).key;

/** The session whose id is the one named, or alone begins so; of a held command one of its project. Throws when there is none. */
export function sessionNamed(named: string, io: Io): Session {
	const store = storeOf(io);
	const isOwn = (sid: string): boolean =>
		sid === io.env.CLAUDE_CODE_SESSION_ID || projectIn(sessionAt(store, sid)) === ownProject(io);
	// one of this project may have left nothing yet; a slash command names it whole, where the shell does not know it
	const isNew = isSessionId(named) && isOwn(named);
	const begun = listSessions(store, { begin: named }).filter((sid) => !isHeld(io) || isOwn(sid));
	const where = isHeld(io) ? `this project in ${store.root}; for others: ${ANYWAY}` : store.root;
	return openSession(isNew ? named : theOne(named, named === "" ? [] : begun, where), io);
}

/** A session of the store, where no link leads elsewhere. */
function openSession(sid: string, io: Io): Session {
	const store = storeOf(io);
	refuseStoreLinks(store.root, sid);
	return sessionAt(store, sid);
}

/** The session whose id is the one named, or alone begins so. Throws where it is none or several of `begun`. */
export function theOne(named: string, begun: readonly string[], where: string): string {
	if (begun.includes(named)) return named;
	if (begun.length === 1) return begun[0]!;
	throw new Error(
		begun.length === 0
			? `no session '${named}' in ${where}; 'ccg status --all' shows those there are`
			: `'${named}' is the beginning of ${begun.length} sessions: ${begun.slice(0, 5).join(", ")}; give more of it`,
	);
}

/** Of the sessions written to last so many may be the one that was seen last: between two writes they are measured. */
const LAST = 20;

/** The session that a command means: the one named; the one it runs in; else the one of this project seen last, which is told. */
export function meantSession(named: string | undefined, io: Io): Session {
	const here = io.env.CLAUDE_CODE_SESSION_ID;
	const sid = named ?? (isSessionId(here) ? here : undefined);
	if (sid !== undefined) return sessionNamed(sid, io);
	const store = storeOf(io);
	const folder = projectFolderOf(io);
	// one of another project is never meant
	const { key, root } = projectOf(folder);
	const [last] = readSessions(store, listSessions(store, { project: key, most: LAST }));
	if (!last)
		throw new Error(
			`no session is known of this project (${root}) in ${store.root}; name one with --session ID ('ccg status --all' shows those there are)`,
		);
	const session = openSession(last.sessionId, io);
	io.err(`ccg: of session ${session.id}, the one of this project seen last (--session names another)`);
	return session;
}

/** Whose checkpoints a command looks at: of the session named, else of this project, or all. */
export const whoseOf = ({ session, all }: Pick<Given, "session" | "all">, io: Io): Whose =>
	session !== undefined ? { sid: sessionNamed(session, io).id } : all ? {} : { project: ownProject(io) };

/** The sessions that a command looks at: the one named, else those of this project, or all. */
export function sessionsMeant({ session, all }: Pick<Given, "session" | "all">, io: Io): Session[] {
	if (session !== undefined) return [sessionNamed(session, io)];
	const store = storeOf(io);
	const meant = listSessions(store, all ? {} : { project: ownProject(io) });
	return meant.map((sid) => sessionAt(store, sid));
}

/** The name people know a project by: its main folder's. */
export const projectName = (folder: string, { root } = projectOf(folder)): string => basename(root) || root;

/** The configuration that counts for a session or a folder; with neither that of the store. */
export const configFor = (place: ProfilePlace, io: Io): Config => loadConfig(storeOf(io).root, place).config;

/** A session's record as people and programs read it, with the profile in force; `null` before its first turn ended. */
export function contextOf(session: Session) {
	const { record } = readRecord(session) ?? {};
	if (!record) return null;
	const profile = chosenProfile(session.root, { sid: session.id, folder: record.state.cwd })?.name ?? "default";
	const { summary } = lastCompaction(record.cursor.transcript_path).behind();
	return { ...sessionContext(record, summary === null ? "" : safeText(summary)), profile };
}

/** Where the file that an option names is to be written, exclusively: a new one, of a held command below the project's folder. */
export function newFile(given: string, io: Io): string {
	const named = resolve(io.cwd, given);
	// (the file itself is new: a link there would be followed to another)
	const path = join(realPath(dirname(named)), basename(named));
	refuseOutsideProject(path, "written", io);
	if (quietLstat(path)) throw new Error(`${path} is there already; name another file or move it away`);
	return path;
}

/** The file an option names to be read: of a held command one below the project's folder. */
export function fileToRead(given: string, io: Io): string {
	const path = realPath(resolve(io.cwd, given));
	refuseOutsideProject(path, "read", io);
	return path;
}

function refuseOutsideProject(path: string, notDone: "read" | "written", io: Io): void {
	if (!isHeld(io)) return;
	const folder = realPath(projectFolderOf(io));
	const parts = relative(folder, path).split("/");
	// (settings, hooks of git, a shell's files: what begins with a dot may be read as orders)
	if (isWithin(path, folder) && !parts.some((part) => part === "" || part.startsWith("."))) return;
	throw new Error(
		`${path} was not ${notDone}: a command in a session keeps to files below ${folder} without a dot before their names; for others: ${ANYWAY}`,
	);
}
