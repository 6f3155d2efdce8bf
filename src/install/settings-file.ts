import {
	accessSync,
	chownSync,
	closeSync,
	constants,
	existsSync,
	fstatSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	type Stats,
	statSync,
	unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, whyOf } from "../files/system-failure.ts";
import { makeFolder, quietly, syncFolder, writeFileAtomic } from "../store/atomic-write.ts";
import { parseObject } from "./json-text.ts";
import { settingsError } from "./settings-path.ts";

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

const TIMING: Timing = { betweenReadsMs: 10, patienceMs: 1000, settleMs: 100, giveUpMs: 15_000 };

/** Nobody writes that much; a file that large would be read whole again and again. */
const MAX_BYTES = 16 * 1024 * 1024;
/** A rival may come in between before the rename, or win after it. Where the disk is slow, many tries are lost in a row. */
const LEAST_TRIES = 10;
/** The longest pause after a lost try; a random part of it keeps two writers from meeting again and again. */
const PAUSE_MS = 20;

/** The text a file should have instead; `null` stands for no file. Must be idempotent: it also verifies. */
export type Edit = (text: string | null) => string | null;

export interface SettingsChange {
	/** The path the edit goes to, links resolved. */
	target: string;
	edit: Edit;
	/** Permission bits of a file that did not exist. */
	mode: number;
	/** Called with the text the edit began with and its result, right before it is written; a throw leaves the file untouched. */
	beforeWrite?: (before: string | null, after: string) => void;
	timing?: Timing | undefined;
}

/**
 * Applies an edit to a file of the user's: whole, through links, with its owner and permission bits. When somebody else
 * writes it in the same moment the edit is done again on the new text, and once more when their write undid ours. Gives
 * whether anything was written. Throws `SETTINGS_READONLY`, `SETTINGS_BUSY` or what `edit` throws; nothing was changed
 * then, or another writer's text stands. What an installer that was killed left beside the file goes.
 */
export async function changeSettings(change: SettingsChange): Promise<boolean> {
	const { target, edit, timing = TIMING } = change;
	sweepStaged(target);
	let wrote = false;
	const until = Date.now() + timing.giveUpMs;
	for (let tries = 0; tries < LEAST_TRIES || Date.now() < until; tries++) {
		if (tries > 0) await sleep(PAUSE_MS * Math.random());
		const before = await readSettled(target, timing);
		const after = edit(before);
		if (after === before) return wrote;
		if (!swap(change, before, after)) continue;
		wrote = true;
		// who read it before and writes it now undoes this: then it is done again
		await sleep(timing.settleMs);
	}
	throw settingsError(
		"SETTINGS_BUSY",
		`${target} is being rewritten by another program all the time; end it (or close running sessions) and run the command again`,
	);
}

/**
 * A file's text once two reads agree on it and it parses; `null` when there is no file. Throws
 * `SETTINGS_INVALID` for one that stays unparsable, and what the file system says.
 */
export async function readSettled(path: string, timing = TIMING): Promise<string | null> {
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
	const bytes = bytesOf(path);
	if (bytes === null) return null;
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
function bytesOf(path: string): Uint8Array | null {
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

/** Compare and swap: `false` when the file no longer holds `before`. */
function swap({ target, mode, beforeWrite }: SettingsChange, before: string | null, after: string | null): boolean {
	try {
		const stat = before === null ? null : writable(target);
		if (after === null) {
			if (!holds(target, before)) return false;
			unlinkSync(target);
			return true;
		}
		makeFolder(dirname(target));
		const staged = join(dirname(target), `${stagedName(target)}${process.pid}`);
		try {
			writeFileAtomic(staged, Buffer.from(after), { mode: stat ? stat.mode & 0o7777 : mode });
			if (stat) keepOwner(staged, target, stat);
			beforeWrite?.(before, after);
			if (!holds(target, before)) return false;
			renameSync(staged, target);
		} finally {
			quietly(() => unlinkSync(staged));
		}
		syncFolder(dirname(target));
		return true;
	} catch (error) {
		if (errorCode(error) === "ENOENT" && before !== null && !existsSync(target)) return false;
		if (!["EACCES", "EROFS", "EPERM"].includes(errorCode(error))) throw error;
		throw readOnly(target, error);
	}
}

const stagedName = (target: string): string => `.${basename(target)}.ccg-`;

function sweepStaged(target: string): void {
	const names = [stagedName(target), `.${stagedName(target)}`];
	quietly(() => {
		for (const one of readdirSync(dirname(target)))
			if (names.some((name) => one.startsWith(name))) unlinkSync(join(dirname(target), one));
	});
}

/** A rename would replace a file its owner made read-only; that wish counts, for root too. */
function writable(target: string): Stats {
	const stat = statSync(target);
	if ((stat.mode & 0o222) === 0) throw readOnly(target, undefined);
	accessSync(target, constants.W_OK);
	return stat;
}

function keepOwner(staged: string, target: string, { uid, gid }: Stats): void {
	const own = statSync(staged);
	if (own.uid === uid && own.gid === gid) return;
	try {
		chownSync(staged, uid, gid);
	} catch (error) {
		if (own.uid !== uid) throw readOnly(target, error);
	}
}

function readOnly(target: string, cause: unknown): Error {
	const why = cause === undefined ? "the file is marked read-only" : whyOf(cause);
	return settingsError(
		"SETTINGS_READONLY",
		`${target} can't be written (${why}). Nothing was changed; make it writable for you, or edit the place it is generated from.`,
		cause,
	);
}

function holds(target: string, text: string | null): boolean {
	const bytes = bytesOf(target);
	if (bytes === null || text === null) return bytes === text;
	return Buffer.from(text).equals(bytes);
}
