import { logFailure } from "../store/failure-log.ts";
import { storeRoot } from "../store/paths.ts";
import { projectOf } from "../store/project.ts";
import { processSession, projectFolderOf, storeOf } from "../store/session/place.ts";
import type { Place } from "../store/session-handle.ts";

/** Where one call works: `root` of the store, the project's `folder` and its key. */
export type CallPlace = ReturnType<typeof callPlace>;

/**
 * Finds the store, the project and the session of a call, anew for each call: hooks may have kept more, and rights may have changed.
 * `client`: the process that started the server, and since when. Throws, in words, where the store is one that no command uses.
 */
export function callPlace(given: Place, client: { pid: number; sinceMs: number }) {
	const { root } = storeOf(given);
	const folder = projectFolderOf(given);
	const project = projectOf(folder).key;
	const session = processSession(root, client.pid, client.sinceMs);
	return { ...given, env: { ...given.env, ...sessionNow(given, project, session) }, root, folder, project };
}

/**
 * The variable with the current session's id, where Claude Code went over to another session of the same project and kept the server; else
 * none. Another project's session does not count: the file with the id is named after a process, which a repository's settings can set.
 */
function sessionNow(given: Place, project: string, session: string | null): Place["env"] {
	const env = { CLAUDE_CODE_SESSION_ID: session ?? "" };
	return session && projectOf(projectFolderOf({ ...given, env: { ...given.env, ...env } })).key === project ? env : {};
}

/** Writes a failure as one line into ccg's log. */
export const logIn = ({ env }: Place, reason: unknown): void => void logFailure(storeRoot(env), "mcp", reason);
