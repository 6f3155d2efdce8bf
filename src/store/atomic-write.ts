import {
	closeSync,
	constants,
	fchmodSync,
	fstatSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readSync,
	renameSync,
	type Stats,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Safe } from "../core/redact/secrets.ts";
import { tryOrUndefined } from "../files/quietly.ts";
import { codedError, errorCode } from "../files/system-failure.ts";

export interface WriteOptions {
	durable?: boolean;
	sync?: boolean;
	exclusive?: boolean;
	mode?: number;
}

/**
 * Replaces a whole file by way of a temp file, so that a reader sees the old bytes or the new ones. `durable` fsyncs the folder too;
 * `sync: false` fsyncs nothing, for what may be lost. `exclusive` writes to the path itself, and throws `EEXIST` where something is there.
 * Throws what the file system says; the target is untouched then.
 */
export function writeFileAtomic(
	path: string,
	content: Safe | Uint8Array,
	{ mode = 0o600, durable = false, sync = true, exclusive = false }: WriteOptions = {},
): void {
	const folder = dirname(path);
	const name = `.${basename(path)}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
	const temp = exclusive ? path : join(folder, name);
	const fd = openInFolder(temp, "wx", mode);
	try {
		writeFileSync(fd, content);
		// the umask takes nothing from 0600
		if (mode !== 0o600) fchmodSync(fd, mode);
		if (sync) fsyncSync(fd);
		closeSync(fd);
		if (!exclusive) renameSync(temp, path);
	} catch (error) {
		tryOrUndefined(() => closeSync(fd));
		tryOrUndefined(() => unlinkSync(temp));
		// a write to a descriptor names no path
		throw Object.assign(error as Error, { path });
	}
	if (durable) flushToDisk(folder);
}

const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Adds whole lines, each with its `\n`, to a file of the store in one `O_APPEND` write, so that writers without a lock lose nothing
 * (measured: 480 of 480 lines of up to 1 MB from 16 processes). Follows no symbolic or hard link. Throws what the file system says.
 */
export function appendLines(path: string, lines: Safe, { durable = false } = {}): void {
	const fd = openInFolder(path, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0o600);
	try {
		const stat = fstatSync(fd);
		if (!stat.isFile()) throw new Error(`${path} is no regular file; move it away`);
		refuseHardLink(path, stat);
		if ((stat.mode & 0o077) !== 0) tryOrUndefined(() => fchmodSync(fd, 0o600));
		writeFileSync(fd, lacksLineEnd(fd, stat.size) ? `\n${lines}` : lines);
		if (durable) fsyncSync(fd);
	} catch (error) {
		throw Object.assign(error as Error, { path });
	} finally {
		tryOrUndefined(() => closeSync(fd));
	}
}

/** Whether an open file's last line has no line end: a crash cut it short. */
function lacksLineEnd(fd: number, size: number): boolean {
	if (size === 0) return false;
	const last = Buffer.alloc(1);
	return readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 10;
}

/** Opens a file; makes its folder where that is missing. */
function openInFolder(path: string, flags: string | number, mode: number): number {
	try {
		return openSync(path, flags, mode);
	} catch (error) {
		const code = errorCode(error);
		if (code === "ELOOP") throw codedError(code, `${path} is a symbolic link, which is not followed`);
		if (code !== "ENOENT") throw error;
		makePrivateFolder(dirname(path));
		return openSync(path, flags, mode);
	}
}

/** Throws where a file has a second name (hard link): writing to it would change that one too. */
export function refuseHardLink(path: string, { nlink }: Pick<Stats, "nlink">): void {
	const advice = "put a copy of it in its place (cp, then mv)";
	if (nlink > 1) throw codedError("EMLINK", `${path} is a hard link: another file is the same one; ${advice}`);
}

/** Makes a folder that only the user may enter. */
export function makePrivateFolder(path: string): void {
	mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Fsyncs a file, or a folder, so that a rename in it is durable. */
export function flushToDisk(path: string): void {
	tryOrUndefined(() => {
		const fd = openSync(path, "r");
		fsyncSync(fd);
		closeSync(fd);
	});
}

/** Older temp files are of a killed process: no run lasts an hour. */
export const STALE_MS = 3_600_000;

/** Whether a file's name is that of a temp file or a draft; where the file is old, a killed process left it. */
export const isTempFileName = (name: string): boolean => /\.\d+\.[a-z0-9]+\.tmp$/.test(name);
