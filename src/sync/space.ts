import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../files/json-file.ts";
import { readFileInside } from "../files/read-inside.ts";
import { codedError, errorText } from "../files/system-failure.ts";
import { writeFileAtomic } from "../store/atomic-write.ts";
import { writeJson } from "../store/gate.ts";
import { type Env, syncPath } from "../store/paths.ts";
import type { OnProblem, Store } from "../store/session-handle.ts";
import { openSigned, packDocument, parseSigned, type Signed } from "./bytes.ts";
import { MACHINE_ID, MAX_DOCUMENT } from "./carrier.ts";
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
	projects: SharedProject[];
	/** Variables of the environment in which the space was begun: exchanges run with them, whatever a session's are. */
	around: Env;
}

/** A project that this machine shares. */
export interface SharedProject {
	/** `Project.key`; `""`: the notes for all projects. */
	key: string;
	folder: string;
	mark: string;
	/** Whether checkpoints of its sessions are shared beside its notes. */
	withSessions: boolean;
}

/** Everything there is for work on the space that this store shares. */
export interface OpenSpace {
	store: Store;
	space: Space;
	/** Called with what was refused or failed, while the rest is done. */
	onProblem: OnProblem;
}

/** The folder of the store that holds the documents of all machines, as they were signed. */
const documentsFolder = (root: string): string => join(root, "sync", "documents");

/** Reads the space that this store shares; `null` where it shares none. Throws with code `EDAMAGED` where it can't be read. */
export function readSpace(store: Store): OpenSpace | null {
	const path = syncPath(store.root);
	if (!existsSync(path)) return null;
	const space = readJson<Space>(path) as Space | null;
	if (space && MACHINE_ID.test(space.self?.id) && space.self.keys?.sign?.d && Array.isArray(space.projects))
		return { store, space, onProblem: store.onProblem };
	const advice = "your notes are where they were. Begin anew: ccg sync leave --force, then ccg sync join";
	throw codedError("EDAMAGED", `what is shared can't be read (${path}); ${advice}`);
}

/** Reads the space that this store shares. Throws with code `EUNSHARED` where it shares none. */
export function requireSpace(store: Store): OpenSpace {
	const opened = readSpace(store);
	if (opened) return opened;
	const advice = "nothing is shared here yet; begin with: ccg sync init FOLDER, or ccg sync join FOLDER";
	throw codedError("EUNSHARED", advice);
}

/** Writes down the space that this store shares, with the machine's keys, exactly as they are: redaction would take them out. */
export const writeSpace = ({ store, space }: Pick<OpenSpace, "store" | "space">): void =>
	writeJson(syncPath(store.root), space, { durable: true, unredacted: { ...space } });

/** Deletes all that this store keeps of the space; what was shared stays where it was written. */
export const forgetSpace = ({ root }: Store): void => rmSync(join(root, "sync"), { recursive: true, force: true });

/** Stores a machine's document as it was signed, byte for byte; with `null` deletes the stored one. */
export function storeDocument({ root }: Store, machine: string, bytes: Uint8Array | null): void {
	const path = join(documentsFolder(root), machine);
	if (bytes) writeFileAtomic(path, bytes, { durable: true });
	else rmSync(path, { force: true });
}

/** Reads a machine's document from the store; `null` where there is none. A damaged one is renamed, which is reported, and fetched again later. */
export function readStoredDocument({ store, onProblem }: OpenSpace, machine: string): Signed | null {
	const folder = documentsFolder(store.root);
	const file = readFileInside(folder, machine, { maxBytes: MAX_DOCUMENT });
	try {
		const signed = file && parseSigned(file.bytes);
		if (signed && signed.machine !== machine) throw new Error("it is another machine's");
		return signed;
	} catch (error) {
		const path = join(folder, machine);
		renameSync(path, `${path}.damaged`);
		onProblem(`${path} was damaged (${errorText(error)}): it is read again, and set aside as ${machine}.damaged`);
		return null;
	}
}

/** Reads this machine's document as it was written last; gives a new one where there is none. */
export async function readOwnDocument(opened: OpenSpace): Promise<Document> {
	const { id: machine, keys, name } = opened.space.self;
	const signed = readStoredDocument(opened, machine);
	const document = signed && (await openSigned(signed, keys));
	const nothing = { seen: {}, members: {}, removed: [], letIn: {}, ask: "", values: [] };
	if (signed && !document) throw new Error(`${machine}: what this machine wrote is not for its own key`);
	return document ?? { machine, version: 0, name, ...nothing };
}

/** Whether this machine's document at the carrier was not written by this store, which then is a restored backup or a copy. */
export const isFromCopy = (stored: Signed | null, { machine, version, content }: Signed): boolean =>
	stored?.machine === machine &&
	(version > stored.version || (version === stored.version && !stored.content.equals(content)));

/** Stores this machine's document with its next version, for its members and `others` (keys of age) to read. Gives its bytes. */
export async function writeOwnDocument(opened: OpenSpace, own: Document, others: readonly string[] = []) {
	const { keys, name, id } = opened.space.self;
	const readers = [keys.recipient!, ...Object.values(own.members), ...others].filter(Boolean);
	const recipients = opened.space.isEncrypted ? [...new Set(readers)].sort() : [];
	const bytes = await packDocument({ ...own, name, version: own.version + 1 }, keys, recipients);
	storeDocument(opened.store, id, bytes);
	return bytes;
}
