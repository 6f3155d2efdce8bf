import { existsSync } from "node:fs";
import { withoutMark } from "../core/text/text.ts";
import { isObject } from "../core/transcript/decode.ts";
import { isTooBranched } from "../core/transcript/quiet-json.ts";
import { quietly } from "./quietly.ts";
import { readBounded, withFile } from "./read-file.ts";
import { errorCode, whyOf } from "./system-failure.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** A file's text, or why there is none. Never throws, never hangs on a FIFO; with `follow: false` a symbolic link is not followed. */
export function readBytes(
	path: string,
	{ maxBytes = MAX_BYTES, follow = true } = {},
): { state: "good"; text: string } | { state: "absent" } | { state: "unreadable"; reason: string } {
	// most of the files asked for on hot paths are not there, and a thrown error costs more than this look
	if (!existsSync(path)) return { state: "absent" };
	const unreadable = (reason: string) => ({ state: "unreadable", reason }) as const;
	try {
		const file = withFile(path, follow, (fd, stat) => ({ bytes: readBounded(fd, stat, maxBytes) }));
		if (!file) return unreadable("not a regular file");
		if (!file.bytes) return unreadable(`more than the ${maxBytes} bytes that are read`);
		return { state: "good", text: file.bytes.toString("utf8") };
	} catch (error) {
		const code = errorCode(error);
		if (code === "ENOENT") return { state: "absent" };
		if (code === "ELOOP") return unreadable("a symbolic link, which is not followed");
		return unreadable(error instanceof Error ? error.message : String(error));
	}
}

/** The file's text, or `null` when it is missing, not a regular file, too large or unreadable. Never throws, never hangs on a FIFO. */
export function readText(path: string, maxBytes = MAX_BYTES): string | null {
	const file = readBytes(path, { maxBytes });
	return file.state === "good" ? file.text : null;
}

/** A hundred times the bytes that a person's settings need. */
const MAX_SETTINGS = 64 * 1024;

/** The object in a JSON file that a person writes; `null` where there is no file, a text that says what is wrong with it otherwise. */
export function readObject(path: string): object | string | null {
	const file = readBytes(path, { maxBytes: MAX_SETTINGS });
	if (file.state === "absent") return null;
	if (file.state === "unreadable") return `it can't be read (${file.reason})`;
	let value: unknown;
	try {
		value = JSON.parse(withoutMark(file.text));
	} catch (error) {
		return `no JSON (${whyOf(error)})`;
	}
	return isObject(value) ? value : "it holds no object";
}

/** The object in a JSON file, or `null` when the file is missing, torn or no object. */
export const readJson = <T extends object>(path: string): Partial<T> | null =>
	parseObject(readText(path) ?? "") as Partial<T> | null;

/** The object in a JSON text; `null` where it is torn, no object, or has too many parts. `times`: so many times the usual limit of parts. */
export function parseObject(text: string, times = 1): Record<string, unknown> | null {
	if (isTooBranched(text, times)) return null;
	const value: unknown = quietly(() => JSON.parse(withoutMark(text)));
	return isObject(value) ? value : null;
}
