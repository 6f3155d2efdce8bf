import { basename, dirname, join, relative, resolve } from "node:path";
import { quietLstat } from "../../files/quiet-stat.ts";
import { isWithin, realPath } from "../../files/real-path.ts";
import { isInSession } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { projectIn } from "../../store/recovery/find-checkpoints.ts";
import { projectFolderOf } from "../../store/session/session-project.ts";
import type { Store } from "../../store/session-handle.ts";
import type { Io } from "./io.ts";

/**
 * Whether a command keeps to its session's project: a permission rule allows all that begins as it does, so what crosses
 * projects begins otherwise (`ccg --anyway …`). A person's terminal is held to nothing.
 */
export const isHeld = (io: Io): boolean => isInSession(io.env) && !io.anyway;

/** Throws where a held command is asked for what is not this project's. */
export function refuseCrossing(what: string, io: Io): void {
	if (isHeld(io))
		throw new Error(`${what}: a command in a session keeps to its project; add --anyway before it: ${ANYWAY}`);
}

const ANYWAY = "ccg --anyway COMMAND";

/** Whether a session is one a command may name: the one it runs in, one of its project, or not held at all. */
export const mayName = (store: Store, sid: string, io: Io): boolean =>
	!isHeld(io) || sid === io.env.CLAUDE_CODE_SESSION_ID || isOwnProject(store, sid, io);

export const isOwnProject = (store: Store, sid: string, io: Io): boolean =>
	projectIn(store, sid) === projectOf(projectFolderOf(io)).key;

/** Where the file that an option names is to be written, exclusively: a new one, of a held command below the project's folder. */
export function newFile(given: string, io: Io): string {
	const named = resolve(io.cwd, given);
	// (the file itself is new: a link there would be followed to another)
	const path = kept(join(realPath(dirname(named)), basename(named)), "written", io);
	if (quietLstat(path)) throw new Error(`${path} is there already; name another file or move it away`);
	return path;
}

/** The file an option names to be read: of a held command one below the project's folder. */
export const fileToRead = (given: string, io: Io): string => kept(realPath(resolve(io.cwd, given)), "read", io);

function kept(path: string, done: string, io: Io): string {
	if (!isHeld(io)) return path;
	const folder = realPath(projectFolderOf(io));
	const parts = relative(folder, path).split("/");
	// (settings, hooks of git, a shell's files: what begins with a dot may be read as orders)
	if (isWithin(path, folder) && !parts.some((part) => part === "" || part.startsWith("."))) return path;
	throw new Error(
		`${path} was not ${done}: a command in a session keeps to files below ${folder} without a dot before their names; for others: ${ANYWAY}`,
	);
}
