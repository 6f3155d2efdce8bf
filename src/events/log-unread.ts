import { readFailure } from "../store/last-failure.ts";
import type { Services } from "./event.ts";

/** With --no-session-persistence there is never a transcript: a session is told once. */
export function logUnread(error: unknown, root: string, sid: string, log: Services["log"]): void {
	const isMissing = (error as { code?: string }).code === "ENOENT";
	if (!isMissing || !readFailure(root, sid)?.reason.startsWith(MISSING))
		log(isMissing ? `${MISSING}: ${error}` : error);
}

const MISSING = "there is no transcript";
