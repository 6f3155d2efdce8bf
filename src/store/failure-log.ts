import { renameSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { redactSecrets } from "../core/redact/secrets.ts";
import { quietly } from "./atomic-write.ts";
import { appendText } from "./gate.ts";
import { writeFailure } from "./last-failure.ts";
import { isSessionId, logPath } from "./paths.ts";
import { refusePathLinks } from "./refuse-links.ts";
import { sessionAt } from "./session-handle.ts";

const MAX_BYTES = 1024 * 1024;

/**
 * One line per failure in `log/ccg.log`, and the session's last failure for the status line. No environment, no input.
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
	const line = `${now.toISOString()} ${where}${sid ? ` ${sid}` : ""}: ${reasonLine(reason)}\n`;
	try {
		if (!root) throw new Error("no store");
		const path = logPath(root);
		quietly(() => statSync(path).size > MAX_BYTES && renameSync(path, `${path}.1`));
		refusePathLinks(root, dirname(path));
		appendText(path, line);
	} catch {
		quietly(() => writeSync(2, `ccg ${line}`));
		return false;
	}
	if (isSessionId(sid))
		quietly(() => {
			// a failure of this very write has nowhere else to go
			const session = sessionAt({ root, tell: () => {} }, sid);
			refusePathLinks(root, session.paths.folder);
			writeFailure(session, { at: now.toISOString(), where, reason: reasonLine(reason) });
		});
	return true;
}

function reasonLine(reason: unknown): string {
	const text = reason instanceof Error ? reason.message : String(reason);
	return redactSecrets(text.slice(0, 4_000)).replace(/\s+/g, " ").slice(0, 300);
}
