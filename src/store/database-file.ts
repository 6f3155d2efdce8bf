import { closeSync, constants, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { tryLstat, tryOrUndefined } from "../files/quietly.ts";
import { withFile } from "../files/read-file.ts";
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
	return readInode(path) !== null;
}

/** The paths of a database file and of those that SQLite writes beside it. */
export const databaseFiles = (path: string): string[] => ["-wal", "-shm", "-journal", ""].map((end) => path + end);

/** The inode of a path; `null` where nothing is there. */
export const readInode = (path: string): number | null => tryLstat(path)?.ino ?? null;

/** A text that changes with each transaction on a database (SQLite counts them in the header) and when the file is replaced. */
export function readContentStamp(path: string): string {
	const readHeader = (fd: number, { ino, mtimeMs }: Stats): string => {
		const header = Buffer.alloc(28);
		readSync(fd, header, 0, header.length, 0);
		return `${ino} ${mtimeMs} ${header.readUInt32BE(24)}`;
	};
	return tryOrUndefined(() => withFile(path, false, readHeader)) ?? "";
}
