import type { Content } from "./json-schema.ts";
import type { Session } from "./session-handle.ts";
import { lastFailure } from "./shapes.generated.ts";
import type * as stored from "./stored-shapes.ts";
import { kindOf, readGood, writeVersioned } from "./versioned-file.ts";

export type LastFailure = Content<typeof stored.lastFailure>;

/** Of one moment; the log has the line as well. */
const FAILURE = kindOf("last failure", lastFailure, { passing: true });

export function readFailure(session: Session): LastFailure | null {
	const failure = readGood(session.paths.failure, FAILURE, session.tell);
	return failure && { at: failure.at, where: failure.where, reason: failure.reason };
}

export const writeFailure = (session: Session, failure: LastFailure): void =>
	writeVersioned(session.paths.failure, FAILURE, { version: 1, ...failure });
