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
 * Keeps which project a session belongs to: a hook is told by Claude Code itself, while the agent's shell may be anywhere
 * and its environment be set by a repository's settings. Notes of the session go there (`ccg memory save`). What a start told stays: other
 * hooks tell it where none did, as of a session that ran when ccg was installed.
 */
export function keepPlace(session: Session, folder: string | undefined, isStart = false): void {
	const known = folderOf(session);
	if (!folder || known === folder || (known && !isStart)) return;
	const { key } = projectOf(folder);
	const keep = (database: Rows): void => {
		changeCycle(session, (cycle) => {
			cycle.place = { folder };
		});
		database.query("UPDATE cycles SET project = ? WHERE session = ?").run(exact(key), session.id);
	};
	inStore(session, keep);
}

/** The folder a session belongs to, as its hooks kept it; `""` where none did. */
export const folderOf = (session: Session): string => knownCycle(session).cycle.place?.folder ?? "";

/** The key of its project; `""` where no hook told one. */
export function projectIn(session: Session): string {
	const sql = "SELECT project FROM cycles WHERE session = ?";
	const [[key] = []] = fromStore(session, (database) => database.query(sql).values(session.id)) ?? [];
	return String(key ?? "");
}

/** The store a command works in: none of its folders leads elsewhere. Throws when there is none. */
export function storeOf(io: Pick<Place, "env" | "tell">): Store {
	const root = storeRoot(io.env);
	if (!root) throw new Error(NO_STORE);
	refuseStoreLinks(root);
	return { root, tell: io.tell };
}

/**
 * The folder whose project a command or the MCP server works for: the one the session began in, as a hook was told it, wherever
 * the agent's shell has gone. Else the process's own; throws where a variable, which a repository's settings can set, says otherwise.
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
 * Keeps which session a process of Claude Code has gone over to, with `/clear` or `/resume`: an MCP server that it started before goes on
 * with the id of its start. `CLAUDE_PID` is what hooks get, and the server's parent (measured on 2.1.330). Nothing without it.
 */
export function keepProcessSession(root: string, env: Env, session: string): void {
	const { CLAUDE_PID: pid = "" } = env;
	if (!isPid(pid)) return;
	const path = processPath(root, Number(pid));
	refusePathLinks(root, dirname(path));
	writeText(path, session, { sync: false });
}

/** The session of a process, as kept since then; `null` where none was. What is older may be another process's of that number. */
export function processSession(root: string, pid: number, sinceMs: number): string | null {
	const path = processPath(root, pid);
	const stat = statSync(path, { throwIfNoEntry: false });
	if (!stat || stat.mtimeMs < sinceMs) return null;
	const session = readText(path);
	return isSessionId(session) ? session : null;
}
