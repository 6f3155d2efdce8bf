import {
	accessSync,
	chownSync,
	constants,
	existsSync,
	renameSync,
	rmSync,
	type Stats,
	statSync,
	unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withoutMark } from "../core/text/text.ts";
import { readBounded, withFile } from "../files/read-file.ts";
import { coded, errorCode, whyOf } from "../files/system-failure.ts";
import { makeFolder, syncFolder, writeFileAtomic } from "../store/atomic-write.ts";
import { strictTree } from "./json-text.ts";

/** How long a file may stay torn before it is refused: Claude Code writes its settings with a plain truncating write and without a lock. */
const PATIENCE_MS = 1000;
/** How often an edit is done again on a file that another program has written in between. */
const TRIES = 50;
/** The longest pause after a lost try; a random part of it keeps two writers from meeting again and again. */
const PAUSE_MS = 20;
/** Nobody writes that much. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The text a file should have instead; `null` stands for no file. */
export type Edit = (text: string | null) => string | null;

export interface SettingsChange {
	/** The path the edit goes to, links resolved. */
	target: string;
	edit: Edit;
	/** Permission bits of a file that did not exist. */
	mode: number;
	/** Called with the text the edit began with, right before it is written; a throw leaves the file untouched. */
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
		if (tries > 0) await sleep(PAUSE_MS * Math.random());
		const before = await readSettled(target);
		const after = edit(before);
		if (after === before) return false;
		if (swap(change, before, after)) return true;
	}
	throw coded(
		"SETTINGS_BUSY",
		`${target} is being rewritten by another program all the time; end it (or close running sessions) and run the command again`,
	);
}

/** A file's text once it parses, blank once it stays so; `null` when there is no file. Throws `SETTINGS_INVALID` for one that stays unparsable. */
export async function readSettled(path: string): Promise<string | null> {
	const until = Date.now() + PATIENCE_MS;
	for (;;) {
		try {
			const text = readStrict(path);
			if (text?.trim() !== "" || Date.now() >= until) return text;
		} catch (error) {
			if (errorCode(error) !== "SETTINGS_INVALID" || Date.now() >= until) throw error;
		}
		await sleep(10);
	}
}

/** Like `readSettled`, by one look. What is blank is to Claude Code as no settings. */
export function readStrict(path: string): string | null {
	const bytes = readRegularFile(path);
	if (bytes === null) return null;
	let text: string;
	try {
		text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch (error) {
		throw coded(
			"SETTINGS_INVALID",
			`${path} is not UTF-8 text. Nothing was changed; save it as UTF-8 and run the command again.`,
			error,
		);
	}
	if (text.trim() !== "") strictTree(withoutMark(text), path);
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
	throw coded("SETTINGS_INVALID", `${path} is not a regular file of at most 16 MB; put a settings file there`);
}

/** Compare and swap: `false` when the file no longer holds `before`. */
function swap({ target, mode, beforeWrite }: SettingsChange, before: string | null, after: string | null): boolean {
	try {
		const stat = before === null ? null : writable(target);
		if (after === null) {
			if (!isStill(target, before)) return false;
			unlinkSync(target);
			return true;
		}
		makeFolder(dirname(target));
		// one name: what a killed installer has left is written over by the next one
		const staged = join(dirname(target), `.${basename(target)}.ccg`);
		try {
			writeFileAtomic(staged, Buffer.from(after), { mode: stat ? stat.mode & 0o7777 : mode });
			if (stat) keepOwner(staged, target, stat);
			beforeWrite?.(before);
			if (!isStill(target, before)) return false;
			renameSync(staged, target);
		} finally {
			rmSync(staged, { force: true });
		}
		syncFolder(dirname(target));
		return true;
	} catch (error) {
		if (errorCode(error) === "ENOENT" && before !== null && !existsSync(target)) return false;
		if (!["EACCES", "EROFS", "EPERM"].includes(errorCode(error))) throw error;
		throw readOnlyError(target, error);
	}
}

/** A rename would replace a file its owner made read-only; that wish counts, for root too. */
function writable(target: string): Stats {
	const stat = statSync(target);
	if ((stat.mode & 0o222) === 0) throw readOnlyError(target, undefined);
	accessSync(target, constants.W_OK);
	return stat;
}

function keepOwner(staged: string, target: string, { uid, gid }: Stats): void {
	const own = statSync(staged);
	if (own.uid === uid && own.gid === gid) return;
	try {
		chownSync(staged, uid, gid);
	} catch (error) {
		if (own.uid !== uid) throw readOnlyError(target, error);
	}
}

function readOnlyError(target: string, cause: unknown): Error {
	const why = cause === undefined ? "the file is marked read-only" : whyOf(cause);
	return coded(
		"SETTINGS_READONLY",
		`${target} can't be written (${why}). Nothing was changed; make it writable for you, or edit the place it is generated from.`,
		cause,
	);
}

function isStill(target: string, text: string | null): boolean {
	const bytes = readRegularFile(target);
	return bytes === null || text === null ? bytes === text : Buffer.from(text).equals(bytes);
}
