import { dirname } from "node:path";
import type { Content } from "../json-schema.ts";
import { isSessionId, storeRoot } from "../paths.ts";
import { projectOf } from "../project.ts";
import { refusePathLinks } from "../refuse-links.ts";
import { type Place, type Session, sessionAt } from "../session-handle.ts";
import { sessionProject as projectShape } from "../shapes.generated.ts";
import type * as stored from "../stored-shapes.ts";
import { kindOf, readGood, writeVersioned } from "../versioned-file.ts";

export type SessionProject = Content<typeof stored.sessionProject>;

/** Of one session: its next start writes it again. */
const SESSION_PROJECT = kindOf("session's project", projectShape, { passing: true });

/**
 * Keeps which project a session belongs to: a hook is told by Claude Code itself, while the agent's shell may be anywhere
 * and its environment be set by a repository's settings. Notes of the session go there (`ccg memory save`).
 */
export function keepSessionProject(session: Session, project: SessionProject): void {
	const path = session.paths.project;
	refusePathLinks(session.root, dirname(path));
	const known = readGood(path, SESSION_PROJECT, session.tell);
	if (known?.folder === project.folder && known.storeTold === project.storeTold) return;
	writeVersioned(path, SESSION_PROJECT, { version: 1, ...project }, { sync: false });
}

/** What the session's hooks kept; `null` when they kept nothing. */
export const sessionProject = (session: Session): SessionProject | null =>
	readGood(session.paths.project, SESSION_PROJECT, session.tell);

/** The folder the session of a command began in, as hooks kept it in a store; `null` where they kept nothing there. */
export function recordedFolder({ env, tell }: Pick<Place, "env" | "tell">, root = storeRoot(env)): string | null {
	const sid = env.CLAUDE_CODE_SESSION_ID;
	return (root && isSessionId(sid) && sessionProject(sessionAt({ root, tell }, sid))?.folder) || null;
}

/**
 * The folder whose project a command or the MCP server works for: the one the session began in, as a hook was told it, wherever
 * the agent's shell has gone. Else the process's own; throws where a variable, which a repository's settings can set, says otherwise.
 */
export function projectFolderOf({ env, cwd, tell }: Place): string {
	const known = recordedFolder({ env, tell });
	if (known) return known;
	const named = env.CLAUDE_PROJECT_DIR;
	if (named && projectOf(named).key !== projectOf(cwd).key)
		throw new Error(
			`CLAUDE_PROJECT_DIR is ${named}, this runs in ${cwd}, and no hook has told which of them the session belongs to; run it in ${named}, or without that variable`,
		);
	return cwd;
}
