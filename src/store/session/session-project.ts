import { dirname } from "node:path";
import type { Content } from "../json-schema.ts";
import { isSessionId, sessionPaths } from "../paths.ts";
import { refusePathLinks } from "../refuse-links.ts";
import type { Session } from "../session-handle.ts";
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
	const known = readGood(path, SESSION_PROJECT);
	if (known?.folder === project.folder && known.storeTold === project.storeTold) return;
	writeVersioned(path, SESSION_PROJECT, { version: 1, ...project }, { sync: false });
}

/** What the session's hooks kept; `null` when they kept nothing. */
export function sessionProject(root: string, sid: string | undefined): SessionProject | null {
	return isSessionId(sid) ? readGood(sessionPaths(root, sid).project, SESSION_PROJECT) : null;
}
