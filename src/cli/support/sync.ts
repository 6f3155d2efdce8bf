import type { Note } from "../../memory/notes.ts";
import type { ScopedStore } from "../../memory/notes-file.ts";
import { projectOf } from "../../store/project.ts";
import { storeOf } from "../../store/session/place.ts";
import { carrierAt } from "../../sync/address.ts";
import type { Way } from "../../sync/carrier.ts";
import { changeForeign } from "../../sync/conflicts.ts";
import { typedAddress } from "../../sync/project.ts";
import { needSpace, type Opened } from "../../sync/space.ts";
import { membersIn } from "../../sync/state.ts";
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

/** Why nothing that is saved here reaches the others; `null`: it does. */
export function rightsOf(opened: Opened): string | null {
	const role = membersIn(opened).get(opened.machine)?.role;
	if (role === "reader") return "This machine is a reader: it gets what is shared, and sends nothing.";
	if (role === "none") return "This machine was removed from the space.";
	const again = `the code again: ccg sync join ${typedAddress(opened.address)}`;
	return role ? null : `No member has taken this machine in yet, so it sends nothing; ${again}`;
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
