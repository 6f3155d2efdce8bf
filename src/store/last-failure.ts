import type { Content } from "./json-schema.ts";
import { sessionPaths } from "./paths.ts";
import { lastFailure } from "./shapes.generated.ts";
import type * as stored from "./stored-shapes.ts";
import { kindOf, readGood, writeVersioned } from "./versioned-file.ts";

export type LastFailure = Content<typeof stored.lastFailure>;

/** Of one moment; the log has the line as well. */
const FAILURE = kindOf("last failure", lastFailure, { passing: true });

export function readFailure(root: string, sid: string): LastFailure | null {
	const failure = readGood(sessionPaths(root, sid).failure, FAILURE);
	return failure && { at: failure.at, where: failure.where, reason: failure.reason };
}

export const writeFailure = (root: string, sid: string, failure: LastFailure): void =>
	writeVersioned(sessionPaths(root, sid).failure, FAILURE, { version: 1, ...failure });
