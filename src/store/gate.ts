// Whatever ccg keeps in files is written here, redacted as the last step. The exceptions: `test/security/redact-gate.json`.
import type { Safe } from "../core/redact/secrets.ts";
import { exact, joinSafe, redactSecrets, safeJson, safeTemplate, sliceSafe } from "../core/redact/secrets.ts";
import { appendLines, type WriteOptions, writeFileAtomic } from "./atomic-write.ts";

/** Redacts and writes a whole text file, as `writeFileAtomic` does. Several parts are redacted one by one. */
export function writeText(path: string, text: string | readonly string[], options: WriteOptions = {}): void {
	writeFileAtomic(path, joinSafe([text].flat().map(redactSecrets)), options);
}

/** Writes a whole JSON file, each text in it redacted. `unredacted`: fields that are written unchanged. */
export function writeJson(path: string, value: object, options: WriteOptions & { unredacted?: object } = {}): void {
	const { unredacted = {}, ...writeOptions } = options;
	writeFileAtomic(path, safeTemplate`${safeJson(value, unredacted)}\n`, writeOptions);
}

/** Writes a JSON file with a seal (hash of the content), which shows damage and changes by hand. */
export const writeSealed = (path: string, value: object, options: WriteOptions = {}): void =>
	writeFileAtomic(path, sealedText(value), options);

/** An object as JSON text, redacted but for the fields of `unredacted`, with the content's hash as its last field `sha256`. */
export function sealedText<T extends object>(value: T, unredacted: Partial<T> = {}): Safe {
	const json = safeJson(value, unredacted);
	return safeTemplate`${sliceSafe(json, 0, -1)},"sha256":"${exact(sha256(json))}"}\n`;
}

/** Writes a person's own file with `added` between two parts of it, or at its end. Only `added` is redacted. */
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

/** Whether an object read from a file has the content of its seal (`sealedText`); `none`: it has no seal. */
export function checkSeal(value: Record<string, unknown>): "good" | "none" | "broken" {
	const { sha256: seal, ...content } = value;
	if (seal === undefined) return "none";
	return seal === sha256(JSON.stringify(content)) ? "good" : "broken";
}
