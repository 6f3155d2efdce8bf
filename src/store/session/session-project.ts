import { dirname } from "node:path";
import { isSessionId, sessionPaths } from "../paths.ts";
import { guardPath } from "../refuse-links.ts";
import { flag, literal, object, shape, text } from "../shape.ts";
import { type FileKind, readGood, unversioned, writeVersioned } from "../versioned-file.ts";

/** Where a session belongs, as its hooks know it. */
export interface SessionProject {
	/** The folder the session began in. */
	folder: string;
	/** The agent's shell was told of a store that is not the default one. */
	storeTold: boolean;
}

/** Of one session: its next start writes it again. */
const SESSION_PROJECT: FileKind<SessionProject & { version: 1 }> = {
	name: "session's project",
	version: 1,
	schema: shape(object({ version: literal(1), folder: text, storeTold: flag })),
	migrations: unversioned,
	passing: true,
};

/**
 * Keeps which project a session belongs to: a hook is told by Claude Code itself, while the agent's shell may be anywhere
 * and its environment be set by a repository's settings. Notes of the session go there (`ccg memory save`).
 */
export function keepSessionProject(root: string, sid: string, project: SessionProject): void {
	const path = sessionPaths(root, sid).project;
	guardPath(root, dirname(path));
	const known = readGood(path, SESSION_PROJECT);
	if (known?.folder === project.folder && known.storeTold === project.storeTold) return;
	writeVersioned(path, SESSION_PROJECT, { version: 1, ...project }, { sync: false });
}

/** What the session's hooks kept; `null` when they kept nothing. */
export function sessionProject(root: string, sid: string | undefined): SessionProject | null {
	return isSessionId(sid) ? readGood(sessionPaths(root, sid).project, SESSION_PROJECT) : null;
}
