import { renameSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { readPart } from "../files/read-file.ts";
import { quietly } from "./atomic-write.ts";
import { appendText } from "./gate.ts";
import { logPath } from "./paths.ts";
import { refusePathLinks } from "./refuse-links.ts";
import type { Session } from "./session-handle.ts";

const MAX_BYTES = 1024 * 1024;

/**
 * One line per failure in `log/ccg.log`. No environment, no input.
 * Where the log can't be written the line goes to stderr, which Claude Code keeps in its debug log for a hook that ends 0.
 * Gives whether the log took it.
 */
export function logFailure(
	root: string | null,
	where: string,
	reason: unknown,
	sid?: string,
	now = new Date(),
): boolean {
	const line = [now.toISOString(), " ", where, ...(sid ? [" ", sid] : []), ": ", `${reasonLine(reason)}\n`];
	try {
		if (!root) throw new Error("no store");
		const path = logPath(root);
		quietly(() => statSync(path).size > MAX_BYTES && renameSync(path, `${path}.1`));
		refusePathLinks(root, dirname(path));
		appendText(path, line);
	} catch {
		quietly(() => writeSync(2, `ccg ${line.join("")}`));
		return false;
	}
	return true;
}

/** A session's last failure, for the status line and `ccg status`. `at`: ISO 8601. */
export interface LastFailure {
	at: string;
	where: string;
	reason: string;
}

/** The session's last line in the log, or in the one before it; `null` without one. */
export function readFailure({ root, id }: Pick<Session, "root" | "id">): LastFailure | null {
	const about = ` ${id}: `;
	const path = logPath(root);
	const line = lastLine(path, about) ?? lastLine(`${path}.1`, about);
	if (line === undefined) return null;
	const from = line.indexOf(" ");
	const to = line.indexOf(about);
	return { at: line.slice(0, from), where: line.slice(from + 1, to), reason: line.slice(to + about.length) };
}

/** All sessions share the log: of its newest part alone another one's failures take up everything. */
function lastLine(path: string, about: string): string | undefined {
	const log = readPart(path, 2 * MAX_BYTES, { end: true })?.text;
	return log?.includes(about) ? log.split("\n").findLast((one) => one.includes(about)) : undefined;
}

function reasonLine(reason: unknown): string {
	const text = reason instanceof Error ? reason.message : String(reason);
	return redactSecrets(text.slice(0, 4_000)).replace(/\s+/g, " ").slice(0, 300);
}
