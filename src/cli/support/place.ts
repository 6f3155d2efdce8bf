import { basename, dirname, join, relative, resolve } from "node:path";
import { readLastCompaction } from "../../claude/transcript/compactions.ts";
import type { CheckpointFilter } from "../../core/checkpoint/checkpoint.ts";
import type { Config } from "../../core/config/config.ts";
import { sessionContext } from "../../core/context/project.ts";
import { safeText } from "../../core/text/text.ts";
import { tryLstat } from "../../files/quietly.ts";
import { isWithin, realPath } from "../../files/real-path.ts";
import { loadConfig, type ProfileChoosers, readChosenProfile } from "../../store/config.ts";
import { isInSession, isSessionId } from "../../store/paths.ts";
import { findProject } from "../../store/project.ts";
import { refuseStoreLinks } from "../../store/refuse-links.ts";
import { listSessions } from "../../store/session/cycles.ts";
import { findProjectFolder, readSessionProject, requireStore } from "../../store/session/place.ts";
import { readRecord } from "../../store/session/records.ts";
import { type Session, sessionHandle } from "../../store/session-handle.ts";
import { readSessionStatuses } from "../../store/status/session-status.ts";
import type { Flags } from "./command.ts";
import type { Io } from "./io.ts";

// Which session, project, file and configuration a command means, and which it may.

/**
 * Whether a command is bound to the project of the session that runs it, as all are but `ccg --anyway ...`; in a person's terminal none is.
 * (A permission rule allows commands by how they begin, so one that leaves the project begins with `--anyway`.)
 */
export const isProjectBound = (io: Io): boolean => isInSession(io.env) && !io.mayLeaveProject;

/** Throws for a command bound to its project; `what` names the option or command that reaches beyond it. */
export function refuseIfBound(what: string, io: Io): void {
	if (isProjectBound(io))
		throw new Error(`${what}: a command in a session keeps to its project; add --anyway before it: ${ANYWAY_COMMAND}`);
}

const ANYWAY_COMMAND = "ccg --anyway COMMAND";

/** Gives the key of the project that a command works for. */
export const projectKey = (io: Io): string => findProject(findProjectFolder(io)).key;

/** Finds the one session whose id is `idPrefix` or begins so; one bound to its project (`isProjectBound`) finds only that project's. Throws where there is none. */
export function findSession(idPrefix: string, io: Io): Session {
	const store = requireStore(io);
	const isOwn = (sid: string): boolean =>
		sid === io.env.CLAUDE_CODE_SESSION_ID || readSessionProject(sessionHandle(store, sid)) === projectKey(io);
	// a session of this project may have stored nothing yet; a slash command names it by its whole id
	const isNew = isSessionId(idPrefix) && isOwn(idPrefix);
	const candidates = listSessions(store, { begin: idPrefix }).filter((sid) => !isProjectBound(io) || isOwn(sid));
	const where = isProjectBound(io) ? `this project in ${store.root}; for others: ${ANYWAY_COMMAND}` : store.root;
	return openSession(isNew ? idPrefix : completeSessionId(idPrefix, idPrefix === "" ? [] : candidates, where), io);
}

/** Gives the handle of a session. Throws where a link in its folder leads out of the store. */
function openSession(sid: string, io: Io): Session {
	const store = requireStore(io);
	refuseStoreLinks(store.root, sid);
	return sessionHandle(store, sid);
}

/** Completes the beginning of a session's id. `candidates`: all ids that begin so. Throws where none fits, or several. */
export function completeSessionId(idPrefix: string, candidates: readonly string[], where: string): string {
	if (candidates.includes(idPrefix)) return idPrefix;
	if (candidates.length === 1) return candidates[0]!;
	throw new Error(
		candidates.length === 0
			? `no session '${idPrefix}' in ${where}; 'ccg status --all' shows those there are`
			: `'${idPrefix}' is the beginning of ${candidates.length} sessions: ${candidates.slice(0, 5).join(", ")}; give more of it`,
	);
}

/** The session seen last is looked for among so many that were written to last: sessions are measured between two writes. */
const RECENT_SESSIONS = 20;

/** Finds the session a command is for: the one named, the one it runs in, else this project's last, which it then prints. */
export function resolveSession(idPrefix: string | undefined, io: Io): Session {
	const current = io.env.CLAUDE_CODE_SESSION_ID;
	const wanted = idPrefix ?? (isSessionId(current) ? current : undefined);
	if (wanted !== undefined) return findSession(wanted, io);
	const store = requireStore(io);
	const { key, root } = findProject(findProjectFolder(io));
	const [last] = readSessionStatuses(store, listSessions(store, { project: key, most: RECENT_SESSIONS }));
	if (!last)
		throw new Error(
			`no session is known of this project (${root}) in ${store.root}; name one with --session ID ('ccg status --all' shows those there are)`,
		);
	const session = openSession(last.sessionId, io);
	io.err(`ccg: of session ${session.id}, the one of this project seen last (--session names another)`);
	return session;
}

/** Makes the filter of the checkpoints that a command works on: of the session named, else of this project; with `--all` of all. */
export const checkpointFilter = ({ session, all }: Pick<Flags, "session" | "all">, io: Io): CheckpointFilter =>
	session !== undefined ? { sid: findSession(session, io).id } : all ? {} : { project: projectKey(io) };

/** Gives the sessions that a command works on: the one named, else those of this project; with `--all` those of all. */
export function selectSessions({ session, all }: Pick<Flags, "session" | "all">, io: Io): Session[] {
	if (session !== undefined) return [findSession(session, io)];
	const store = requireStore(io);
	return listSessions(store, all ? {} : { project: projectKey(io) }).map((sid) => sessionHandle(store, sid));
}

/** Gives the name that people know a project by: that of its main folder. */
export const projectName = (folder: string, { root } = findProject(folder)): string => basename(root) || root;

/** Reads the configuration that applies to a session or a folder; with neither, that of the store. */
export const configFor = (target: ProfileChoosers, io: Io): Config => loadConfig(requireStore(io).root, target).config;

/** Reads a session's record in the form that is printed, with the name of its profile; `null` before its first turn ended. */
export function readContext(session: Session) {
	const { record } = readRecord(session) ?? {};
	if (!record) return null;
	const profile = readChosenProfile(session.root, { sid: session.id, folder: record.state.cwd })?.name ?? "default";
	const { summary } = readLastCompaction(record.cursor.transcript_path).afterBoundary();
	return { ...sessionContext(record, summary === null ? "" : safeText(summary)), profile };
}

/** Gives the real path for a new file that an option names. Throws where it exists, and outside the project of a command bound to it. */
export function pathToCreate(path: string, io: Io): string {
	const absolute = resolve(io.cwd, path);
	// (links are resolved in the folder alone: a link in the file's own place makes it exist)
	const newPath = join(realPath(dirname(absolute)), basename(absolute));
	refuseFileOutsideProject(newPath, "written", io);
	if (tryLstat(newPath)) throw new Error(`${newPath} is there already; name another file or move it away`);
	return newPath;
}

/** Gives the real path of a file that an option names to be read. Throws outside the project of a command bound to it. */
export function pathToRead(path: string, io: Io): string {
	const real = realPath(resolve(io.cwd, path));
	refuseFileOutsideProject(real, "read", io);
	return real;
}

/** Throws where a command bound to its project (`isProjectBound`) names a file outside the project's folder, or one whose path in it has a name that begins with a dot. */
function refuseFileOutsideProject(path: string, action: "read" | "written", io: Io): void {
	if (!isProjectBound(io)) return;
	const folder = realPath(findProjectFolder(io));
	const parts = relative(folder, path).split("/");
	// (files with a dot before the name may give orders to programs: settings, hooks of git, files of a shell)
	if (isWithin(path, folder) && !parts.some((part) => part === "" || part.startsWith("."))) return;
	throw new Error(
		`${path} was not ${action}: a command in a session keeps to files below ${folder} without a dot before their names; for others: ${ANYWAY_COMMAND}`,
	);
}
