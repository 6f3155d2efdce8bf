import { closeSync, constants, existsSync, fstatSync, openSync } from "node:fs";
import { isTooBranched } from "../core/transcript/quiet-json.ts";
import { readBounded } from "../files/read-file.ts";
import { quietly } from "./atomic-write.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** Tells a file from another of the same name. */
export interface Identity {
	ino: number;
	size: number;
	mtimeMs: number;
}

export type FileBytes =
	| { state: "good"; text: string; identity: Identity }
	| { state: "absent" }
	| { state: "unreadable"; reason: string };

/** A file's text, or why there is none. Never throws, never hangs on a FIFO; `follow: false` passes no symbolic link. */
export function readBytes(path: string, { maxBytes = MAX_BYTES, follow = true } = {}): FileBytes {
	// most of the files asked for on hot paths are not there, and a thrown error costs more than this look
	if (!existsSync(path)) return { state: "absent" };
	let fd: number | undefined;
	try {
		fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | (follow ? 0 : constants.O_NOFOLLOW));
		const stat = fstatSync(fd);
		if (!stat.isFile()) return { state: "unreadable", reason: "not a regular file" };
		const bytes = readBounded(fd, stat, maxBytes);
		if (!bytes)
			return {
				state: "unreadable",
				reason: `${Math.max(stat.size, maxBytes + 1)} bytes are more than the ${maxBytes} read`,
			};
		const { ino, size, mtimeMs } = stat;
		return { state: "good", text: bytes.toString("utf8"), identity: { ino, size, mtimeMs } };
	} catch (error) {
		const { code } = error as { code?: string };
		if (code === "ENOENT") return { state: "absent" };
		if (code === "ELOOP") return { state: "unreadable", reason: "a symbolic link, which is not followed" };
		return { state: "unreadable", reason: error instanceof Error ? error.message : String(error) };
	} finally {
		if (fd !== undefined) quietly(() => closeSync(fd!));
	}
}

/** The file's text, or `null` when it is missing, not a regular file, too large or unreadable. Never throws, never hangs on a FIFO. */
export function readText(path: string, maxBytes = MAX_BYTES): string | null {
	const file = readBytes(path, { maxBytes });
	return file.state === "good" ? file.text : null;
}

/** The object in a JSON file, or `null` when the file is missing, torn or no object. */
export function readJson<T extends object>(path: string): Partial<T> | null {
	const text = readText(path);
	return text === null ? null : (parseObject(text) as Partial<T> | null);
}

/** The object a JSON text holds; `null` where it is torn, holds no object, or one of too many parts: `times` as many for files of our own. */
export function parseObject(text: string, times = 1): Record<string, unknown> | null {
	if (isTooBranched(text, times)) return null;
	try {
		const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
		return value !== null && typeof value === "object" && !Array.isArray(value)
			? (value as Record<string, unknown>)
			: null;
	} catch {
		return null;
	}
}
