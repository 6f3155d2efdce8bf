import { errorCode } from "../files/system-failure.ts";

/** The kind of an SQLite error: `IOERR` of `SQLITE_IOERR_WRITE`; `""` for an error that is not SQLite's. */
const sqliteErrorKind = (error: unknown): string => /^SQLITE_([A-Z]+)/.exec(errorCode(error))?.[1] ?? "";

/** Whether an error says that a file is no database, a damaged one, or one with tables that ccg did not make. */
export const isDamaged = (error: unknown): boolean =>
	["CORRUPT", "NOTADB", "FORMAT"].includes(sqliteErrorKind(error)) ||
	["EFOREIGN", "SQLITE_IOERR_SHORT_READ"].includes(errorCode(error));

/** Whether an error says that the database was locked by another process for as long as this one waited. */
export const isBusy = (error: unknown): boolean => ["BUSY", "LOCKED"].includes(sqliteErrorKind(error));

/** Kinds of SQLite errors in words with what to do, and the file system's code for them. */
const REASONS: [kinds: string[], why: string, code?: string][] = [
	[["FULL"], "the disk is full; make room on it", "ENOSPC"],
	[["IOERR"], "the device failed, or the disk is full; make room on it, or look at the disk", "EIO"],
	[["READONLY", "CANTOPEN", "PERM", "AUTH"], "it can't be written; make it and its folder writable for you", "EACCES"],
	[["BUSY", "LOCKED"], "another process writes to it; try again when it is done"],
];

/** The reason in words for an SQLite error; `undefined` for other errors. */
const findErrorReason = (error: unknown) => REASONS.find(([kinds]) => kinds.includes(sqliteErrorKind(error)));

/** Gives an error that says in words why SQLite failed on `what` ("the store") at a path; an error of another kind as it is. */
export function explainSqliteError(error: unknown, what: string, path: string): unknown {
	const [, why, code = errorCode(error)] = findErrorReason(error) ?? [];
	return why ? Object.assign(new Error(`${what} ${path}: ${why}`, { cause: error }), { code, path }) : error;
}
