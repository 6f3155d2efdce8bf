import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeText } from "../gate.ts";
import { readText } from "../json-file.ts";
import { type Env, isSessionId } from "../paths.ts";
import { refusePathLinks } from "../refuse-links.ts";

/**
 * Which session a process of Claude Code has gone over to, with `/clear` or `/resume`: an MCP server that it started before goes on
 * with the id of its start. `CLAUDE_PID` is what hooks get, and the server's parent (measured on 2.1.330).
 */
const pathOf = (root: string, pid: number): string => join(root, "run", "process", String(pid));

/** Keeps it; nothing where Claude Code does not say which process it is. */
export function keepProcessSession(root: string, env: Env, session: string): void {
	const { CLAUDE_PID: pid = "" } = env;
	if (!/^[1-9]\d{0,9}$/.test(pid)) return;
	const path = pathOf(root, Number(pid));
	refusePathLinks(root, dirname(path));
	writeText(path, session, { sync: false });
}

/** The session of a process, as kept since then; `null` where none was. What is older may be another process's of that number. */
export function processSession(root: string, pid: number, sinceMs: number): string | null {
	const path = pathOf(root, pid);
	const stat = statSync(path, { throwIfNoEntry: false });
	if (!stat || stat.mtimeMs < sinceMs) return null;
	const session = readText(path);
	return isSessionId(session) ? session : null;
}
