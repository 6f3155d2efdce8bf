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
 * Whether a command must keep to its session's project. (A permission rule allows every command that begins as it says, so a command that
 * crosses projects begins otherwise: `ccg --anyway …`.) In a person's terminal it need not. This file holds every check of it.
 */
export const isHeld = (io: Io): boolean => isInSession(io.env) && !io.anyway;

/** Throws for a held command; `what` names the option or command that reaches beyond the project. */
export function refuseCrossing(what: string, io: Io): void {
	if (isHeld(io))
		throw new Error(`${what}: a command in a session keeps to its project; add --anyway before it: ${ANYWAY}`);
}

const ANYWAY = "ccg --anyway COMMAND";
/** Gives the key of the project that a command works for. */
export const ownProject = (io: Io): string => projectOf(projectFolderOf(io)).key;

/** Finds the session whose id is `named`, or the only one whose id begins so; of a held command in its project. Throws where there is none. */
export function sessionNamed(named: string, io: Io): Session {
	const store = storeOf(io);
	const isOwn = (sid: string): boolean =>
		sid === io.env.CLAUDE_CODE_SESSION_ID || projectIn(sessionAt(store, sid)) === ownProject(io);
	// a session of this project may have stored nothing yet; a slash command names it by its whole id
	const isNew = isSessionId(named) && isOwn(named);
	const candidates = listSessions(store, { begin: named }).filter((sid) => !isHeld(io) || isOwn(sid));
	const where = isHeld(io) ? `this project in ${store.root}; for others: ${ANYWAY}` : store.root;
	return openSession(isNew ? named : onlySession(named, named === "" ? [] : candidates, where), io);
}

/** Gives a session of the store. Throws where a link in its folder leads elsewhere. */
function openSession(sid: string, io: Io): Session {
	const store = storeOf(io);
	refuseStoreLinks(store.root, sid);
	return sessionAt(store, sid);
}

/** Gives `named` if it is one of the candidates, else the only candidate; all of them begin with it. Throws where there are none or several. */
export function onlySession(named: string, candidates: readonly string[], where: string): string {
	if (candidates.includes(named)) return named;
	if (candidates.length === 1) return candidates[0]!;
	throw new Error(
		candidates.length === 0
			? `no session '${named}' in ${where}; 'ccg status --all' shows those there are`
			: `'${named}' is the beginning of ${candidates.length} sessions: ${candidates.slice(0, 5).join(", ")}; give more of it`,
	);
}

/** The session seen last is looked for among so many that were written to last: sessions are measured between two writes. */
const LAST = 20;

/** Gives the session that a command means: the one named, the one it runs in, else the one of this project seen last, which it says. */
export function meantSession(named: string | undefined, io: Io): Session {
	const here = io.env.CLAUDE_CODE_SESSION_ID;
	const sid = named ?? (isSessionId(here) ? here : undefined);
	if (sid !== undefined) return sessionNamed(sid, io);
	const store = storeOf(io);
	const folder = projectFolderOf(io);
	// a session of another project is never meant
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

/** Gives whose checkpoints a command looks at: those of the session named, else of this project, or all. */
export const whoseOf = ({ session, all }: Pick<Given, "session" | "all">, io: Io): Whose =>
	session !== undefined ? { sid: sessionNamed(session, io).id } : all ? {} : { project: ownProject(io) };

/** Gives the sessions that a command looks at: the one named, else those of this project, or all. */
export function sessionsMeant({ session, all }: Pick<Given, "session" | "all">, io: Io): Session[] {
	if (session !== undefined) return [sessionNamed(session, io)];
	const store = storeOf(io);
	const meant = listSessions(store, all ? {} : { project: ownProject(io) });
	return meant.map((sid) => sessionAt(store, sid));
}

/** Gives the name that people know a project by: that of its main folder. */
export const projectName = (folder: string, { root } = projectOf(folder)): string => basename(root) || root;

/** Reads the configuration that counts for a session or a folder; with neither that of the store. */
export const configFor = (place: ProfilePlace, io: Io): Config => loadConfig(storeOf(io).root, place).config;

/** Reads a session's record as people and programs read it, with the profile in force; `null` before its first turn ended. */
export function contextOf(session: Session) {
	const { record } = readRecord(session) ?? {};
	if (!record) return null;
	const profile = chosenProfile(session.root, { sid: session.id, folder: record.state.cwd })?.name ?? "default";
	const { summary } = lastCompaction(record.cursor.transcript_path).behind();
	return { ...sessionContext(record, summary === null ? "" : safeText(summary)), profile };
}

/** Gives the path of the new file that an option names. Throws where it exists, and where a held command may not write there. */
export function newFile(given: string, io: Io): string {
	const named = resolve(io.cwd, given);
	// (the file itself is new: a link there would be followed to another)
	const path = join(realPath(dirname(named)), basename(named));
	refuseOutsideProject(path, "written", io);
	if (quietLstat(path)) throw new Error(`${path} is there already; name another file or move it away`);
	return path;
}

/** Gives the path of the file that an option names to be read. Throws where a held command may not read it. */
export function fileToRead(given: string, io: Io): string {
	const path = realPath(resolve(io.cwd, given));
	refuseOutsideProject(path, "read", io);
	return path;
}

/** Throws where a held command names a file that is not below the project's folder, or whose path there has a dot name. */
function refuseOutsideProject(path: string, notDone: "read" | "written", io: Io): void {
	if (!isHeld(io)) return;
	const folder = realPath(projectFolderOf(io));
	const parts = relative(folder, path).split("/");
	// (files with a dot before the name may give orders to programs: settings, hooks of git, files of a shell)
	if (isWithin(path, folder) && !parts.some((part) => part === "" || part.startsWith("."))) return;
	throw new Error(
		`${path} was not ${notDone}: a command in a session keeps to files below ${folder} without a dot before their names; for others: ${ANYWAY}`,
	);
}
