/**
 * The one way to the disk for what ccg keeps: whatever is written passes redaction here, as the last step, whether or not it
 * passed it before. `writeFileAtomic` and `appendLines` are called from nowhere else, but for the exact bytes of people's own
 * settings files and of their notes (`test/security/redact-gate.test.ts` holds the list, with the reasons).
 */
import { exact, joinSafe, redactSecrets, type Safe, safeJson, safely, safePart } from "../core/redact/secrets.ts";
import { appendLines, type WriteOptions, writeFileAtomic } from "./atomic-write.ts";

/** Redacts and writes a whole text file, as `writeFileAtomic` does. Several parts are redacted one by one. */
export function writeText(path: string, text: string | readonly string[], options: WriteOptions = {}): void {
	writeFileAtomic(path, joinSafe([text].flat().map(redactSecrets)), options);
}

/** Writes a whole JSON file, redacted text by text, so that it stays JSON. `exact`: fields that are written unchanged. */
export function writeJson(path: string, value: object, options: WriteOptions & { exact?: object } = {}): void {
	const { exact: asIs = {}, ...how } = options;
	writeFileAtomic(path, safely`${safeJson(value, asIs)}\n`, how);
}

/** Writes a JSON file with a seal as its last field: it shows damage and changes by hand, not who wrote the file. */
export const writeSealed = (path: string, value: object, options: WriteOptions = {}): void =>
	writeFileAtomic(path, sealedText(value), options);

/** The text that `writeSealed` writes. */
export function sealedText<T extends object>(value: T, asIs: Partial<T> = {}): Safe {
	const json = safeJson(value, asIs);
	return safely`${safePart(json, 0, -1)},"sha256":"${exact(sha256(json))}"}\n`;
}

/** Writes a person's own file with `added` between two parts of it, or at its end: only `added` is redacted, the parts keep their bytes. */
export function writeBetween(
	path: string,
	[before, after]: readonly [Uint8Array, Uint8Array?],
	added: string,
	options: WriteOptions = {},
): void {
	const parts = [before, Buffer.from(redactSecrets(added)), ...(after ? [after] : [])];
	writeFileAtomic(path, Buffer.concat(parts), options);
}

/** Redacts lines of text, each with its `\n`, and adds them to a file of the store. Several parts are redacted one by one. */
export function appendText(path: string, lines: string | readonly string[], options: { durable?: boolean } = {}): void {
	appendLines(path, joinSafe([lines].flat().map(redactSecrets)), options);
}

/** The SHA-256 of a content, in hex. (By Bun: node:crypto costs a hook 7 to 10 ms at import.) */
export const sha256 = (content: string | Uint8Array): string =>
	new Bun.CryptoHasher("sha256").update(content).digest("hex");

/** Whether a value read from a file fits its seal, however the file is laid out; `none`: it has no seal. */
export function checkSeal(value: Record<string, unknown>): "good" | "none" | "broken" {
	const { sha256: seal, ...content } = value;
	if (seal === undefined) return "none";
	return seal === sha256(JSON.stringify(content)) ? "good" : "broken";
}
