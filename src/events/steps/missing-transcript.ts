import { readFailure } from "../../store/last-failure.ts";
import type { Session } from "../../store/session-handle.ts";
import type { Services } from "../run/event.ts";

const MISSING = "there is no transcript";

/** With --no-session-persistence there is never a transcript: a session is told once, not with each batch and compaction. */
export function tellMissing(session: Session, path: string, log: Services["log"]): null {
	if (!readFailure(session)?.reason.startsWith(MISSING)) log(`${MISSING}: ${path} is not there`);
	return null;
}
