import { storeOf } from "../../store/session/place.ts";
import { carrierAt, type Way } from "../../sync/address.ts";
import { needSpace, type Opened } from "../../sync/space.ts";
import { syncNow } from "../../sync/sync.ts";
import type { Io } from "./io.ts";

const closed = new WeakSet<Opened>();

/** Ends the use of a space, once: `how` does more than close it. */
export function close(opened: Opened, how = (one: Opened): void => one.close()): void {
	if (closed.has(opened)) return;
	closed.add(opened);
	how(opened);
}

/** Works with the space that this store shares. Throws where it shares none. */
export async function withSpace<T>(io: Io, act: (opened: Opened, way: Way) => T | Promise<T>): Promise<T> {
	const store = storeOf(io);
	const opened = needSpace(store);
	try {
		return await act(opened, { root: store.root, address: opened.address, env: io.env });
	} finally {
		close(opened);
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
