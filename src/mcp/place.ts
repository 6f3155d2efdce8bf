import { logFailure } from "../store/failure-log.ts";
import { storeRoot } from "../store/paths.ts";
import { findProject } from "../store/project.ts";
import { findProjectFolder, readProcessSession, requireStore } from "../store/session/place.ts";
import type { CommandContext } from "../store/session-handle.ts";

/** What one call of a tool works with: `root` of the store, the project's `folder` and its key `project`. */
export type CallContext = ReturnType<typeof callContext>;

/** Finds store, project and session anew for each call. `client`: the server's parent and its start. Throws where the store can't be used. */
export function callContext(server: CommandContext, client: { pid: number; sinceMs: number }) {
	const { root } = requireStore(server);
	const folder = findProjectFolder(server);
	const project = findProject(folder).key;
	const session = readProcessSession(root, client.pid, client.sinceMs);
	return { ...server, env: { ...server.env, ...sessionVariable(server, project, session) }, root, folder, project };
}

/**
 * Gives the environment variable with the id of the session that Claude Code has gone over to, since the server keeps running. Gives none for a
 * session of another project: the id is from a file that is found by a process id, which a repository's settings can set.
 */
function sessionVariable(server: CommandContext, project: string, session: string | null): CommandContext["env"] {
	if (!session) return {};
	const variable = { CLAUDE_CODE_SESSION_ID: session };
	const folder = findProjectFolder({ ...server, env: { ...server.env, ...variable } });
	return findProject(folder).key === project ? variable : {};
}

/** Writes a failure of the server as one line into ccg's log. */
export const logMcpFailure = ({ env }: CommandContext, reason: unknown): void =>
	void logFailure(storeRoot(env), "mcp", reason);
