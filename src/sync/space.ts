import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../files/json-file.ts";
import { openInside } from "../files/read-inside.ts";
import { coded, whyOf } from "../files/system-failure.ts";
import { writeFileAtomic } from "../store/atomic-write.ts";
import { writeJson } from "../store/gate.ts";
import { withColdLock } from "../store/lock.ts";
import { type Env, syncPath } from "../store/paths.ts";
import type { Store, Tell } from "../store/session-handle.ts";
import { openSigned, packDocument, type Signed, signedIn } from "./bytes.ts";
import { MACHINE, MAX_DOCUMENT } from "./carrier.ts";
import type { Document } from "./document.ts";
import type { Machine } from "./machine.ts";

/** What this machine keeps of the space that it shares; all else stands in documents. */
export interface Space {
	/** This machine, with its keys: only this user may read the file. */
	self: Machine;
	/** Where the carrier is; nothing secret. */
	address: string;
	isEncrypted: boolean;
	/** The projects that are shared from here. */
	projects: SharedHere[];
	/** Variables of the environment in which the space was begun: exchanges run with them, whatever a session's are. */
	around: Env;
}

export interface SharedHere {
	/** `Project.key`; `""`: the notes for all projects. */
	key: string;
	folder: string;
	mark: string;
	/** Whether checkpoints of its sessions are shared beside its notes. */
	withSessions: boolean;
}

/** Everything there is for work on the space that this store shares. */
export interface Opened {
	store: Store;
	space: Space;
	/** Called with what was refused or failed, while the rest is done. */
	tell: Tell;
}

const documentsIn = (root: string): string => join(root, "sync", "documents");

/** Reads the space that this store shares; `null` where it shares none. Throws with code `EDAMAGED` where it can't be read. */
export function openSpace(store: Store): Opened | null {
	const path = syncPath(store.root);
	if (!existsSync(path)) return null;
	const space = readJson<Space>(path) as Space | null;
	if (space && MACHINE.test(space.self?.id) && space.self.keys?.sign?.d && Array.isArray(space.projects))
		return { store, space, tell: store.tell };
	throw coded(
		"EDAMAGED",
		`what is shared can't be read (${path}); your notes are where they were. Begin anew: ccg sync leave --force, then ccg sync join`,
	);
}

/** Reads the space that this store shares. Throws with code `EUNSHARED` where it shares none. */
export function needSpace(store: Store): Opened {
	const opened = openSpace(store);
	if (opened) return opened;
	throw coded("EUNSHARED", "nothing is shared here yet; begin with: ccg sync init FOLDER, or ccg sync join FOLDER");
}

export const keepSpace = ({ store, space }: Pick<Opened, "store" | "space">): void =>
	writeJson(syncPath(store.root), space, { durable: true, exact: { ...space } });

/** Forgets the space here: what was shared stays where it was written. */
export const forgetSpace = ({ root }: Store): void => rmSync(join(root, "sync"), { recursive: true, force: true });

/** Runs `act` while no other process works on the store's space; waits so long for it. */
export const alone = <T>({ root }: Store, act: () => Promise<T>, waitMs = 10_000): Promise<T> =>
	withColdLock(join(root, "run", "sync"), act, { waitMs });

/** Keeps a document as it was signed, byte for byte; `null`: forgets it. */
export function keepDocument({ root }: Store, machine: string, bytes: Uint8Array | null): void {
	const path = join(documentsIn(root), machine);
	if (bytes) writeFileAtomic(path, bytes, { durable: true });
	else rmSync(path, { force: true });
}

/** Reads a document that is kept here; `null` where there is none. A damaged one is set aside, which is reported, and fetched again later. */
export function keptSigned({ store, tell }: Opened, machine: string): Signed | null {
	const folder = documentsIn(store.root);
	const file = openInside(folder, machine, { maxBytes: MAX_DOCUMENT });
	try {
		const signed = file && signedIn(file.bytes);
		if (signed && signed.machine !== machine) throw new Error("it is another machine's");
		return signed;
	} catch (error) {
		const path = join(folder, machine);
		renameSync(path, `${path}.damaged`);
		tell(`${path} was damaged (${whyOf(error)}): it is read again, and set aside as ${machine}.damaged`);
		return null;
	}
}

/** Reads this machine's document as it was written last; gives a new one where there is none. */
export async function ownDocument(opened: Opened): Promise<Document> {
	const { id: machine, keys, name } = opened.space.self;
	const signed = keptSigned(opened, machine);
	const document = signed && (await openSigned(signed, keys));
	const nothing = { seen: {}, members: {}, removed: [], letIn: {}, ask: "", values: [] };
	if (signed && !document) throw new Error(`${machine}: what this machine wrote is not for its own key`);
	return document ?? { machine, version: 0, name, ...nothing };
}

/** Whether this machine's document at the carrier was written elsewhere (this home is a restored backup or a copy). `kept`: the one here. */
export const isOfCopy = (kept: Signed | null, { machine, version, content }: Signed): boolean =>
	kept?.machine === machine && (version > kept.version || (version === kept.version && !kept.content.equals(content)));

/** Writes this machine's document here with its next version, for its members and `others` to read. Gives its bytes. */
export async function keepOwn(opened: Opened, own: Document, others: readonly string[] = []): Promise<Uint8Array> {
	const { keys, name, id } = opened.space.self;
	const readers = [keys.recipient!, ...Object.values(own.members), ...others].filter(Boolean);
	const recipients = opened.space.isEncrypted ? [...new Set(readers)].sort() : [];
	const bytes = await packDocument({ ...own, name, version: own.version + 1 }, keys, recipients);
	keepDocument(opened.store, id, bytes);
	return bytes;
}
