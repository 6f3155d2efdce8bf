import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "../files/system-failure.ts";
import { parseObject } from "./json-text.ts";
import { settingsError } from "./settings-error.ts";

/** Claude Code writes its settings with a plain truncating write and without a lock; these waits are for that. */
export interface Timing {
	/** Between two reads that must agree. */
	betweenReadsMs: number;
	/** How long a file may stay torn before it is refused. */
	patienceMs: number;
	/** Before a written file is looked at again. */
	settleMs: number;
	/** How long a race with another writer is gone on with. */
	giveUpMs: number;
}

/** Nobody writes that much; a file that large would be read whole again and again. */
const MAX_BYTES = 16 * 1024 * 1024;

export const TIMING: Timing = { betweenReadsMs: 10, patienceMs: 1000, settleMs: 100, giveUpMs: 15_000 };

/**
 * A settings file's text once two reads agree on it and it parses; `null` when there is no file. Throws
 * `SETTINGS_INVALID` for one that stays unparsable, and what the file system says.
 */
export async function readSettled(path: string, timing: Timing = TIMING): Promise<string | null> {
	const until = Date.now() + timing.patienceMs;
	let previous: string | null | undefined;
	for (;;) {
		let problem: unknown;
		let text: string | null | undefined;
		try {
			text = readStrict(path);
			if (text === previous) return text;
		} catch (error) {
			if (errorCode(error) !== "SETTINGS_INVALID") throw error;
			problem = error;
		}
		if (Date.now() >= until) {
			if (problem) throw problem;
			return text!;
		}
		previous = text;
		await sleep(timing.betweenReadsMs);
	}
}

/** Like `readSettled`, by one look. */
export function readStrict(path: string): string | null {
	const bytes = readBytes(path);
	if (bytes === null) return null;
	return strictText(bytes, path);
}

/** The bytes as text, if they are a settings file: UTF-8, strict JSON, an object. Throws `SETTINGS_INVALID`. */
export function strictText(bytes: Uint8Array, path: string): string {
	let text: string;
	try {
		text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch (error) {
		throw settingsError(
			"SETTINGS_INVALID",
			`${path} is not UTF-8 text. Nothing was changed; save it as UTF-8 and run the command again.`,
			error,
		);
	}
	parseObject(text.replace(/^\uFEFF/, ""), path);
	return text;
}

/** The bytes of a regular file, `null` when there is none. */
export function readBytes(path: string): Uint8Array | null {
	let fd: number;
	try {
		fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	} catch (error) {
		if (errorCode(error) === "ENOENT") return null;
		throw error;
	}
	try {
		const stat = fstatSync(fd);
		if (!stat.isFile())
			throw settingsError("SETTINGS_INVALID", `${path} is not a regular file; put a settings file there or remove it`);
		if (stat.size > MAX_BYTES)
			throw settingsError("SETTINGS_INVALID", `${path} has ${stat.size} bytes, more than a settings file can have`);
		return readFileSync(fd);
	} finally {
		closeSync(fd);
	}
}
