import { existsSync } from "node:fs";
import { stripByteOrderMark } from "../core/text/text.ts";
import { isObject } from "../core/transcript/decode.ts";
import { isTooComplex } from "../core/transcript/quiet-json.ts";
import { tryOrUndefined } from "./quietly.ts";
import { readBounded, withFile } from "./read-file.ts";
import { errorCode, errorText } from "./system-failure.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** Reads a file's text, or says why there is none. Never throws or hangs on a FIFO. `follow: false`: a symbolic link is not followed. */
export function readTextOrReason(
	path: string,
	{ maxBytes = MAX_BYTES, follow = true } = {},
): { state: "good"; text: string } | { state: "absent" } | { state: "unreadable"; reason: string } {
	// most of these files are missing, and a thrown error costs more than this test
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
	const file = readTextOrReason(path, { maxBytes });
	return file.state === "good" ? file.text : null;
}

const MAX_SETTINGS_BYTES = 64 * 1024;

/** The object in a JSON file that a person writes; `null` where there is no file; else a text that says what is wrong with it. */
export function readObjectOrReason(path: string): object | string | null {
	const file = readTextOrReason(path, { maxBytes: MAX_SETTINGS_BYTES });
	if (file.state === "absent") return null;
	if (file.state === "unreadable") return `it can't be read (${file.reason})`;
	let value: unknown;
	try {
		value = JSON.parse(stripByteOrderMark(file.text));
	} catch (error) {
		return `no JSON (${errorText(error)})`;
	}
	return isObject(value) ? value : "it holds no object";
}

/** The object in a JSON file; `null` where the file is missing, damaged or holds no object. Its fields are not checked. */
export const readJson = <T extends object>(path: string): Partial<T> | null =>
	parseObject(readText(path) ?? "") as Partial<T> | null;

/** The object in a JSON text; `null` where it is damaged, no object, or has too many parts. `limitFactor` raises that limit. */
export function parseObject(text: string, limitFactor = 1): Record<string, unknown> | null {
	if (isTooComplex(text, limitFactor)) return null;
	const value: unknown = tryOrUndefined(() => JSON.parse(stripByteOrderMark(text)));
	return isObject(value) ? value : null;
}
