import {
	accessSync,
	chownSync,
	closeSync,
	constants,
	existsSync,
	fstatSync,
	openSync,
	readdirSync,
	readSync,
	renameSync,
	type Stats,
	statSync,
	unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, whyOf } from "../files/system-failure.ts";
import { makeFolder, quietly, syncFolder, writeFileAtomic } from "../store/atomic-write.ts";
import { settingsError } from "./settings-error.ts";
import { readBytes, readSettled, readStrict, strictText, TIMING, type Timing } from "./settings-read.ts";

/** A rival may come in between before the rename, or win after it. Where the disk is slow, many tries are lost in a row. */
const LEAST_TRIES = 10;
/** The longest pause after a lost try; a random part of it keeps two writers from meeting again and again. */
const PAUSE_MS = 20;

/** The text a settings file should have instead; `null` stands for no file. Must be idempotent: it also verifies. */
export type Edit = (text: string | null) => string | null;

export interface SettingsChange {
	/** The path the edit went to, links resolved. */
	target: string;
	edit: Edit;
	/** Permission bits of a file that did not exist. */
	mode: number;
	/** Called with the text the edit began with and its result, right before the swap; a throw leaves the file untouched. */
	beforeWrite?: (before: string | null, after: string | null) => void;
	timing?: Timing | undefined;
}

/**
 * Applies an edit to a settings file: whole, through links, with its owner and permission bits. When somebody else
 * writes it in the same moment the edit is done again on the new text, and once more when their write undid ours. Gives
 * whether anything was written. Throws `SETTINGS_READONLY`, `SETTINGS_BUSY` or what `edit` throws; nothing was changed
 * then, or another writer's text stands.
 */
export async function changeSettings(change: SettingsChange): Promise<boolean> {
	const timing = change.timing ?? TIMING;
	let wrote = false;
	/** What a rival wrote into the file we had just replaced, where nobody would see it any more; and what we had put there. */
	let late: { text: string; over: string } | undefined;
	const until = Date.now() + timing.giveUpMs;
	for (let tries = 0; tries < LEAST_TRIES || Date.now() < until; tries++) {
		if (tries > 0 && !late) await sleep(PAUSE_MS * Math.random());
		const current = late ? late.over : await readSettled(change.target, timing);
		const base = late ? late.text : current;
		late = undefined;
		const after = change.edit(base);
		if (after === current) return wrote;
		const replaced = openReplaced(change.target);
		try {
			if (!swap(change, { current, base, after })) continue;
			wrote = true;
			const text = await lateWrite(replaced, current, () => readStrict(change.target) === after, timing);
			if (text !== undefined && after !== null) late = { text, over: after };
		} finally {
			if (replaced !== null) quietly(() => closeSync(replaced));
		}
	}
	throw settingsError(
		"SETTINGS_BUSY",
		`${change.target} is being rewritten by another program all the time; end it (or close running sessions) and run the command again`,
	);
}

/** Compare and swap: `false` when the file no longer holds `current`. */
function swap(
	{ target, mode, beforeWrite }: SettingsChange,
	{ current, base, after }: { current: string | null; base: string | null; after: string | null },
): boolean {
	try {
		const stat = current === null ? null : writable(target);
		if (after === null) {
			beforeWrite?.(base, after);
			if (!holds(target, current)) return false;
			unlinkSync(target);
			return true;
		}
		makeFolder(dirname(target));
		sweepStaged(target);
		const staged = join(dirname(target), `.${basename(target)}.ccg-${process.pid}`);
		try {
			writeFileAtomic(staged, after, { mode: stat ? stat.mode & 0o7777 : mode });
			if (stat) keepOwner(staged, target, stat);
			beforeWrite?.(base, after);
			if (!holds(target, current)) return false;
			renameSync(staged, target);
		} finally {
			quietly(() => unlinkSync(staged));
		}
		syncFolder(dirname(target));
		return true;
	} catch (error) {
		if (errorCode(error) === "ENOENT" && current !== null && !existsSync(target)) return false;
		if (!["EACCES", "EROFS", "EPERM"].includes(errorCode(error))) throw error;
		throw readOnly(target, error);
	}
}

/** What an installer that was killed left beside the file. */
function sweepStaged(target: string): void {
	const start = `.${basename(target)}.ccg-`;
	quietly(() => {
		for (const name of readdirSync(dirname(target)))
			if (name.startsWith(start) || name.startsWith(`.${start}`)) {
				const path = join(dirname(target), name);
				if (Date.now() - statSync(path).mtimeMs > STAGED_MS) unlinkSync(path);
			}
	});
}

const STAGED_MS = 3_600_000;

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
	const bytes = readBytes(target);
	if (bytes === null || text === null) return bytes === text;
	return Buffer.from(text).equals(bytes);
}

/** The file that is about to be replaced, held open: a rival that opened it before the rename writes into it, unseen. */
function openReplaced(target: string): number | null {
	try {
		return openSync(target, constants.O_RDONLY | constants.O_NONBLOCK);
	} catch {
		return null;
	}
}

/** Waits until a written file has settled. Gives the text a rival put into the replaced file meanwhile, if there was one. */
async function lateWrite(
	replaced: number | null,
	before: string | null,
	unchanged: () => boolean,
	timing: Timing,
): Promise<string | undefined> {
	const until = Date.now() + timing.settleMs;
	for (;;) {
		const text = replaced === null ? undefined : textOf(replaced);
		try {
			if (text !== undefined && text !== before && unchanged()) return text;
		} catch {
			// torn by another write: the next round reads it when it has settled
		}
		const left = until - Date.now();
		if (left <= 0) return undefined;
		await sleep(Math.min(left, 2));
	}
}

function textOf(fd: number): string | undefined {
	try {
		const bytes = Buffer.alloc(fstatSync(fd).size);
		return strictText(bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)), "");
	} catch {
		return undefined;
	}
}
