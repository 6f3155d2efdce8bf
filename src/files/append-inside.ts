import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { statInside } from "./read-inside.ts";

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Adds text to the end of a file below a folder in one write, and makes the file when it is missing. Only where no part of the path
 * (relative to the folder) is a link and the file is the user's own, a regular one under one name, of at most `maxBytes`; throws
 * with what it is otherwise, and what the file system says.
 */
export function appendInside(folder: string, path: string, text: string, maxBytes: number): void {
	const full = join(folder, path);
	if (!statInside(folder, dirname(path))?.isDirectory()) throw new Error(`${dirname(full)} is no plain folder`);
	const before = statInside(folder, path);
	// opening a device or a FIFO can do something already
	if (before && !before.isFile()) throw new Error(`${full} is no regular file`);
	const fd = openSync(full, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
	try {
		const stat = fstatSync(fd);
		if (!stat.isFile()) throw new Error(`${full} is no regular file`);
		if (before && (stat.ino !== before.ino || stat.dev !== before.dev)) throw new Error(`${full} was replaced`);
		if (stat.nlink !== 1) throw new Error(`${full} has another name elsewhere`);
		if (stat.uid !== process.geteuid?.()) throw new Error(`${full} belongs to another user`);
		if (stat.size + text.length > maxBytes) throw new Error(`${full} is larger than ${maxBytes} bytes`);
		writeSync(fd, text);
	} finally {
		closeSync(fd);
	}
}
