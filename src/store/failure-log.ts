import { renameSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { failuresIn } from "../core/session/status.ts";
import { oneLine } from "../core/text/text.ts";
import { quietly } from "../files/quietly.ts";
import { readPart } from "../files/read-file.ts";
import { failureText } from "../files/system-failure.ts";
import { appendText } from "./gate.ts";
import { logPath } from "./paths.ts";
import { refusePathLinks } from "./refuse-links.ts";

const MAX_BYTES = 1024 * 1024;

/**
 * Writes a failure as one line into `log/ccg.log`, without environment and input.
 * Where the log can't be written the line goes to stderr, which Claude Code keeps in its debug log for a hook that ends 0.
 * Gives whether the log took it.
 */
export function logFailure(root: string | null, where: string, reason: unknown, sid?: string): boolean {
	const at = new Date().toISOString();
	const line = [at, " ", where, ...(sid ? [" ", sid] : []), ": ", `${reasonLine(reason)}\n`];
	try {
		if (!root) throw new Error("no store");
		addToLog(root, logPath(root), line);
	} catch {
		quietly(() => writeSync(2, `ccg ${line.join("")}`));
		return false;
	}
	return true;
}

/** Adds lines to a log of the store; a long log becomes `.1`, and a new one begins. Throws what the file system says. */
export function addToLog(root: string, path: string, lines: string | readonly string[]): void {
	quietly(() => statSync(path).size > MAX_BYTES && renameSync(path, `${path}.1`));
	refusePathLinks(root, dirname(path));
	appendText(path, lines);
}

/** Bytes read of the log's end: few, since the status line reads them at each refresh. */
const LOOKED_AT = 64 * 1024;

/** Reads the end of the log, which all sessions share; gives a function that finds a session's last failure in it. */
export const readFailures = (root: string): ReturnType<typeof failuresIn> =>
	failuresIn(readPart(logPath(root), LOOKED_AT, { end: true })?.text ?? "");

function reasonLine(reason: unknown): string {
	return oneLine(redactSecrets(failureText(reason).slice(0, 4_000))).slice(0, 300);
}
