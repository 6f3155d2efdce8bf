import { exact } from "../../core/redact/secrets.ts";
import { oneLine } from "../../core/text/text.ts";
import { isHostText, ownWords } from "../../core/transcript/spoken.ts";
import { fromStore, inStore } from "../database.ts";
import type { Session } from "../session-handle.ts";

/** Keeps that Claude Code handed this prompt to UserPromptSubmit, as a hash. Throws why the store can't be written. */
export function keepHeard(session: Session, prompt: string): void {
	if (isHostText(prompt.trimStart(), true)) return;
	inStore(session, (database) =>
		database.query("INSERT OR IGNORE INTO heard VALUES(?, ?)").run(session.id, exact(keyOf(prompt))),
	);
}

/** Tells of a text whether it was kept so; the store is read when that is first asked. */
export function heardIn(session: Session): (text: string) => boolean {
	let keys: Set<unknown> | undefined;
	return (text) => {
		keys ??= new Set(hashes(session));
		return keys.has(keyOf(text));
	};
}

function hashes(session: Session): unknown[] {
	try {
		const rows = fromStore(session, (database) =>
			database.query("SELECT hash FROM heard WHERE session = ?").values(session.id),
		);
		return (rows ?? []).map(([hash]) => hash);
	} catch {
		// who spoke is unclear then, and told so
		return [];
	}
}

/** The same for a prompt and for what a transcript's line says of it. */
const keyOf = (text: string): string =>
	new Bun.CryptoHasher("sha256")
		.update(oneLine(ownWords(text).replace(PICTURE, "")))
		.digest("hex")
		.slice(0, 16);
const PICTURE = /\[(?:image|document)\]/g;
