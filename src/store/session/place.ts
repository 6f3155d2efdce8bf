import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { exact } from "../../core/redact/secrets.ts";
import { readText } from "../../files/json-file.ts";
import { fromStore, inStore, type Rows } from "../database.ts";
import { writeText } from "../gate.ts";
import { type Env, isPid, isSessionId, NO_STORE, storeRoot } from "../paths.ts";
import { projectOf } from "../project.ts";
import { refusePathLinks, refuseStoreLinks } from "../refuse-links.ts";
import { type Place, type Session, type Store, sessionAt } from "../session-handle.ts";
import { changeCycle, knownCycle } from "./cycles.ts";

/**
 * Keeps the folder that a session belongs to, and so its project, to which its notes go (`ccg memory save`). Hooks get the folder from Claude
 * Code itself; the agent's shell may be anywhere, and its environment set by a repository's settings. The folder of a start stays: another
 * hook's folder is kept only where there is none, as in a session that ran when ccg was installed.
 */
export function keepPlace(session: Session, folder: string | undefined, isStart = false): void {
	const keptFolder = folderOf(session);
	if (!folder || keptFolder === folder || (keptFolder && !isStart)) return;
	const { key } = projectOf(folder);
	const keep = (database: Rows): void => {
		changeCycle(session, (cycle) => {
			cycle.place = { folder };
		});
		database.query("UPDATE cycles SET project = ? WHERE session = ?").run(exact(key), session.id);
	};
	inStore(session, keep);
}

/** The folder that a session belongs to, as a hook kept it (`keepPlace`); `""` where none did. */
export const folderOf = (session: Session): string => knownCycle(session).cycle.place?.folder ?? "";

/** The key of the project that a session belongs to; `""` where no hook kept one. */
export function projectIn(session: Session): string {
	const sql = "SELECT project FROM cycles WHERE session = ?";
	const [[key] = []] = fromStore(session, (database) => database.query(sql).values(session.id)) ?? [];
	return String(key ?? "");
}

/** The store a command works in. Throws when there is none, and when one of its folders is a link. */
export function storeOf(io: Pick<Place, "env" | "tell">): Store {
	const root = storeRoot(io.env);
	if (!root) throw new Error(NO_STORE);
	refuseStoreLinks(root);
	return { root, tell: io.tell };
}

/**
 * The folder whose project a command or the MCP server works for: the session's, as a hook kept it, wherever the agent's shell has gone.
 * Without one the process's own folder; throws where CLAUDE_PROJECT_DIR, which a repository's settings can set, names another project.
 */
export function projectFolderOf({ env, cwd, tell }: Place): string {
	const { CLAUDE_CODE_SESSION_ID: sid, CLAUDE_PROJECT_DIR: named } = env;
	const root = storeRoot(env);
	const known = root && isSessionId(sid) ? folderOf(sessionAt({ root, tell }, sid)) : "";
	if (known) return known;
	if (named && projectOf(named).key !== projectOf(cwd).key)
		throw new Error(
			`CLAUDE_PROJECT_DIR is ${named}, this runs in ${cwd}, and no hook has told which of them the session belongs to; run it in ${named}, or without that variable`,
		);
	return cwd;
}

const processPath = (root: string, pid: number): string => join(root, "run", "process", String(pid));

/**
 * Keeps to which session a process of Claude Code went over, by `/clear` or `/resume`: an MCP server that it started before still has the id
 * of the first session. `CLAUDE_PID` in a hook is the server's parent (measured on 2.1.330). Without it nothing is kept.
 */
export function keepProcessSession(root: string, env: Env, session: string): void {
	const { CLAUDE_PID: pid = "" } = env;
	if (!isPid(pid)) return;
	const path = processPath(root, Number(pid));
	refusePathLinks(root, dirname(path));
	writeText(path, session, { sync: false });
}

/** The session that was kept of a process since `sinceMs`; `null` without one. An older file may be of another process with that number. */
export function processSession(root: string, pid: number, sinceMs: number): string | null {
	const path = processPath(root, pid);
	const stat = statSync(path, { throwIfNoEntry: false });
	if (!stat || stat.mtimeMs < sinceMs) return null;
	const session = readText(path);
	return isSessionId(session) ? session : null;
}
