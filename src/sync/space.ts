import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../files/names-in.ts";
import { openInside } from "../files/read-inside.ts";
import { coded, whyOf } from "../files/system-failure.ts";
import { writeFileAtomic } from "../store/atomic-write.ts";
import { sha256, writeJson } from "../store/gate.ts";
import { readJson } from "../store/json-file.ts";
import { withColdLock } from "../store/lock.ts";
import { type Env, syncPath } from "../store/paths.ts";
import type { Store } from "../store/session-handle.ts";
import { openSigned, packDocument, type Signed, secretOf, signedIn } from "./bytes.ts";
import { MACHINE, MAX_DOCUMENT } from "./carrier.ts";
import { type Document, isAsking, newValue, type Value, valuesOf } from "./document.ts";
import { loadMachine, type Machine } from "./machine.ts";

/** What this machine keeps of the space that it shares; all else stands in documents. */
export interface Space {
	id: string;
	/** Where the carrier is; nothing secret. */
	address: string;
	isEncrypted: boolean;
	isPaused: boolean;
	/** What is shared from here. */
	projects: SharedHere[];
	/** Of the environment in which it was begun what an exchange runs with, whatever a session's is. */
	around: Record<string, string>;
}

export interface SharedHere {
	/** `Project.key`; `""`: the notes for all projects. */
	key: string;
	folder: string;
	marks: string;
	/** Whether checkpoints of its sessions are shared beside its notes. */
	withSessions: boolean;
}

/** How the notes for all projects are named, which have no folder. */
export const FOR_ALL = "the notes for all projects";

/** Everything there is for work on the space that this store shares. */
export interface Opened {
	store: Store;
	space: Space;
	self: Machine;
	now(): Date;
}

const AROUND = ["HOME", "USER", "LOGNAME", "PATH", "LANG"];

/** What of an environment is kept for exchanges. */
export const aroundOf = (env: Env): Record<string, string> =>
	Object.fromEntries(AROUND.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));

const documentsIn = (root: string): string => join(root, "sync", "documents");

/** The space that this store shares; `null` where it shares none. Throws with code `EDAMAGED` where that can't be read, unless it is `isForgotten`. */
export function openSpace(store: Store, { isForgotten = false } = {}): Opened | null {
	const path = syncPath(store.root);
	if (!existsSync(path)) return null;
	const space = readJson<Space>(path) as Space | null;
	const self = loadMachine(store.root);
	if (!space || !MACHINE.test(space.id) || !Array.isArray(space.projects) || !self) {
		if (isForgotten) return null;
		throw coded(
			"EDAMAGED",
			`what is shared can't be read (${path}, or machine.json beside it); your notes are where they were. Begin anew: ccg sync leave --force, then ccg sync join`,
		);
	}
	return { store, space, self, now: () => new Date() };
}

/** The space of this store. Throws where there is none. */
export function needSpace(store: Store): Opened {
	const opened = openSpace(store);
	if (opened) return opened;
	throw coded("EUNSHARED", "nothing is shared here yet; begin with: ccg sync init FOLDER, or ccg sync join FOLDER");
}

export const keepSpace = ({ store, space }: Pick<Opened, "store" | "space">): void =>
	writeJson(syncPath(store.root), space, { durable: true, exact: { address: space.address, around: space.around } });

/** Forgets the space here: what was shared stays where it was written. */
export function forgetSpace({ root }: Store, but: readonly string[] = []): void {
	const folder = join(root, "sync");
	for (const name of namesIn(folder))
		if (!but.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** One at a time in a store. */
export const alone = <T>({ root }: Store, act: () => Promise<T>, waitMs = 10_000): Promise<T> =>
	withColdLock(join(root, "run", "sync"), act, { waitMs });

/** Keeps a document as it was signed, byte for byte. */
export const keepDocument = ({ store }: Opened, machine: string, bytes: Uint8Array): void =>
	writeFileAtomic(join(documentsIn(store.root), machine), bytes, { durable: true });

export const dropDocument = ({ store }: Opened, machine: string): void =>
	rmSync(join(documentsIn(store.root), machine), { force: true });

/** The machines whose documents are known here. */
export const knownMachines = ({ store }: Opened): string[] =>
	namesIn(documentsIn(store.root)).filter((name) => MACHINE.test(name));

/** The bytes of a document that is known here; `null` where there is none. */
export const keptBytes = ({ store }: Opened, machine: string): Buffer | null =>
	openInside(documentsIn(store.root), machine, { maxBytes: MAX_DOCUMENT })?.bytes ?? null;

/** A document that is known here; `null` where there is none. One that is damaged is set aside, and said: it is read again from the carrier. */
export function keptSigned(opened: Opened, machine: string, tell: (problem: string) => void): Signed | null {
	const bytes = keptBytes(opened, machine);
	if (!bytes) return null;
	try {
		const signed = signedIn(bytes);
		if (signed.machine !== machine) throw new Error("it is another machine's");
		return signed;
	} catch (error) {
		const path = join(documentsIn(opened.store.root), machine);
		renameSync(path, `${path}.damaged`);
		tell(`${path} was damaged (${whyOf(error)}): it is read again, and set aside as ${machine}.damaged`);
		return null;
	}
}

/** This machine's document as it was written last; a new one where there is none. */
export async function ownDocument(opened: Opened, tell: (problem: string) => void): Promise<Document> {
	const { space, self } = opened;
	const signed = keptSigned(opened, self.id, tell);
	const found = signed?.space === space.id ? await openSigned(signed, self.keys) : null;
	return found ?? { space: space.id, machine: self.id, version: 0, name: self.name, seen: {}, values: [] };
}

/** Writes this machine's document with its next version. Gives its bytes. */
export async function keepOwn(opened: Opened, own: Document, recipients: readonly string[]): Promise<Uint8Array> {
	const next = { ...own, name: opened.self.name, version: own.version + 1 };
	const to = opened.space.isEncrypted ? [...new Set([opened.self.keys.recipient!, ...recipients])].sort() : [];
	const bytes = await packDocument(next, opened.self.keys, to);
	keepDocument(opened, opened.self.id, bytes);
	return bytes;
}

/** What the members that are known here are encrypted to. */
export const recipientsOf = (opened: Opened, members: Iterable<string>): string[] =>
	[...members].flatMap((machine) => keptSigned(opened, machine, () => {})?.recipient ?? []);

/** The members that this machine's own document names, itself not. */
export const membersIn = (own: Document): string[] =>
	valuesOf(own, "member").flatMap(({ item, text }) => (text === null || item === own.machine ? [] : [item]));

/** The code of a machine that asks, which it alone can come to. 80 bits in hex digits, in groups of five. */
export const codeOf = ({ space, self }: Pick<Opened, "space" | "self">): string =>
	secretOf(`join ${space.id}`, self.keys)
		.slice(0, 20)
		.replace(/(.{5})(?=.)/g, "$1-");

// A machine that asks shows a code that only it can come to, and that no carrier ever sees. Its document holds a proof that its key knows the
// code; a member that the code is typed on looks for that proof, so nobody between them can put in another key. It answers with a proof
// of its own, by which the new machine knows whom to believe.

const plainCode = (code: string): string => code.toLowerCase().replace(/[\s-]/g, "");
const proofOf = (what: "ask" | "in", space: string, code: string, ...machines: string[]): string =>
	sha256(`ccg ${what} ${space} ${machines.join(" ")} ${plainCode(code)}`);

/** What a machine that asks says. */
export const askingValue = (opened: Opened, own: Document): Value =>
	newValue(own, {
		...{ item: "ask", kind: "ask", project: "", at: opened.now().toISOString() },
		text: proofOf("ask", opened.space.id, codeOf(opened), opened.self.id),
	});

/** Whether the code that was typed is that of the machine whose document it is. */
export const isOfCode = ({ space }: Opened, document: Document, code: string): boolean =>
	valuesOf(document, "ask").some(({ text }) => text === proofOf("ask", space.id, code, document.machine));

/** What says that a machine was let in by its code. */
export const letInText = ({ space, self }: Opened, machine: string, code: string): string =>
	proofOf("in", space.id, code, self.id, machine);

/** Whether the machine of a document has let this one in, which asks. */
export function letInBy(opened: Opened, document: Document, own: Document): boolean {
	if (!isAsking(own)) return false;
	const { space, self } = opened;
	const proof = proofOf("in", space.id, codeOf(opened), document.machine, self.id);
	return valuesOf(document, "member").some(({ item, text }) => item === self.id && text === proof);
}
