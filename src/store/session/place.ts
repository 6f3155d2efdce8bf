import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { exact } from "../../core/redact/secrets.ts";
import { readText } from "../../files/json-file.ts";
import { readFromStore, type SafeDatabase, writeToStore } from "../database.ts";
import { writeText } from "../gate.ts";
import { type Env, isPid, isSessionId, NO_STORE, storeRoot } from "../paths.ts";
import { findProject } from "../project.ts";
import { refusePathLinks, refuseStoreLinks } from "../refuse-links.ts";
import { type CommandContext, type Session, type Store, sessionHandle } from "../session-handle.ts";
import { changeCycle, readKnownCycle } from "./cycles.ts";

/**
 * Keeps the folder that a session belongs to, and so the project to which its notes go (`ccg memory save`). Only hooks know it: Claude Code
 * gives it to them, while the agent's shell may be anywhere. The folder at the start stays; that of a later hook is kept only where there is
 * none, as in a session older than ccg's installation.
 */
export function keepSessionFolder(session: Session, folder: string | undefined, isStart = false): void {
	// (a start asks the row: the file may be of a store that was lost)
	const keptFolder = isStart && !readSessionProject(session) ? "" : readSessionFolder(session);
	if (!folder || keptFolder === folder || (keptFolder && !isStart)) return;
	const { key } = findProject(folder);
	const keep = (database: SafeDatabase): void => {
		changeCycle(session, (cycle) => void Object.assign(cycle, { place: { folder } }));
		database.query("UPDATE cycles SET project = ? WHERE session = ?").run(exact(key), session.id);
	};
	writeToStore(session, keep);
}

/** The folder that a session belongs to (`keepSessionFolder`); `""` where none was kept. */
export const readSessionFolder = (session: Session): string => readKnownCycle(session).place?.folder ?? "";

/** The key of the project that a session belongs to; `""` where none was kept. */
export function readSessionProject(session: Session): string {
	const sql = "SELECT project FROM cycles WHERE session = ?";
	const [[key] = []] = readFromStore(session, (database) => database.query(sql).values(session.id)) ?? [];
	return String(key ?? "");
}

/** The store that a command works in. Throws where there is none, or its folders are not safe (`refuseStoreLinks`). */
export function requireStore(context: Pick<CommandContext, "env" | "onProblem">): Store {
	const root = storeRoot(context.env);
	if (!root) throw new Error(NO_STORE);
	refuseStoreLinks(root);
	return { root, onProblem: context.onProblem };
}

/**
 * The folder whose project a command or the MCP server works for: the session's where it is kept, since the agent's shell may be anywhere; else
 * the current one. Throws where CLAUDE_PROJECT_DIR names another project than that: a repository's settings can set it.
 */
export function findProjectFolder({ env, cwd, onProblem }: CommandContext): string {
	const { CLAUDE_CODE_SESSION_ID: sid, CLAUDE_PROJECT_DIR: named } = env;
	const root = storeRoot(env);
	const known = root && isSessionId(sid) ? readSessionFolder(sessionHandle({ root, onProblem }, sid)) : "";
	if (known) return known;
	if (named && findProject(named).key !== findProject(cwd).key)
		throw new Error(
			`CLAUDE_PROJECT_DIR is ${named}, this runs in ${cwd}, and no hook has told which of them the session belongs to; run it in ${named}, or without that variable`,
		);
	return cwd;
}

/** The file that keeps a process's session (`keepProcessSession`). */
const processSessionPath = (root: string, pid: number): string => join(root, "run", "process", String(pid));

/**
 * Keeps which session a process of Claude Code has now, after `/clear` or `/resume`: an MCP server that it started before knows only the first
 * one. `CLAUDE_PID`, given to hooks, is the id of that process. Without it nothing is kept.
 */
export function keepProcessSession(root: string, env: Env, session: string): void {
	const { CLAUDE_PID: pid = "" } = env;
	if (!isPid(pid)) return;
	const path = processSessionPath(root, Number(pid));
	refusePathLinks(root, dirname(path));
	writeText(path, session, { sync: false });
}

/** The session that a process has now, if kept since `sinceMs` (when it started): an older file is of another process with its id. Else `null`. */
export function readProcessSession(root: string, pid: number, sinceMs: number): string | null {
	const path = processSessionPath(root, pid);
	const stat = statSync(path, { throwIfNoEntry: false });
	if (!stat || stat.mtimeMs < sinceMs) return null;
	const session = readText(path);
	return isSessionId(session) ? session : null;
}
