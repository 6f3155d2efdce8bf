import { statSync } from "node:fs";
import { oneLine } from "../../core/text/text.ts";
import { isHostText, ownWords } from "../../core/transcript/spoken.ts";
import { appendText } from "../gate.ts";
import { readBytes } from "../json-file.ts";
import type { Session } from "../session-handle.ts";

/** Some 60,000 prompts. */
const MAX_BYTES = 1024 * 1024;

/** Keeps that Claude Code handed this prompt to UserPromptSubmit, as a hash. Throws what the file system says. */
export function keepHeard({ paths }: Session, prompt: string): void {
	if (isHostText(prompt.trimStart(), true)) return;
	if ((statSync(paths.heard, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) return;
	appendText(paths.heard, `${keyOf(prompt)}\n`);
}

/** Tells of a text whether it was kept so; the file is read when that is first asked. */
export function heardIn({ paths }: Session): (text: string) => boolean {
	let keys: Set<string> | undefined;
	return (text) => {
		if (!keys) {
			const read = readBytes(paths.heard, { follow: false });
			keys = new Set(read.state === "good" ? read.text.split("\n") : []);
		}
		return keys.has(keyOf(text));
	};
}

/** The same for a prompt and for what a transcript's line says of it. */
const keyOf = (text: string): string =>
	new Bun.CryptoHasher("sha256")
		.update(oneLine(ownWords(text).replace(PICTURE, "")))
		.digest("hex")
		.slice(0, 16);
const PICTURE = /\[(?:image|document)\]/g;
