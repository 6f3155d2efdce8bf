import { exact } from "../../core/redact/secrets.ts";
import { oneLine } from "../../core/text/text.ts";
import { isHostText, ownWords } from "../../core/transcript/spoken.ts";
import { quietly } from "../../files/quietly.ts";
import { fromStore, inStore, type Rows } from "../database.ts";
import { sha256 } from "../gate.ts";
import type { Session } from "../session-handle.ts";
import { touchSession } from "./cycles.ts";

/** Keeps that Claude Code handed this prompt to UserPromptSubmit, as a hash. Throws why the store can't be written. */
export function keepHeard(session: Session, prompt: string): void {
	if (isHostText(prompt.trimStart(), true)) return;
	inStore(session, (database) => {
		database.query("INSERT OR IGNORE INTO heard VALUES(?, ?)").run(session.id, exact(promptHash(prompt)));
		touchSession(database, session);
	});
}

/**
 * Gives a function that says of a text whether `keepHeard` kept it as a prompt. Its first call reads the store. Where that can't be read, it
 * says no of every text: who spoke is unclear then, and shown so.
 */
export function heardIn(session: Session): (text: string) => boolean {
	let keys: Set<unknown> | undefined;
	const hashes = (database: Rows) => database.query("SELECT hash FROM heard WHERE session = ?").values(session.id);
	return (text) => {
		keys ??= new Set(quietly(() => fromStore(session, hashes))?.flat());
		return keys.has(promptHash(text));
	};
}

/** A hash that is the same for a prompt and for the transcript's line with it. */
const promptHash = (text: string): string => sha256(oneLine(ownWords(text).replace(PICTURE, ""))).slice(0, 16);
const PICTURE = /\[(?:image|document)\]/g;
