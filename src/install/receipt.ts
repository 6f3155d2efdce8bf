import { createHash } from "node:crypto";
import { existsSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { listShape } from "../core/base-shapes.ts";
import { namesIn } from "../files/names-in.ts";
import { quietly } from "../files/quietly.ts";
import { coded, whyOf } from "../files/system-failure.ts";
import { writeFileAtomic } from "../store/atomic-write.ts";
import { writeJson } from "../store/gate.ts";
import { parseObject, readText } from "../store/json-file.ts";
import { refusePathLinks } from "../store/refuse-links.ts";

/** What an installation found and left, so that it can be undone to the byte. */
const receiptShape = z.object({
	version: z.literal(1),
	/** Folders that were made for the files: an uninstall that leaves them empty takes them away. */
	made: listShape(z.string()),
	files: listShape(
		z.object({
			/** Links resolved. */
			path: z.string(),
			/** The checksum of what was there before; `null` for no file. */
			before: z.nullable(z.string()),
			/** Of the bytes that may be traded for the earlier ones, by each install since: a process may die before it writes the last. */
			after: listShape(z.string()),
		}),
	),
});

const VERSIONS = 50;

/** Where the receipt and the backup of a file or a folder lie; `target` is its path with all links resolved. */
export const receiptFolder = (store: string, target: string): string =>
	join(store, "install", checksumOf(target).slice(0, 16));

const backupPath = (folder: string): string => join(folder, "before.json");
const receiptPath = (folder: string): string => join(folder, "receipt.json");

/** Where the file as it was before the first install is kept; `null` when there was none. */
export const backupIn = (folder: string): string | null => (existsSync(backupPath(folder)) ? backupPath(folder) : null);

/** Empty where there is none, or it can't be read: then entries are taken out, and no bytes come back. */
function readReceipt(folder: string): z.infer<typeof receiptShape> {
	const checked = receiptShape.safeParse(parseObject(readText(receiptPath(folder)) ?? ""));
	return checked.success ? checked.data : { version: 1, made: [], files: [] };
}

/**
 * Keeps the receipt of a file right before an install writes it, and before it the backup, where the text is the first one; asked for
 * before the file's folders are made. Bytes that others have edited since are never traded for the backup, as their edits would go
 * with them. Throws `STORE_READONLY`.
 */
export function receiptKeeper(folder: string, path: string, isInstalled: (text: string) => boolean = () => true) {
	const { made, files } = readReceipt(folder);
	for (let at = dirname(path); !existsSync(at); at = dirname(at)) made.push(at);
	return (before: string | null, after: string): void => {
		const isFresh = before === null || !isInstalled(before);
		const known = isFresh ? undefined : files.find((one) => one.path === path);
		const file = known ?? { path, before: isFresh && before !== null ? checksumOf(before) : null, after: [] };
		const left = isFresh || file.after.includes(checksumOf(before)) ? [...file.after, checksumOf(after)] : file.after;
		const others = files.filter((one) => one.path !== path);
		const receipt = {
			version: 1,
			made: unique(made),
			files: [...others, { ...file, after: unique(left).slice(-VERSIONS) }],
		};
		try {
			refusePathLinks(dirname(dirname(folder)), folder);
			if (before === null) rmSync(backupPath(folder), { force: true });
			else if (isFresh) writeFileAtomic(backupPath(folder), Buffer.from(before), { durable: true });
			writeJson(receiptPath(folder), receipt, { durable: true, indent: 2 });
		} catch (error) {
			throw coded(
				"STORE_READONLY",
				`the backup can't be written below ${folder} (${whyOf(error)}). The settings were not changed; make that folder writable or set CCG_HOME.`,
				error,
			);
		}
	};
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

/** The bytes of before, where a text is as an install left it: `null` for no file, `undefined` where they can't be had. */
export function bytesBefore(folder: string, path: string, left: string): string | null | undefined {
	const file = fileIn(folder, path);
	if (!file || !isLeft(folder, path, left)) return undefined;
	if (file.before === null) return null;
	const text = readText(backupPath(folder));
	return text !== null && checksumOf(text) === file.before ? text : undefined;
}

/** Whether a text is as an install left it. */
export const isLeft = (folder: string, path: string, text: string): boolean =>
	fileIn(folder, path)?.after.includes(checksumOf(text)) === true;

const fileIn = (folder: string, path: string) => readReceipt(folder).files.find((file) => file.path === path);

/** Forgets an installation, its backup included; the folders that it made go, but those that hold anything. */
export function dropReceipt(folder: string): void {
	for (const made of readReceipt(folder).made.sort().reverse()) quietly(() => rmdirSync(made));
	rmSync(folder, { recursive: true, force: true });
}

/** The files that an installation has changed and not given back. */
export const filesLeft = (folder: string): string[] => readReceipt(folder).files.map(({ path }) => path);

/** The same of all installations of a store. */
export const allFilesLeft = (store: string): string[] =>
	namesIn(join(store, "install")).flatMap((name) => filesLeft(join(store, "install", name)));

/** Of a text, in hex. */
const checksumOf = (of: string): string => createHash("sha256").update(of).digest("hex");
