import { errorCode } from "../files/system-failure.ts";

/** The kind in an error's code: `IOERR` of `SQLITE_IOERR_WRITE`; `""` for an error that is not SQLite's. */
const errorKind = (error: unknown): string => /^SQLITE_([A-Z]+)/.exec(errorCode(error))?.[1] ?? "";

/** Whether an error says that the file is no database, a damaged one, or one with tables that ccg did not make. */
export const isDamaged = (error: unknown): boolean =>
	["CORRUPT", "NOTADB", "FORMAT"].includes(errorKind(error)) ||
	["EFOREIGN", "SQLITE_IOERR_SHORT_READ"].includes(errorCode(error));

/** Whether an error says that another process wrote for the whole time of waiting. */
export const isBusy = (error: unknown): boolean => ["BUSY", "LOCKED"].includes(errorKind(error));

/** Kinds of SQLite's errors in words with what to do, and the file system's code for them. */
const WHY: [kinds: string[], why: string, code?: string][] = [
	[["FULL"], "the disk is full; make room on it", "ENOSPC"],
	[["IOERR"], "the device failed, or the disk is full; make room on it, or look at the disk", "EIO"],
	[["READONLY", "CANTOPEN", "PERM", "AUTH"], "it can't be written; make it and its folder writable for you", "EACCES"],
	[["BUSY", "LOCKED"], "another process writes to it; try again when it is done"],
];

export const whyRefused = (error: unknown) => WHY.find(([kinds]) => kinds.includes(errorKind(error)));

/** Turns SQLite's error on a database into one in words and with its path; gives an error of another kind as it is. */
export function inWords(error: unknown, what: string, path: string): unknown {
	const [, why, code = errorCode(error)] = whyRefused(error) ?? [];
	return why ? Object.assign(new Error(`${what} ${path}: ${why}`, { cause: error }), { code, path }) : error;
}
