import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../store/atomic-write.ts";
import { readJson, readText } from "../store/json-file.ts";
import { findEntries, removeEntries } from "./settings-text.ts";

/** What an installation found and left, so that it can be undone to the byte. */
export interface Receipt {
	settingsPath: string;
	existedBefore: boolean;
	sha256Before: string | null;
	/** Of the bytes that may be traded for the earlier ones; `null` when there are none, because others had edited the file. */
	sha256After: string | null;
	at: string;
	launcher: string;
}

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
		launcher,
		now,
	}: { target: string; before: string | null; after: string; launcher: string; now: Date },
): void {
	const earlier = readReceipt(folder);
	const fresh = before === null || findEntries(before).length === 0;
	let receipt: Receipt;
	if (fresh || !earlier) {
		if (before === null) rmSync(backupPath(folder), { force: true });
		else writeFileAtomic(backupPath(folder), before, { durable: true });
		receipt = {
			settingsPath: target,
			existedBefore: before !== null,
			sha256Before: before === null ? null : sha256(before),
			sha256After: fresh ? sha256(after) : null,
			at: now.toISOString(),
			launcher,
		};
	} else {
		const ours = earlier.sha256After === sha256(before);
		receipt = { ...earlier, sha256After: ours ? sha256(after) : null, at: now.toISOString(), launcher };
	}
	writeFileAtomic(join(folder, "receipt.json"), `${JSON.stringify(receipt, null, 2)}\n`, { durable: true });
}

/** The text an uninstall leaves: the exact earlier one where the file is as we left it, else the current one without our entries. */
export function undo(folder: string, text: string | null, path: string): string | null {
	if (text === null) return null;
	const receipt = readReceipt(folder);
	if (receipt?.sha256After === sha256(text)) {
		if (!receipt.existedBefore) return null;
		const before = readText(backupPath(folder));
		if (before !== null && sha256(before) === receipt.sha256Before) return before;
	}
	return removeEntries(text, { path });
}

/** Forgets an installation, its backup included. */
export function dropReceipt(folder: string): void {
	rmSync(folder, { recursive: true, force: true });
}

export function readReceipt(folder: string): Receipt | null {
	const value = readJson<Receipt>(join(folder, "receipt.json"));
	return typeof value?.settingsPath === "string" && typeof value.existedBefore === "boolean"
		? (value as Receipt)
		: null;
}

function sha256(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
