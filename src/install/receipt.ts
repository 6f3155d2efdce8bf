import { createHash } from "node:crypto";
import { existsSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { list } from "../core/base-shapes.ts";
import { namesIn } from "../files/names-in.ts";
import { quietly } from "../files/quietly.ts";
import { whyOf } from "../files/system-failure.ts";
import { writeFileAtomic } from "../store/atomic-write.ts";
import { writeJson } from "../store/gate.ts";
import { parseObject, readText } from "../store/json-file.ts";
import { refusePathLinks } from "../store/refuse-links.ts";
import { settingsError } from "./settings-path.ts";

/** What an installation found and left, so that it can be undone to the byte. */
const receiptShape = z.object({
	version: z.literal(1),
	/** Folders that were made for the files: an uninstall that leaves them empty takes them away. */
	made: list(z.string()),
	files: list(
		z.object({
			/** Links resolved. */
			path: z.string(),
			/** The checksum of what was there before; `null` for no file. */
			before: z.nullable(z.string()),
			/** Of the bytes that may be traded for the earlier ones, by each install since: a process may die before it writes the last. */
			after: list(z.string()),
		}),
	),
});
type Receipt = z.infer<typeof receiptShape>;
export type FileReceipt = Receipt["files"][number];

const VERSIONS = 50;

/** Where the receipt and the backup of a file or a folder lie; `target` is its path with all links resolved. */
export const receiptFolder = (store: string, target: string): string =>
	join(store, "install", sha256(target).slice(0, 16));

const backupPath = (folder: string): string => join(folder, "before.json");
const receiptPath = (folder: string): string => join(folder, "receipt.json");

/** Where the file as it was before the first install is kept; `null` when there was none. */
export const backupIn = (folder: string): string | null => (existsSync(backupPath(folder)) ? backupPath(folder) : null);

/** Empty where there is none, or it can't be read: then entries are taken out, and no bytes come back. */
export function readReceipt(folder: string): Receipt {
	const checked = receiptShape.safeParse(parseObject(readText(receiptPath(folder)) ?? ""));
	return checked.success ? checked.data : { version: 1, made: [], files: [] };
}

/** The folders that an installation has made, with those that are missing for these files. */
export function madeFor(folder: string, paths: readonly string[]): string[] {
	const made = new Set(readReceipt(folder).made);
	for (const path of paths) for (let at = dirname(path); !existsSync(at); at = dirname(at)) made.add(at);
	return [...made];
}

/** With a file's bytes by now among those that may be traded for the earlier ones. */
export const withBytes = (file: FileReceipt, text: string): FileReceipt => ({
	...file,
	after: [...new Set([...file.after, sha256(text)])].slice(-VERSIONS),
});

/**
 * Writes the receipt, before the files are swapped; before it the backup, where there is one to be kept. Throws `STORE_READONLY`.
 */
export function keepReceipt(folder: string, receipt: Omit<Receipt, "version">, backup?: string | null): void {
	try {
		refusePathLinks(dirname(dirname(folder)), folder);
		if (backup === null) rmSync(backupPath(folder), { force: true });
		else if (backup !== undefined) writeFileAtomic(backupPath(folder), Buffer.from(backup), { durable: true });
		writeJson(receiptPath(folder), { version: 1, ...receipt }, { durable: true, indent: 2 });
	} catch (error) {
		throw settingsError(
			"STORE_READONLY",
			`the backup can't be written below ${folder} (${whyOf(error)}). The settings were not changed; make that folder writable or set CCG_HOME.`,
			error,
		);
	}
}

/** The bytes of before, where a text is as an install left it: `null` for no file, `undefined` where they can't be had. */
export function bytesBefore(folder: string, known: FileReceipt | undefined, left: string): string | null | undefined {
	if (!isLeft(known, left)) return undefined;
	if (known!.before === null) return null;
	const text = readText(backupPath(folder));
	return text !== null && sha256(text) === known!.before ? text : undefined;
}

/** Whether a text is as an install left it. */
export const isLeft = (known: FileReceipt | undefined, text: string): boolean =>
	known?.after.includes(sha256(text)) === true;

/** Forgets an installation, its backup included; the folders that it made go, but those that hold anything. */
export function dropReceipt(folder: string): void {
	for (const made of readReceipt(folder).made.sort().reverse()) quietly(() => rmdirSync(made));
	rmSync(folder, { recursive: true, force: true });
}

/** All files that an installation of this store has changed and not given back. */
export const receiptFiles = (store: string): string[] =>
	namesIn(join(store, "install")).flatMap((name) =>
		readReceipt(join(store, "install", name)).files.map(({ path }) => path),
	);

/** Of a text, in hex. */
export const sha256 = (of: string): string => createHash("sha256").update(of).digest("hex");
