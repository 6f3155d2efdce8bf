import { quietly } from "../files/quietly.ts";
import { coded, errorCode, whyOf } from "../files/system-failure.ts";
import { openSigned, type Signed, signedIn } from "./bytes.ts";
import { type Carrier, MAX_DOCUMENT, MAX_MACHINES } from "./carrier.ts";
import { isPostgres } from "./carriers.ts";
import { addToSeen, type Document, MAX_REMOVED, machineIn, nothingSeen, type Seen, type Value } from "./document.ts";
import { type How, type LastSync, lastSync } from "./last.ts";
import { isLetInBy, nameIn, proofOf } from "./machine.ts";
import { type Said, sharedFrom } from "./notes.ts";
import { isOfCopy, keepDocument, keptSigned, type Opened, ownDocument } from "./space.ts";

/** What the functions that read documents work with. */
interface Work {
	opened: Opened;
	carrier: Pick<Carrier, "get">;
	/** The machines that have a document there, with its version. */
	listed: ReadonlyMap<string, string>;
	/** The carrier's version of each document that was read, for this machine's own after its number; reading changes it. */
	versions: Record<string, string>;
	how: How;
}

/**
 * Gives this machine's document, and whether the carrier has the same. If it is lost here it is taken from the carrier. Throws where a copy of
 * this store wrote the carrier's: sending this one would replace what was written there.
 */
export async function readOwn({ opened, carrier, listed, versions }: Work, own: Document) {
	const { id } = opened.space.self;
	const version = listed.get(id);
	if (version !== undefined && versions[id] === `${own.version} ${version}`) return { own, isThere: true };
	const kept = keptSigned(opened, id);
	const bytes = version === undefined ? null : await carrier.get(id);
	const signed = bytes && quietly(() => signedIn(bytes));
	if (signed && isOfCopy(kept, signed))
		throw coded(
			"ECOPY",
			`a document of this machine is there that its store did not write: a backup was restored, or another machine uses a copy of this home. Nothing is lost; make this one a machine of its own: ccg sync join ${opened.space.address}`,
		);
	if (signed?.machine !== id || (kept && kept.version > signed.version)) return { own, isThere: false };
	versions[id] = `${signed.version} ${version}`;
	if (kept) return { own, isThere: true };
	keepDocument(opened.store, id, signed.bytes);
	return { own: await ownDocument(opened), isThere: true };
}

export interface Others extends Pick<LastSync, "members" | "asking" | "joined" | "received"> {
	/** This machine's document, with the members that are known now. */
	own: Document;
	seen: Seen;
	/** What `sharedFrom` gives of the members whose documents are there; values that were replaced are among it. */
	said: Said[];
}

/** Reads the documents of members, of machines that members name, and of those who ask: new ones from the carrier, else those kept here. */
export async function readOthers(work: Work, given: Document, received = 0): Promise<Others> {
	const { opened, listed, versions, how } = work;
	const { space, store } = opened;
	const nothing = { said: [], members: [], asking: [], joined: null, received };
	const found: Others = { own: given, seen: nothingSeen(given), ...nothing };
	const others = [...listed.keys()].filter((machine) => machine !== space.self.id);
	const members = new Map(Object.entries(given.members));
	const removed = new Set(given.removed);
	const letIn = { ...given.letIn };
	let { ask } = given;
	for (const machine of ask ? others : []) {
		const { document } = (await readOne(work, machine)) ?? {};
		if (!document || !isLetInBy(space.self, document)) continue;
		// the machine that let this one in knows the other members
		members.set(machine, "");
		ask = "";
	}
	// every machine that a server lets write is a member
	if (isPostgres(space.address)) for (const machine of others) members.set(machine, members.get(machine) ?? "");
	for (const machine of removed) {
		members.delete(machine);
		if (machine !== space.self.id) keepDocument(store, machine, null);
	}
	// (the loop also reaches members that are added meanwhile)
	for (const machine of members.keys()) {
		const [version, before] = [listed.get(machine), keptSigned(opened, machine)];
		const isNew = version !== undefined && (version !== versions[machine] || !before);
		const fresh = isNew ? await readOne(work, machine, { before }) : null;
		if (fresh) {
			keepDocument(store, machine, fresh.signed.bytes);
			versions[machine] = version!;
			found.received++;
		}
		const signed = fresh?.signed ?? before;
		const document = fresh ? fresh.document : before && (await openSigned(before, space.self.keys));
		// (also of a machine whose document can't be opened yet, so that it can open this one's)
		if (signed) members.set(machine, signed.recipient ?? "");
		const name = document ? nameIn(document) : machineNamed(opened, machine);
		found.members.push({ machine, name, isGone: version === undefined });
		if (!document) continue;
		// (what a lost document said is not written here, and not forgotten)
		addToSeen(found.seen, document);
		if (version === undefined) continue;
		for (const one of Object.keys(document.members))
			if (others.includes(one) && !removed.has(one) && !members.has(one) && members.size < MAX_MACHINES)
				members.set(one, "");
		for (const one of document.removed) {
			if (removed.size >= MAX_REMOVED || !(members.has(one) || one === space.self.id) || removed.has(one)) continue;
			removed.add(one);
			if (one in given.members) opened.tell(`machine ${one.slice(0, 12)} was taken out by ${name}`);
		}
		found.said.push(...sharedFrom(opened, document, members.size));
	}
	// once more with the members as they are now: the documents of new ones count too, and all share the room anew
	if (removed.size > given.removed.length || members.size !== Object.keys(given.members).length) {
		const next = { ...given, ask, members: Object.fromEntries(members), removed: [...removed] };
		return readOthers(work, next, found.received);
	}
	for (const machine of others) {
		const version = listed.get(machine)!;
		// (a document of no member is reported once)
		if (members.has(machine) || removed.has(machine) || versions[machine] === version) continue;
		const { document, signed } = (await readOne(work, machine, { most: MAX_ASKING })) ?? {};
		if (document && how.code && !ask && document.ask === proofOf("ask", how.code, machine)) {
			members.set(machine, signed!.recipient ?? "");
			letIn[machine] = proofOf("in", how.code, space.self.id, machine);
			found.joined = nameIn(document);
		} else if (document?.ask) found.asking.push({ machine, name: nameIn(document) });
		if (document?.ask) continue;
		versions[machine] = version;
		if (document && !ask) opened.tell(`${nameIn(document)} is no member: what it wrote is not read`);
	}
	const nextMembers = Object.fromEntries([...members].sort());
	const isSame = ask === given.ask && JSON.stringify(nextMembers) === JSON.stringify(given.members);
	return isSame ? found : { ...found, own: { ...given, ask, members: nextMembers, letIn } };
}

/** The document of a machine that is no member has at most so many bytes: it may ask, and has little to say. */
const MAX_ASKING = 32 * 1024;

/** Reads a document from the carrier; `null` where it is refused, which is reported. `document` is `null` where it can't be opened yet. */
async function readOne(
	work: Work,
	machine: string,
	{ before = null, most = MAX_DOCUMENT }: { before?: Signed | null; most?: number } = {},
) {
	const { opened, carrier, listed, how } = work;
	try {
		how.onDocument?.([...listed.keys()].indexOf(machine) + 1, listed.size);
		const bytes = await carrier.get(machine);
		if (!bytes) throw new Error("it is listed, and is not there");
		if (bytes.length > most)
			throw new Error(`larger than ${most} bytes${most < MAX_DOCUMENT ? ", and of who is no member" : ""}`);
		const signed = signedIn(bytes);
		if (signed.machine !== machine) throw new Error(`it is that of machine ${signed.machine}`);
		if (before && signed.version < before.version)
			throw new Error(
				`what is there is old, of version ${signed.version}, and ${before.version} is known: a backup was restored, or newer ones are held back`,
			);
		return { signed, document: await openSigned(signed, opened.space.self.keys, most) };
	} catch (error) {
		if (errorCode(error) === "EOFFLINE") throw error;
		opened.tell(`the document of ${machineNamed(opened, machine)} is not taken: ${whyOf(error)}`);
		return null;
	}
}

const machineNamed = (opened: Opened, machine: string): string =>
	lastSync(opened).members.find((one) => one.machine === machine)?.name ?? `machine ${machine.slice(0, 12)}`;

/** Gives what this machine and the others say, as the last exchange left it. No carrier is asked. */
export async function readKnown(opened: Opened): Promise<Others> {
	const { members, versions } = lastSync(opened);
	const there = members.flatMap(({ machine, isGone }) => (isGone ? [] : machine));
	const listed = new Map(there.map((machine) => [machine, versions[machine] ?? ""]));
	const work = { opened, listed, versions, how: {}, carrier: { get: async () => null } };
	return readOthers(work, await ownDocument(opened));
}

/** Gives the name of the machine that said a value. */
export const saidBy = ({ members }: Pick<Others, "members">, { id }: Value): string =>
	members.find(({ machine }) => machine === machineIn(id))?.name ?? "another machine";
