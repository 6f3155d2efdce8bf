import type { Env } from "../../store/paths.ts";
import { sessionProject } from "../../store/session/session-project.ts";
import type { Io } from "./io.ts";
import { findStore, needStore } from "./store.ts";

/** Claude Code says so to every command it starts. */
export const isInSession = (env: Env): boolean =>
	Boolean(env.CLAUDECODE || env.CLAUDE_CODE_SESSION_ID || env.CLAUDE_CODE_ENTRYPOINT || env.CLAUDE_PROJECT_DIR);

/**
 * Whose notes they are. In a session: the project it began in, as a hook was told it, also when the agent's shell has gone
 * elsewhere (its folder lasts from one command to the next, so a `cd` allowed earlier would choose another project).
 */
export function projectFolderOf({ env, cwd }: Io): string {
	const root = findStore({ env });
	const known = root ? sessionProject(root, env.CLAUDE_CODE_SESSION_ID) : null;
	return known?.folder || env.CLAUDE_PROJECT_DIR || cwd;
}

export const memoryRoot = (io: Io): string => needStore(io, "so there is no place for memory");
