import { accessSync, chownSync, constants, existsSync, renameSync, type Stats, statSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { stripByteOrderMark } from "../core/text/text.ts";
import { tryOrUndefined } from "../files/quietly.ts";
import { readBounded, withFile } from "../files/read-file.ts";
import { codedError, errorCode, errorText } from "../files/system-failure.ts";
import { flushToDisk, makePrivateFolder, writeFileAtomic } from "../store/atomic-write.ts";
import { parseStrictJson } from "./json-text.ts";

/** How long to wait for a file that does not parse: Claude Code truncates its settings and writes them again, without a lock. */
const PATIENCE_MS = 1000;
/** How often an edit is done again on a file that another program has written in between. */
const TRIES = 50;
/** The longest pause after a lost try; a random part of it keeps two writers from meeting again and again. */
const PAUSE_MS = 20;
/** No settings file is larger. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The text a file should have instead; `null` stands for no file. */
export type Edit = (text: string | null) => string | null;

export interface SettingsChange {
	/** The path the edit goes to, links resolved. */
	target: string;
	edit: Edit;
	/** Permission bits of a file that did not exist. */
	mode: number;
	/** Called with the file's old text, right before the new one is written; when it throws, nothing is written. */
	beforeWrite?: (before: string | null) => void;
}

/**
 * Applies an edit to a file of the user's: whole, through links, with its owner and permission bits. When somebody else
 * writes it in the same moment the edit is done again on the new text. Gives whether anything was written. Throws
 * `SETTINGS_READONLY`, `SETTINGS_BUSY` or what `edit` throws; nothing was changed then, or another writer's text stands.
 */
export async function changeSettings(change: SettingsChange): Promise<boolean> {
	const { target, edit } = change;
	for (let tries = 0; tries < TRIES; tries++) {
		if (tries > 0) await Bun.sleep(PAUSE_MS * Math.random());
		const before = await readWhenParsable(target);
		const after = edit(before);
		if (after === before) return false;
		if (replaceIfUnchanged(change, before, after)) return true;
	}
	throw codedError(
		"SETTINGS_BUSY",
		`${target} is being rewritten by another program all the time; end it (or close running sessions) and run the command again`,
	);
}

/** Waits a moment for a file that is blank or does not parse, and gives its text; `null` without a file. Throws `SETTINGS_INVALID`. */
export async function readWhenParsable(path: string): Promise<string | null> {
	const deadline = Date.now() + PATIENCE_MS;
	for (;;) {
		try {
			const text = readStrictSettings(path);
			if (text?.trim() !== "" || Date.now() >= deadline) return text;
		} catch (error) {
			if (errorCode(error) !== "SETTINGS_INVALID" || Date.now() >= deadline) throw error;
		}
		await Bun.sleep(10);
	}
}

/** The text of a settings file, which is blank or strict JSON; `null` without a file. Throws `SETTINGS_INVALID` for anything else. */
export function readStrictSettings(path: string): string | null {
	const bytes = readRegularFile(path);
	if (bytes === null) return null;
	let text: string;
	try {
		text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch (error) {
		throw codedError(
			"SETTINGS_INVALID",
			`${path} is not UTF-8 text. Nothing was changed; save it as UTF-8 and run the command again.`,
			error,
		);
	}
	if (text.trim() !== "") parseStrictJson(stripByteOrderMark(text), path);
	return text;
}

/** The bytes of a regular file, `null` when there is none. */
function readRegularFile(path: string): Buffer | null {
	let bytes: Buffer | null;
	try {
		bytes = withFile(path, true, (fd, stat) => readBounded(fd, stat, MAX_BYTES));
	} catch (error) {
		if (errorCode(error) === "ENOENT") return null;
		throw error;
	}
	if (bytes) return bytes;
	throw codedError("SETTINGS_INVALID", `${path} is not a regular file of at most 16 MB; put a settings file there`);
}

/** Replaces a file's text, or deletes the file where `after` is `null`; gives `false` when it no longer holds `before`. */
function replaceIfUnchanged(change: SettingsChange, before: string | null, after: string | null): boolean {
	const { target, mode, beforeWrite } = change;
	try {
		const stat = before === null ? null : statWritable(target);
		if (after === null) {
			if (!stillHolds(target, before)) return false;
			unlinkSync(target);
			return true;
		}
		makePrivateFolder(dirname(target));
		// always the same name, so that the next install overwrites what a killed one left
		const newFile = join(dirname(target), `.${basename(target)}.ccg`);
		try {
			writeFileAtomic(newFile, Buffer.from(after), { mode: stat ? stat.mode & 0o7777 : mode });
			if (stat) copyOwner(newFile, stat, target);
			beforeWrite?.(before);
			if (!stillHolds(target, before)) return false;
			renameSync(newFile, target);
		} finally {
			tryOrUndefined(() => unlinkSync(newFile));
		}
		flushToDisk(dirname(target));
		return true;
	} catch (error) {
		if (errorCode(error) === "ENOENT" && before !== null && !existsSync(target)) return false;
		if (!["EACCES", "EROFS", "EPERM"].includes(errorCode(error))) throw error;
		throw readOnlyError(target, error);
	}
}

/** The stat of a file that is about to be replaced. Throws where it is read-only, which a rename would ignore, as root would. */
function statWritable(target: string): Stats {
	const stat = statSync(target);
	if ((stat.mode & 0o222) === 0) throw readOnlyError(target, undefined);
	accessSync(target, constants.W_OK);
	return stat;
}

/** Gives the new file the owner and group of the old one. Another group alone is no reason to fail. */
function copyOwner(newFile: string, { uid, gid }: Stats, target: string): void {
	const current = statSync(newFile);
	if (current.uid === uid && current.gid === gid) return;
	try {
		chownSync(newFile, uid, gid);
	} catch (error) {
		if (current.uid !== uid) throw readOnlyError(target, error);
	}
}

/** The error for a settings file that can't be written. */
function readOnlyError(target: string, cause: unknown): Error {
	const why = cause === undefined ? "the file is marked read-only" : errorText(cause);
	return codedError(
		"SETTINGS_READONLY",
		`${target} can't be written (${why}). Nothing was changed; make it writable for you, or edit the place it is generated from.`,
		cause,
	);
}

/** Whether a file holds exactly this text; `null` stands for no file. */
function stillHolds(target: string, text: string | null): boolean {
	const bytes = readRegularFile(target);
	return bytes === null || text === null ? bytes === text : Buffer.from(text).equals(bytes);
}
