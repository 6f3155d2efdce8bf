import { coded, errorCode, whyOf } from "../files/system-failure.ts";
import { openSigned, type Signed, signedIn } from "./bytes.ts";
import { type Carrier, MAX_DOCUMENT } from "./carrier.ts";
import { isPostgres } from "./carriers.ts";
import { type Document, MAX_REMOVED, machineIn, nothingSeen, type Seen, see, type Value } from "./document.ts";
import { type How, type LastSync, lastSync, type Named } from "./last.ts";
import { isLetInBy, plainName, shortMachine } from "./machine.ts";
import { keepDocument, keptBytes, keptSigned, type Opened, ownDocument, type Tell } from "./space.ts";

/** What reading goes by. */
interface Work {
	opened: Opened;
	carrier: Pick<Carrier, "get">;
	/** The machines that have a document there, with its version. */
	listed: ReadonlyMap<string, string>;
	/** Of the documents that were read the version, of this machine's behind the one that it has here; what is read is put in. */
	versions: Record<string, string>;
	how: How;
	tell: Tell;
}

/**
 * This machine's document, and whether the carrier has it as it is here. One that is lost here is taken from there. Throws where the carrier
 * has a newer one: this home is a restored backup or has a copy, and what it would write takes the place of what the other one wrote.
 */
export async function readOwn({ opened, carrier, listed, versions }: Work, own: Document) {
	const { self, space } = opened;
	const version = listed.get(self.id);
	const known = `${own.version} ${version}`;
	if (version !== undefined && versions[self.id] === known) return { own, isThere: true };
	const bytes = version === undefined ? null : await carrier.get(self.id);
	if (!bytes) return { own, isThere: false };
	if (keptBytes(opened, self.id)?.equals(bytes)) {
		versions[self.id] = known;
		return { own, isThere: true };
	}
	let signed: Signed;
	try {
		signed = signedIn(bytes);
	} catch {
		return { own, isThere: false };
	}
	if (signed.machine !== self.id || signed.space !== space.id || signed.version < own.version)
		return { own, isThere: false };
	if (own.version > 0)
		throw coded(
			"ECOPY",
			`the carrier has a document of this machine that its store did not write: a backup was restored, or another machine uses a copy of this home. Nothing is lost; make this one a machine of its own: ccg sync join ${space.address} --anew`,
		);
	const found = await openSigned(signed, self.keys);
	keepDocument(opened.store, self.id, bytes);
	return { own: found, isThere: true };
}

/** A value of another machine, and whose it is. */
export interface Said {
	value: Value;
	by: string;
}

export interface Others {
	/** This machine's document, with the members that are known now. */
	own: Document;
	seen: Seen;
	/** What the members say whose documents are there; what was replaced is among it. */
	said: Said[];
	members: LastSync["members"];
	asking: Named[];
	/** So many documents were new. */
	received: number;
}

/** Reads the documents of members, of those whom these name, and of those who ask: from the carrier what is new, else what is known here. */
export async function readOthers(work: Work, given: Document): Promise<Others> {
	const { opened, listed, versions, how, tell } = work;
	const { self, space, store } = opened;
	const found: Others = { own: given, seen: nothingSeen(given), said: [], members: [], asking: [], received: 0 };
	const others = [...listed.keys()].filter((machine) => machine !== self.id);
	const members = new Map(Object.entries(given.members));
	const [names, removed] = [new Set<string>(), new Set(given.removed)];
	let { ask } = given;
	for (const machine of ask ? others : []) {
		const one = await readOne(work, machine);
		if (!one?.document || !isLetInBy(opened, one.document)) continue;
		// who let this machine in knows the others
		members.set(machine, "");
		ask = "";
	}
	// whom a server lets write is a member
	if (isPostgres(space.address)) for (const machine of others) members.set(machine, members.get(machine) ?? "");
	for (const machine of removed) members.delete(machine);
	// (a map gives also what is added meanwhile)
	for (const machine of members.keys()) {
		how.onDocument?.(found.members.length + 1, Math.max(members.size, others.length));
		const [version, before] = [listed.get(machine), keptSigned(opened, machine, tell)];
		const isNew = version !== undefined && (version !== versions[machine] || !before);
		const fresh = isNew ? await readOne(work, machine, { before }) : null;
		if (fresh) {
			keepDocument(store, machine, fresh.bytes);
			versions[machine] = version!;
			found.received++;
		}
		const signed = fresh?.signed ?? before;
		const document = fresh ? fresh.document : before && (await openSigned(before, self.keys).catch(() => null));
		// (also of one that can't be opened yet, so that it can open this one's)
		if (signed) members.set(machine, signed.recipient ?? "");
		if (!document) continue;
		const plain = nameIn(document);
		const name = names.size < names.add(plain).size ? plain : `${plain.slice(0, 33)} ${machine.slice(0, 6)}`;
		found.members.push({ machine, name, isGone: version === undefined });
		if (version === undefined) continue;
		for (const one of Object.keys(document.members))
			if (listed.has(one) && one !== self.id && !removed.has(one) && !members.has(one)) members.set(one, "");
		for (const one of document.removed) {
			if (removed.has(one) || removed.size >= MAX_REMOVED) continue;
			removed.add(one);
			tell(`machine ${shortMachine(one)} was taken out of the space by ${name}`);
		}
		see(found.seen, document);
		for (const value of document.values) if (value.text !== null) found.said.push({ value, by: name });
	}
	if (removed.size > given.removed.length) {
		// what it said may be among what was read: once more without it
		for (const machine of removed) keepDocument(store, machine, null);
		return readOthers(work, { ...given, ask, members: Object.fromEntries(members), removed: [...removed] });
	}
	for (const machine of others) {
		const version = listed.get(machine)!;
		// (what is no member's is told once)
		if (members.has(machine) || removed.has(machine) || versions[machine] === version) continue;
		const { document } = (await readOne(work, machine, { most: MAX_ASKING })) ?? {};
		if (document?.ask) {
			found.asking.push({ machine, name: nameIn(document) });
			continue;
		}
		versions[machine] = version;
		if (document && !ask) tell(`${nameIn(document)} (${machine}) is no member: what it wrote is not read`);
	}
	const belong = Object.fromEntries([...members].sort());
	const isSame = ask === given.ask && JSON.stringify(belong) === JSON.stringify(given.members);
	return isSame ? found : { ...found, own: { ...given, ask, members: belong } };
}

/** Bytes of a document of who is no member. */
const MAX_ASKING = 32 * 1024;

const nameIn = ({ name, machine }: Document): string => plainName(name) || shortMachine(machine);

/** A document from the carrier; `null` where it is not taken, which is told. Its `document` is `null` where this machine can't open it yet. */
async function readOne(
	{ opened, carrier, tell }: Work,
	machine: string,
	{ before = null, most = MAX_DOCUMENT }: { before?: Signed | null; most?: number } = {},
) {
	const { keys } = opened.self;
	try {
		const bytes = await carrier.get(machine);
		if (!bytes) throw new Error("it is listed, and is not there");
		const signed = signedIn(bytes);
		// who is no member may ask, and has little to say
		if (bytes.length > most) throw new Error("it is large, and of a machine that is no member");
		if (signed.machine !== machine) throw new Error(`it is that of machine ${signed.machine}`);
		if (signed.space !== opened.space.id) throw new Error("it is of another space");
		if (before && signed.version < before.version)
			throw new Error(
				`the carrier gives an old one, of version ${signed.version}, and ${before.version} is known: a backup was restored, or newer ones are held back`,
			);
		const document = await openSigned(signed, keys).catch((error) => {
			if (errorCode(error) === "ESEALED") return null;
			throw error;
		});
		return { bytes, signed, document };
	} catch (error) {
		if (errorCode(error) === "EOFFLINE") throw error;
		const known = before && (await openSigned(before, keys).catch(() => null));
		tell(`the document of ${known ? nameIn(known) : `machine ${shortMachine(machine)}`} is not taken: ${whyOf(error)}`);
		return null;
	}
}

/** What this machine and the others say, as the last exchange left it. No carrier is asked. */
export async function readKnown(opened: Opened): Promise<Others> {
	const { members, versions } = lastSync(opened);
	const there = members.flatMap(({ machine, isGone }) => (isGone ? [] : machine));
	const listed = new Map(there.map((machine) => [machine, versions[machine] ?? ""]));
	const work = { opened, listed, versions, how: {}, tell: () => {}, carrier: { get: async () => null } };
	return readOthers(work, await ownDocument(opened));
}

/** Who said a value, by name. */
export const saidBy = ({ members }: Pick<Others, "members">, { id }: Value): string =>
	members.find(({ machine }) => machine === machineIn(id))?.name ?? "another machine";
