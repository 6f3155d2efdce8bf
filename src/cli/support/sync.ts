import type { Note } from "../../memory/notes.ts";
import type { ScopedStore } from "../../memory/notes-file.ts";
import { projectOf } from "../../store/project.ts";
import { storeOf } from "../../store/session/place.ts";
import { carrierAt } from "../../sync/address.ts";
import type { Way } from "../../sync/carrier.ts";
import { changeForeign } from "../../sync/conflicts.ts";
import { needSpace, type Opened } from "../../sync/space.ts";
import { syncNow, tellShared } from "../../sync/sync.ts";
import type { Io } from "./io.ts";

/** Works with the space that this store shares. Throws where it shares none. */
export async function withSpace<T>(io: Io, act: (opened: Opened, way: Way) => T | Promise<T>): Promise<T> {
	const store = storeOf(io);
	const opened = needSpace(store);
	try {
		return await act(opened, { root: store.root, address: opened.address, env: io.env });
	} finally {
		opened.close();
	}
}

/** Exchanges, with progress where somebody waits at a terminal. */
export async function exchange(opened: Opened, way: Way, io: Io) {
	const progress = io.progress && ((done: number, all: number) => io.progress!(`exchanging: ${done} of ${all}`));
	try {
		return await syncNow(opened, () => carrierAt(way, opened.space.id), { progress, env: io.env });
	} finally {
		io.progress?.("");
	}
}

/** Puts a text in the place of a note of another machine, or with `null` deletes it; the others have it with the next exchange. */
export const changeForeignNote = (io: Io, { scope }: ScopedStore, note: Note, text: string | null): Promise<void> =>
	withSpace(io, (opened) => {
		changeForeign(opened, "global" in scope ? "" : projectOf(scope.cwd).key, note, text);
		tellShared(opened);
	});
