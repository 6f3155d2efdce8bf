import { tryOrUndefined } from "../files/quietly.ts";
import { codedError, errorCode, errorText } from "../files/system-failure.ts";
import { openSigned, parseSigned, type Signed } from "./bytes.ts";
import { type Carrier, MAX_DOCUMENT, MAX_MACHINES } from "./carrier.ts";
import { isPostgres } from "./carriers.ts";
import { addToSeen, authorOf, type Document, emptySeen, MAX_REMOVED, type Seen, type Value } from "./document.ts";
import { type LastSync, readLastSync, type SyncOptions } from "./last.ts";
import { isLetInBy, joinProof, machineName } from "./machine.ts";
import { acceptedValues, type ForeignValue } from "./notes.ts";
import { isFromCopy, type OpenSpace, readOwnDocument, readStoredDocument, storeDocument } from "./space.ts";

/** What the functions that read documents work with. */
interface ReadContext {
	opened: OpenSpace;
	carrier: Pick<Carrier, "get">;
	/** The machines that have a document there, with its version. */
	listed: ReadonlyMap<string, string>;
	/** The carrier's version of each document that was read, for this machine's own after its number; reading changes it. */
	versions: Record<string, string>;
	how: SyncOptions;
}

/**
 * Gives this machine's document, and whether the carrier has the same. If it is lost here it is taken from the carrier. Throws where a copy of
 * this store wrote the carrier's: sending this one would replace what was written there.
 */
export async function checkOwnAtCarrier({ opened, carrier, listed, versions }: ReadContext, own: Document) {
	const { id } = opened.space.self;
	const version = listed.get(id);
	if (version !== undefined && versions[id] === `${own.version} ${version}`) return { own, isAtCarrier: true };
	const stored = readStoredDocument(opened, id);
	const bytes = version === undefined ? null : await carrier.get(id);
	const signed = bytes && tryOrUndefined(() => parseSigned(bytes));
	const why =
		"a document of this machine is there that its store did not write: a backup was restored, or another machine uses a copy of this home. Nothing is lost";
	if (signed && isFromCopy(stored, signed))
		throw codedError("ECOPY", `${why}; make this one a machine of its own: ccg sync join ${opened.space.address}`);
	if (signed?.machine !== id || (stored && stored.version > signed.version)) return { own, isAtCarrier: false };
	versions[id] = `${signed.version} ${version}`;
	if (stored) return { own, isAtCarrier: true };
	storeDocument(opened.store, id, signed.bytes);
	return { own: await readOwnDocument(opened), isAtCarrier: true };
}

/** What the documents of the other machines say. */
export interface Others extends Pick<LastSync, "members" | "asking" | "joined" | "received"> {
	/** This machine's document, with the members that are known now. */
	own: Document;
	seen: Seen;
	/** What `acceptedValues` gives of the members whose documents are there; values that were replaced are among it. */
	values: ForeignValue[];
}

/**
 * Reads the documents of members, of machines that members name, and of those that ask to be let in: new ones from the carrier, else those in
 * the store. Gives what they say, and this machine's document with the members that are known now. `own`: that document so far.
 */
export async function readOthers(context: ReadContext, own: Document, received = 0): Promise<Others> {
	const { opened, listed, versions, how } = context;
	const { space, store } = opened;
	const found: Others = { own, seen: emptySeen(own), values: [], members: [], asking: [], joined: null, received };
	const others = [...listed.keys()].filter((machine) => machine !== space.self.id);
	const members = new Map(Object.entries(own.members));
	const removed = new Set(own.removed);
	const letIn = { ...own.letIn };
	let { ask } = own;
	// while this machine asks to be let in
	for (const machine of ask ? others : []) {
		const { document } = (await readDocument(context, machine)) ?? {};
		if (!document || !isLetInBy(space.self, document)) continue;
		// the machine that let this one in knows the other members
		members.set(machine, "");
		ask = "";
	}
	// every machine that a server lets write is a member
	if (isPostgres(space.address)) for (const machine of others) members.set(machine, members.get(machine) ?? "");
	for (const machine of removed) {
		members.delete(machine);
		if (machine !== space.self.id) storeDocument(store, machine, null);
	}
	// (the loop also reaches members that are added meanwhile)
	for (const machine of members.keys()) {
		const [version, stored] = [listed.get(machine), readStoredDocument(opened, machine)];
		const isNew = version !== undefined && (version !== versions[machine] || !stored);
		const fresh = isNew ? await readDocument(context, machine, { stored }) : null;
		if (fresh) {
			storeDocument(store, machine, fresh.signed.bytes);
			versions[machine] = version!;
			found.received++;
		}
		const signed = fresh?.signed ?? stored;
		const document = fresh ? fresh.document : stored && (await openSigned(stored, space.self.keys));
		// (also of a machine whose document can't be opened yet, so that it can open this one's)
		if (signed) members.set(machine, signed.recipient ?? "");
		const name = document ? machineName(document) : lastKnownName(opened, machine);
		found.members.push({ machine, name, isGone: version === undefined });
		if (!document) continue;
		// (the values of a document that the carrier lost are not written here, and not forgotten)
		addToSeen(found.seen, document);
		if (version === undefined) continue;
		for (const other of Object.keys(document.members))
			if (others.includes(other) && !removed.has(other) && !members.has(other) && members.size < MAX_MACHINES)
				members.set(other, "");
		for (const other of document.removed) {
			const isKnown = members.has(other) || other === space.self.id;
			if (removed.size >= MAX_REMOVED || !isKnown || removed.has(other)) continue;
			removed.add(other);
			if (other in own.members) opened.onProblem(`machine ${other.slice(0, 12)} was taken out by ${name}`);
		}
		found.values.push(...acceptedValues(opened, document, members.size));
	}
	// once more with the members as they are now: the documents of new ones count too, and all share the room anew
	if (removed.size > own.removed.length || members.size !== Object.keys(own.members).length) {
		const next = { ...own, ask, members: Object.fromEntries(members), removed: [...removed] };
		return readOthers(context, next, found.received);
	}
	// machines that are no members: they may ask to be let in
	for (const machine of others) {
		const version = listed.get(machine)!;
		// (each document of theirs is read and reported once)
		if (members.has(machine) || removed.has(machine) || versions[machine] === version) continue;
		const { document, signed } = (await readDocument(context, machine, { maxBytes: MAX_ASKING })) ?? {};
		if (document && how.code && !ask && document.ask === joinProof("ask", how.code, machine)) {
			members.set(machine, signed!.recipient ?? "");
			letIn[machine] = joinProof("in", how.code, space.self.id, machine);
			found.joined = machineName(document);
		} else if (document?.ask) found.asking.push({ machine, name: machineName(document) });
		if (document?.ask) continue;
		versions[machine] = version;
		if (document && !ask) opened.onProblem(`${machineName(document)} is no member: what it wrote is not read`);
	}
	const nextMembers = Object.fromEntries([...members].sort());
	const isSame = ask === own.ask && JSON.stringify(nextMembers) === JSON.stringify(own.members);
	return isSame ? found : { ...found, own: { ...own, ask, members: nextMembers, letIn } };
}

/** The document of a machine that is no member has at most so many bytes: it may ask, and has little to say. */
const MAX_ASKING = 32 * 1024;

/** Reads a document from the carrier; `null` where it is refused, which is reported. `document` is `null` where it can't be decrypted yet. */
async function readDocument(
	{ opened, carrier, listed, how }: ReadContext,
	machine: string,
	{ stored = null, maxBytes = MAX_DOCUMENT }: { stored?: Signed | null; maxBytes?: number } = {},
) {
	try {
		how.onDocument?.([...listed.keys()].indexOf(machine) + 1, listed.size);
		const bytes = await carrier.get(machine);
		if (!bytes) throw new Error("it is listed, and is not there");
		if (bytes.length > maxBytes)
			throw new Error(`larger than ${maxBytes} bytes${maxBytes < MAX_DOCUMENT ? ", and of who is no member" : ""}`);
		const signed = parseSigned(bytes);
		if (signed.machine !== machine) throw new Error(`it is that of machine ${signed.machine}`);
		const versions = `of version ${signed.version}, and ${stored?.version} is known`;
		if (stored && signed.version < stored.version)
			throw new Error(`what is there is old, ${versions}: a backup was restored, or newer ones are held back`);
		return { signed, document: await openSigned(signed, opened.space.self.keys, maxBytes) };
	} catch (error) {
		if (errorCode(error) === "EOFFLINE") throw error;
		opened.onProblem(`the document of ${lastKnownName(opened, machine)} is not taken: ${errorText(error)}`);
		return null;
	}
}

/** The name that a machine had in the last exchange, else the beginning of its id. */
const lastKnownName = (opened: OpenSpace, machine: string): string =>
	readLastSync(opened).members.find((one) => one.machine === machine)?.name ?? `machine ${machine.slice(0, 12)}`;

/** Gives what this machine's document and the others say, as the last exchange left them in the store. No carrier is asked. */
export async function readStoredDocuments(opened: OpenSpace): Promise<Others> {
	const { members, versions } = readLastSync(opened);
	const present = members.flatMap(({ machine, isGone }) => (isGone ? [] : machine));
	const listed = new Map(present.map((machine) => [machine, versions[machine] ?? ""]));
	const context = { opened, listed, versions, how: {}, carrier: { get: async () => null } };
	return readOthers(context, await readOwnDocument(opened));
}

/** Gives the name of the machine that wrote a value. */
export const authorName = ({ members }: Pick<Others, "members">, { id }: Value): string =>
	members.find(({ machine }) => machine === authorOf(id))?.name ?? "another machine";
