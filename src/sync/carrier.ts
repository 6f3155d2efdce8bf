import type { Env } from "../store/paths.ts";

/**
 * A place that keeps the batches of machines, and small documents. It may be hostile and it may fail at any step: it sees bytes, and
 * whoever reads checks what it gives. A method throws when it did not do what it says; an error of code `EOFFLINE` says that nothing
 * is there to ask (a drive that is not mounted, a server that does not answer). What is read is as it was when the carrier was opened, or newer.
 */
export interface Carrier {
	/** Which whole batches of each machine it holds, without a gap. Older ones may have gone into a snapshot. */
	heads(): Promise<Map<string, { from: number; to: number }>>;
	/** Batches of a machine from `seq` on, in order and without a gap, about `bytes` in one answer, at least one if there is one. */
	read(machine: string, seq: number, bytes?: number): Promise<Carried[]>;
	/**
	 * Adds batches of this machine, in order; the first one follows on what is there, or is there. One that is there already is passed
	 * over, whatever its bytes. Durable when it returns; after a kill a beginning of them is there, each whole.
	 */
	append(machine: string, batches: readonly Carried[]): Promise<void>;
	/** Deletes batches up to and with `seq`, of this machine or, by an owner, of one that left; where that is beyond what is there too. The next one that is added has a higher number. */
	forget(machine: string, seq: number): Promise<void>;
	/** A document, whole; `null` where there is none. */
	get(name: string): Promise<Uint8Array | null>;
	/** Puts a document in the place of the one there was, whole and durable. Each has one writer. */
	put(name: string, bytes: Uint8Array): Promise<void>;
	/** The names that begin so, sorted. */
	list(prefix: string): Promise<string[]>;
	/** Nothing happens where there is none. */
	remove(name: string): Promise<void>;
	/** Makes known what was written (git: commit and push). Called after writing. */
	push(): Promise<void>;
	close(): Promise<void>;
	/** The projects that it shares with this machine; `null`: all. The others come without their bytes. */
	sees?(): Promise<string[] | null>;
}

/** Whose carrier is opened, and how. */
export interface Way {
	/** The store. */
	root: string;
	/** As `plainAddress` gives it. */
	address: string;
	env: Env;
	/** As it was typed, where it holds what is not kept: a login that owns a database. */
	typed?: string | undefined;
	/** The code of an invitation to a server. */
	invitation?: string | undefined;
}

/** Works with a carrier, or whatever else has to be closed, and closes it. */
export async function closing<C extends Pick<Carrier, "close">, T>(
	opening: C | Promise<C>,
	act: (opened: C) => Promise<T>,
): Promise<T> {
	const opened = await opening;
	try {
		return await act(opened);
	} finally {
		await opened.close();
	}
}

/** A batch as it is carried. */
export interface Carried {
	/** From 1, without a gap for each machine. */
	seq: number;
	/** The one project that it is about; `null`: the space itself. The same stands in the bytes, signed. */
	project: string | null;
	/** One line of text without its end: at most `MAX_BATCH` bytes, none of them a line feed. */
	bytes: Uint8Array;
	/** Where the project is not shared with whoever reads there are no bytes, and this is their SHA-256: the chain goes on over it. */
	hash?: string;
}

/** The id of a machine. */
export const MACHINE = /^[0-9a-f]{32}$/;
/** The id of a project in a space. */
export const PROJECT = /^[0-9a-f]{32}$/;
/** The name of a document: `space`, `join/MACHINE`, `snapshot/NAME/PART`, `confirm/NAME/MACHINE`. */
export const DOCUMENT = /^[a-z]{1,16}(?:\/[0-9a-z-]{1,80}){0,2}$/;

export const MAX_BATCH = 512 * 1024;
export const MAX_DOCUMENT = 32 * 1024 * 1024;
/** What one answer of `read` is asked for. */
export const READ_BYTES = 4 * 1024 * 1024;
