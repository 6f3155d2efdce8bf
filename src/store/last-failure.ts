import { sessionPaths } from "./paths.ts";
import { literal, object, or, shape, text } from "./shape.ts";
import { type FileKind, readGood, unversioned, writeVersioned } from "./versioned-file.ts";

/** A session's last failure, for the status line and `ccg status`. */
export interface LastFailure {
	at: string;
	where: string;
	reason: string;
}

/** Of one moment; the log has the line as well. */
const FAILURE: FileKind<LastFailure & { version: 1 }> = {
	name: "last failure",
	version: 1,
	schema: shape(object({ version: literal(1), at: text, where: or(text, ""), reason: or(text, "") })),
	migrations: unversioned,
	passing: true,
};

export function readFailure(root: string, sid: string): LastFailure | null {
	const failure = readGood(sessionPaths(root, sid).failure, FAILURE);
	return failure && { at: failure.at, where: failure.where, reason: failure.reason };
}

export const writeFailure = (root: string, sid: string, failure: LastFailure): void =>
	writeVersioned(sessionPaths(root, sid).failure, FAILURE, { version: 1, ...failure });
