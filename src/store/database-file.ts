import { closeSync, constants, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { quietLstat, quietly } from "../files/quietly.ts";
import { withFile } from "../files/read-file.ts";
import { coded, errorCode } from "../files/system-failure.ts";
import { makeFolder } from "./atomic-write.ts";

/** Makes an empty database file unless it is there, private from its first byte; SQLite gives the journal the same rights. */
export function makeEmpty(path: string): void {
	if (isThere(path)) return;
	makeFolder(dirname(path));
	try {
		closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600));
	} catch (error) {
		if (errorCode(error) !== "EEXIST") throw error;
	}
}

/** Whether a database file is there. Throws with code `ELOOP` for a FIFO, on which SQLite would hang, and for a file with a second name. */
export function isThere(path: string): boolean {
	for (const file of filesOf(path)) {
		const stat = lstatSync(file, { throwIfNoEntry: false });
		if (stat && (!stat.isFile() || stat.nlink > 1))
			throw coded("ELOOP", `${file} is no regular file of its own; move it away`);
	}
	return inodeOf(path) !== null;
}

/** A database and what SQLite writes beside it. */
export const filesOf = (path: string): string[] => ["-wal", "-shm", "-journal", ""].map((end) => path + end);

/** The inode of a path; `null` where nothing is there, or can't be. */
export const inodeOf = (path: string): number | null => quietLstat(path)?.ino ?? null;

/** Names a database's content, anew after each transaction: SQLite counts them in the header; time and inode show another or restored file. */
export function stampOf(path: string): string {
	const count = (fd: number, { ino, mtimeMs }: Stats): string => {
		const header = Buffer.alloc(28);
		readSync(fd, header, 0, header.length, 0);
		return `${ino} ${mtimeMs} ${header.readUInt32BE(24)}`;
	};
	return quietly(() => withFile(path, false, count)) ?? "";
}
