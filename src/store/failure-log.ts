import { renameSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { failuresIn } from "../core/session/status.ts";
import { oneLine } from "../core/text/text.ts";
import { tryOrUndefined } from "../files/quietly.ts";
import { readTextPart } from "../files/read-file.ts";
import { failureText } from "../files/system-failure.ts";
import { appendText } from "./gate.ts";
import { logPath } from "./paths.ts";
import { refusePathLinks } from "./refuse-links.ts";

const MAX_BYTES = 1024 * 1024;

/** Writes a failure as one line into `log/ccg.log`, else to stderr, which Claude Code keeps in its debug log. Gives whether the log has it. */
export function logFailure(root: string | null, where: string, reason: unknown, sid?: string): boolean {
	const at = new Date().toISOString();
	const line = [at, " ", where, ...(sid ? [" ", sid] : []), ": ", `${reasonLine(reason)}\n`];
	try {
		if (!root) throw new Error("no store");
		addToLog(root, logPath(root), line);
	} catch {
		tryOrUndefined(() => writeSync(2, `ccg ${line.join("")}`));
		return false;
	}
	return true;
}

/** Adds lines to a log of the store; renames a long log to `<path>.1` before. Throws what the file system says. */
export function addToLog(root: string, path: string, lines: string | readonly string[]): void {
	tryOrUndefined(() => statSync(path).size > MAX_BYTES && renameSync(path, `${path}.1`));
	refusePathLinks(root, dirname(path));
	appendText(path, lines);
}

const READ_BYTES = 64 * 1024;

/** Reads the end of the log of all sessions; gives a function that finds a session's last failure there. */
export const loadFailureFinder = (root: string): ReturnType<typeof failuresIn> =>
	failuresIn(readTextPart(logPath(root), READ_BYTES, { fromEnd: true })?.text ?? "");

/** A failure's reason as one short line, secrets redacted. */
function reasonLine(reason: unknown): string {
	return oneLine(redactSecrets(failureText(reason).slice(0, 4_000))).slice(0, 300);
}
