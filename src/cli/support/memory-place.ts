import { type Env, storeRoot } from "../../store/paths.ts";
import { sessionProject } from "../../store/session/session-project.ts";
import type { Io } from "./io.ts";

/** Claude Code says so to every command it starts. */
export const isInSession = (env: Env): boolean =>
	Boolean(env.CLAUDECODE || env.CLAUDE_CODE_SESSION_ID || env.CLAUDE_CODE_ENTRYPOINT || env.CLAUDE_PROJECT_DIR);

/**
 * Whose notes they are. In a session: the project it began in, as a hook was told it, also when the agent's shell has gone
 * elsewhere (its folder lasts from one command to the next, so a `cd` allowed earlier would choose another project).
 */
export function projectFolderOf({ env, cwd }: Io): string {
	const root = storeRoot(env);
	const known = root ? sessionProject(root, env.CLAUDE_CODE_SESSION_ID) : null;
	return known?.folder || env.CLAUDE_PROJECT_DIR || cwd;
}

export function memoryRoot(io: Io): string {
	const root = storeRoot(io.env);
	if (!root) throw new Error("there is no place for memory: neither CCG_HOME nor HOME is set; set one of them");
	return root;
}
