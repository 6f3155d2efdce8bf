import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { writeFileAtomic } from "../store/atomic-write.ts";
import { readBytes } from "../store/json-file.ts";
import type { Tell } from "../store/problems.ts";
import { refusePathLinks } from "../store/refuse-links.ts";
import { type FileKind, readGood, readVersioned, writeVersioned } from "../store/versioned-file.ts";
import { settingsError } from "./settings-error.ts";
import { findEntries, removeEntries } from "./settings-text.ts";

const maybeText = z.nullable(z.string());

/** What an installation found and left, so that it can be undone to the byte. */
const receiptShape = z.object({
	version: z.literal(1),
	settingsPath: z.string(),
	existedBefore: z.boolean(),
	/** The settings file's folder was made for it: an uninstall that leaves it empty takes it away. */
	madeFolder: z.boolean(),
	sha256Before: maybeText,
	/** Of the bytes that may be traded for the earlier ones; `null` when there are none, because others had edited the file. */
	sha256After: maybeText,
	at: z.string(),
	launcher: z.string(),
	/** The status line of another file that ours repeats, as its command; `null` when it repeats none. */
	inherited: maybeText,
});
export type Receipt = z.infer<typeof receiptShape>;

/** Without it an uninstall can't give the bytes of before: the version before the last write stays. */
const RECEIPT: FileKind<Receipt> = { name: "receipt", version: 1, schema: receiptShape, keepLast: true };

/** Where the receipt and the backup of a settings file lie; `target` is its path with all links resolved. */
export function receiptFolder(store: string, target: string): string {
	return join(store, "install", sha256(target).slice(0, 16));
}

export const backupPath = (folder: string): string => join(folder, "before.json");

/**
 * Writes the backup (once, before the first change) and the receipt, before the settings file is swapped: a process that
 * dies in between leaves a receipt that fits nothing. A re-install keeps the backup; bytes others have edited since are
 * never traded for it, as their edits would go with them.
 */
export function keepReceipt(
	folder: string,
	{
		target,
		before,
		after,
		madeFolder,
		launcher,
		inherited,
		now,
		tell,
	}: {
		target: string;
		before: string | null;
		after: string;
		madeFolder: boolean;
		launcher: string;
		inherited: string | null;
		now: Date;
		tell: Tell;
	},
): void {
	refusePathLinks(dirname(dirname(folder)), folder);
	const earlier = readReceipt(folder, tell);
	const fresh = before === null || findEntries(before).length === 0;
	let receipt: Receipt;
	if (fresh || !earlier) {
		if (before === null) rmSync(backupPath(folder), { force: true });
		else writeFileAtomic(backupPath(folder), before, { durable: true });
		receipt = {
			version: 1,
			settingsPath: target,
			existedBefore: before !== null,
			// also by an install that nobody has taken back
			madeFolder: madeFolder || earlier?.madeFolder === true,
			sha256Before: before === null ? null : sha256(before),
			sha256After: fresh ? sha256(after) : null,
			at: now.toISOString(),
			launcher,
			inherited,
		};
	} else {
		const ours = earlier.sha256After === sha256(before);
		receipt = { ...earlier, sha256After: ours ? sha256(after) : null, at: now.toISOString(), launcher, inherited };
	}
	writeVersioned(receiptPath(folder), RECEIPT, receipt, { durable: true, indent: 2, tell });
}

/**
 * The text an uninstall leaves: the exact earlier one where the file is as we left it, else the current one without our
 * entries. Throws `STORE_UNREADABLE` when receipt or backup are there and can't be read: to go on would lose those bytes.
 */
export function undo(folder: string, text: string | null, path: string): string | null {
	if (text === null) return null;
	const receipt = readableReceipt(folder);
	if (receipt?.sha256After === sha256(text)) {
		if (!receipt.existedBefore) return null;
		const before = readBytes(backupPath(folder), { follow: false });
		if (before.state === "unreadable") throw unreadable(backupPath(folder), before.reason);
		if (before.state === "good" && sha256(before.text) === receipt.sha256Before) return before.text;
	}
	return removeEntries(text, { path, inherited: receipt?.inherited ?? undefined });
}

function readableReceipt(folder: string): Receipt | null {
	const read = readVersioned(receiptPath(folder), RECEIPT);
	if (read.found === "unreadable" || read.found === "newer") throw unreadable(receiptPath(folder), read.problem);
	return read.found === "good" ? read.value : null;
}

function unreadable(path: string, why: string): Error {
	return settingsError(
		"STORE_UNREADABLE",
		`${path} tells how the settings were before the install, and can't be read (${why}). Nothing was changed; make it readable and run the command again, or move it away to have only ccg's entries taken out.`,
	);
}

/** Forgets an installation, its backup included. */
export function dropReceipt(folder: string): void {
	rmSync(folder, { recursive: true, force: true });
}

export const readReceipt = (folder: string, tell: Tell): Receipt | null => readGood(receiptPath(folder), RECEIPT, tell);

const receiptPath = (folder: string): string => join(folder, "receipt.json");

/** Of a text, in hex. */
export function sha256(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
