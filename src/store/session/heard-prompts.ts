import { exact } from "../../core/redact/secrets.ts";
import { oneLine } from "../../core/text/text.ts";
import { isHostText, typedWords } from "../../core/transcript/spoken.ts";
import { tryOrUndefined } from "../../files/quietly.ts";
import { readFromStore, writeToStore } from "../database.ts";
import { sha256 } from "../gate.ts";
import type { Session } from "../session-handle.ts";
import { touchSession } from "./cycles.ts";

/** Keeps a prompt that UserPromptSubmit was given, as a hash; a text of Claude Code's own is left out. Throws why the store can't be written. */
export function keepPromptHash(session: Session, prompt: string): void {
	if (isHostText(prompt.trimStart(), true)) return;
	writeToStore(session, (database) => {
		database.query("INSERT OR IGNORE INTO heard VALUES(?, ?)").run(session.id, exact(promptHash(prompt)));
		touchSession(database, session);
	});
}

/** Gives a function that says whether a text is a kept prompt. Where the store can't be read it says no: then who spoke is unclear. */
export function promptChecker(session: Session): (text: string) => boolean {
	const sql = "SELECT hash FROM heard WHERE session = ?";
	let hashes: Set<unknown> | undefined;
	return (text) => {
		const read = () => readFromStore(session, (database) => database.query(sql).values(session.id));
		hashes ??= new Set(tryOrUndefined(read)?.flat());
		return hashes.has(promptHash(text));
	};
}

/** A hash that is the same for a prompt and its line in the transcript, where attachments have a mark. */
const promptHash = (text: string): string => sha256(oneLine(typedWords(text).replace(ATTACHMENT, ""))).slice(0, 16);
const ATTACHMENT = /\[(?:image|document)\]/g;
