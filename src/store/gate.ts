/**
 * The one way to the disk for what ccg keeps: whatever is written passes redaction here, as the last step, whether or not it
 * passed it before. `writeFileAtomic` and `appendLines` are called from nowhere else, but for the exact bytes of people's own
 * settings files and of their notes (`test/security/redact-gate.test.ts` holds the list, with the reasons).
 */
import { redactDeep } from "../core/redact/deep.ts";
import { redactSecrets } from "../core/redact/secrets.ts";
import { appendLines } from "./append-line.ts";
import { type WriteOptions, writeFileAtomic } from "./atomic-write.ts";
import { sealOf } from "./seal.ts";

/** A whole text file, as `writeFileAtomic` writes it. */
export function writeText(path: string, text: string, options: WriteOptions & { mode?: number } = {}): void {
	writeFileAtomic(path, redactSecrets(text), options);
}

/** A file that only the first of several makes: whether it was this one. */
export function createFirst(path: string, text: string): boolean {
	try {
		writeText(path, text, { sync: false, exclusive: true });
		return true;
	} catch (error) {
		if ((error as { code?: string }).code === "EEXIST") return false;
		throw error;
	}
}

/** A whole JSON file; redacted text by text, so that it stays JSON. */
export function writeJson(path: string, value: object, options: WriteOptions & { indent?: number } = {}): void {
	const { indent, ...how } = options;
	writeFileAtomic(path, `${JSON.stringify(redactDeep(value), null, indent)}\n`, how);
}

/** The same with a seal as its last field (`sealOf`). Gives its size in characters. */
export function writeSealed(path: string, value: object, options: WriteOptions = {}): number {
	const text = sealedText(value);
	writeFileAtomic(path, text, options);
	return text.length;
}

/** The text that `writeSealed` writes. */
export function sealedText(value: object): string {
	const json = JSON.stringify(redactDeep(value));
	return `${json.slice(0, -1)},"sha256":"${sealOf(json)}"}\n`;
}

/** A file of somebody's own with something added at its end: what was there keeps its bytes. */
export function writeBehind(
	path: string,
	before: Uint8Array,
	added: string,
	options: WriteOptions & { mode?: number } = {},
): void {
	writeFileAtomic(path, Buffer.concat([before, Buffer.from(redactSecrets(added))]), options);
}

/** The same with something put between two parts of it. */
export function writeBetween(
	path: string,
	[before, after]: readonly [Uint8Array, Uint8Array],
	added: string,
	options: WriteOptions & { mode?: number } = {},
): void {
	writeFileAtomic(path, Buffer.concat([before, Buffer.from(redactSecrets(added)), after]), options);
}

/** Lines of text, each with its `\n`, added to a file of the store. */
export function appendText(path: string, lines: string, options: { durable?: boolean } = {}): void {
	appendLines(path, redactSecrets(lines), options);
}

/** One line of JSON for each value, added to a file of the store. */
export function appendJson(path: string, values: readonly object[], options: { durable?: boolean } = {}): void {
	appendLines(path, values.map((value) => `${JSON.stringify(redactDeep(value))}\n`).join(""), options);
}
