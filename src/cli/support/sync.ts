import type { Note } from "../../memory/notes.ts";
import type { ScopedStore } from "../../memory/notes-file.ts";
import { projectOf } from "../../store/project.ts";
import { storeOf } from "../../store/session/place.ts";
import { changeForeign } from "../../sync/conflicts.ts";
import { syncNow } from "../../sync/members.ts";
import { alone, needSpace, type Opened } from "../../sync/space.ts";
import type { Io } from "./io.ts";

/** The space that this store shares. Throws where it shares none. */
export const spaceOf = (io: Io): Opened => ({ ...needSpace(storeOf(io)), now: io.now });

/** Exchanges, with progress where somebody waits at a terminal. */
export async function exchangeHere(opened: Opened, io: Io, isMeant = false) {
	const progress = io.progress && ((done: number, all: number) => io.progress!(`exchanging: ${done} of ${all}`));
	try {
		return await syncNow(opened, io.env, { progress, isMeant });
	} finally {
		io.progress?.("");
	}
}

/** Puts a text in the place of a note of another machine, or with `null` deletes it; the others have it with the next exchange. */
export async function changeForeignNote(
	io: Io,
	{ scope }: ScopedStore,
	note: Note,
	text: string | null,
): Promise<void> {
	const opened = spaceOf(io);
	const key = "global" in scope ? "" : projectOf(scope.cwd).key;
	return alone(opened.store, () => changeForeign(opened, key, note, text));
}
