import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { tryLstat } from "../files/quietly.ts";
import { codedError, errorCode } from "../files/system-failure.ts";
import { makePrivateFolder } from "./atomic-write.ts";

/** Makes an empty database file, private to the user, unless it is there. SQLite gives its journal the same rights. */
export function makeEmptyDatabase(path: string): void {
	if (hasDatabase(path)) return;
	makePrivateFolder(dirname(path));
	try {
		closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600));
	} catch (error) {
		if (errorCode(error) !== "EEXIST") throw error;
	}
}

/** Whether a database file is there. Throws with code `ELOOP` for a FIFO, on which SQLite would hang, and for a file with a second name. */
export function hasDatabase(path: string): boolean {
	for (const file of databaseFiles(path)) {
		const stat = lstatSync(file, { throwIfNoEntry: false });
		if (stat && (!stat.isFile() || stat.nlink > 1))
			throw codedError("ELOOP", `${file} is no regular file of its own; move it away`);
	}
	return readIdentity(path) !== null;
}

/** The paths of a database file and of those that SQLite writes beside it. */
export const databaseFiles = (path: string): string[] => ["-wal", "-shm", "-journal", ""].map((end) => path + end);

/** Inode and birth of the file at a path, by which it differs from one that is put in its place; `null` where nothing is there. */
export const readIdentity = (path: string, stat = tryLstat(path)): string | null =>
	stat ? `${stat.ino} ${stat.birthtimeMs}` : null;
