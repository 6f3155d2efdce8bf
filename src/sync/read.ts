import { coded, errorCode, whyOf } from "../files/system-failure.ts";
import { openSigned, type Signed, signedIn } from "./bytes.ts";
import type { Carrier } from "./carrier.ts";
import { isPostgres } from "./carriers.ts";
import { type Document, machineIn, nothingSeen, type Seen, see, type Value } from "./document.ts";
import type { How, LastSync, Named } from "./last.ts";
import { isLetInBy, plainName } from "./machine.ts";
import { keepDocument, keptBytes, keptSigned, type Opened, type Tell } from "./space.ts";

/** What reading goes by. */
interface Work {
	opened: Opened;
	carrier: Carrier;
	/** The machines that have a document there, with its version. */
	listed: ReadonlyMap<string, string>;
	/** Of the documents that were read the version; what is read is put in. */
	versions: Record<string, string>;
	how: How;
	tell: Tell;
}

/**
 * This machine's document, and whether the carrier has it as it is here. One that is lost here is taken from there. Throws where the carrier
 * has a newer one: this home is a restored backup or has a copy, and what it would write takes the place of what the other one wrote.
 */
export async function readOwn({ opened, carrier, listed }: Work, own: Document) {
	const { self, space } = opened;
	const bytes = listed.has(self.id) ? await carrier.get(self.id) : null;
	if (!bytes) return { own, isThere: false };
	if (keptBytes(opened, self.id)?.equals(bytes)) return { own, isThere: true };
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
	keepDocument(opened, self.id, bytes);
	return { own: found, isThere: true };
}

interface Found {
	/** This machine's document, with the members that are known now. */
	own: Document;
	received: number;
	asking: Named[];
}

/** Reads the documents that are new: of members, of those whom these name, and of those who ask. */
export async function readOthers(work: Work, given: Document): Promise<Found> {
	const { opened, listed, versions, how, tell } = work;
	const { self, space } = opened;
	const found: Found = { own: given, received: 0, asking: [] };
	const others = [...listed.keys()].filter((machine) => machine !== self.id);
	const members = new Map(Object.entries(given.members));
	// whom a server lets write is a member
	if (isPostgres(space.address)) for (const machine of others) members.set(machine, members.get(machine) ?? "");
	const [gone, removed] = [new Set(given.removed), new Set(given.removed)];
	const learn = (document: Document): void => {
		for (const machine of Object.keys(document.members))
			if (listed.has(machine) && machine !== self.id && !members.has(machine)) members.set(machine, "");
		for (const machine of document.removed) {
			if (removed.has(machine) || !(members.has(machine) || machine === self.id)) continue;
			removed.add(machine);
			if (machine !== self.id)
				tell(`machine ${short(machine)} was taken out of the space by ${short(document.machine)}`);
		}
	};
	const read = new Set<string>();
	const readMembers = async (): Promise<void> => {
		// (a map gives also what is added meanwhile)
		for (const machine of members.keys()) {
			const version = listed.get(machine);
			if (version === undefined || gone.has(machine) || read.has(machine)) continue;
			read.add(machine);
			if (version === versions[machine] && keptBytes(opened, machine)) continue;
			how.onDocument?.(read.size, others.length);
			const one = await readOne(work, machine);
			if (!one) continue;
			keepDocument(opened, machine, one.bytes);
			versions[machine] = version;
			found.received++;
			members.set(machine, one.signed.recipient ?? "");
			if (one.document) learn(one.document);
		}
	};
	await readMembers();
	for (const machine of others) {
		if (members.has(machine) || removed.has(machine)) continue;
		const { document, signed } = (await readOne(work, machine)) ?? {};
		if (!document) continue;
		if (given.ask && isLetInBy(opened, document)) {
			// who let this machine in knows the others
			found.own = { ...given, ask: "" };
			members.set(machine, signed?.recipient ?? "");
			await readMembers();
		} else if (document.ask) found.asking.push({ machine, name: nameIn(document) });
		else if (!found.own.ask) tell(`${nameIn(document)} (${machine}) is no member: what it wrote is not read`);
	}
	for (const machine of removed) {
		members.delete(machine);
		keepDocument(opened, machine, null);
	}
	const { own } = found;
	const belong = { members: Object.fromEntries([...members].sort()), removed: [...removed].sort() };
	const isSame = JSON.stringify(belong) === JSON.stringify({ members: own.members, removed: own.removed });
	return isSame ? found : { ...found, own: { ...own, ...belong } };
}

const nameIn = ({ name, machine }: Document): string => plainName(name) || short(machine);
const short = (machine: string): string => machine.slice(0, 12);

/**
 * A document from the carrier; `null` where it is not taken, which is told. It is `null` where this machine can't open it yet: it is known all
 * the same, since it says to whom to encrypt.
 */
async function readOne({ opened, carrier, tell }: Work, machine: string) {
	const { keys } = opened.self;
	const before = keptSigned(opened, machine, tell);
	try {
		const bytes = await carrier.get(machine);
		if (!bytes) throw new Error("it is listed, and is not there");
		const signed = signedIn(bytes);
		if (signed.machine !== machine) throw new Error(`it is that of machine ${signed.machine}`);
		if (signed.space !== opened.space.id) throw new Error("it is of another space");
		if (before) refuseOlder(signed, before);
		const document = await openSigned(signed, keys).catch((error) => {
			if (errorCode(error) === "ESEALED") return null;
			throw error;
		});
		return { bytes, signed, document };
	} catch (error) {
		if (errorCode(error) === "EOFFLINE") throw error;
		const known = before && (await openSigned(before, keys).catch(() => null));
		tell(`the document of ${known ? nameIn(known) : `machine ${short(machine)}`} is not taken: ${whyOf(error)}`);
		return null;
	}
}

function refuseOlder(signed: Signed, before: Signed): void {
	if (signed.version < before.version)
		throw new Error(
			`the carrier gives an old one, of version ${signed.version}, and ${before.version} is known: a backup was restored, or newer ones are held back`,
		);
	if (signed.version === before.version && !Buffer.from(signed.content).equals(Buffer.from(before.content)))
		throw new Error("there are two of one version: two machines write as one, a copy of its home or its store");
}

/** A value of another machine, and whose it is. */
export interface Said {
	value: Value;
	by: string;
}

export interface Others {
	seen: Seen;
	/** What they say; what was replaced is among it. */
	said: Said[];
	members: LastSync["members"];
}

/** Who said a value, by name. */
export const saidBy = ({ members }: Pick<Others, "members">, { id }: Value): string =>
	members.find(({ machine }) => machine === machineIn(id))?.name ?? "another machine";

/** What is known here of the members, whose documents are there where `isThere` says so. */
export async function readKept(
	opened: Opened,
	own: Document,
	isThere: (machine: string) => boolean,
	{ how = {}, tell = () => {} }: Partial<Pick<Work, "how" | "tell">> = {},
): Promise<Others> {
	const found: Others = { seen: nothingSeen(own), said: [], members: [] };
	const names = new Set<string>();
	const all = Object.keys(own.members);
	for (const [n, machine] of all.entries()) {
		how.onDocument?.(n + 1, all.length);
		const signed = keptSigned(opened, machine, tell);
		const document = signed && (await openSigned(signed, opened.self.keys).catch(() => null));
		if (!document) continue;
		const plain = nameIn(document);
		const name = names.size < names.add(plain).size ? plain : `${plain.slice(0, 33)} ${machine.slice(0, 6)}`;
		found.members.push({ machine, name, isGone: !isThere(machine) });
		if (!isThere(machine)) continue;
		see(found.seen, document);
		for (const value of document.values) if (value.text !== null) found.said.push({ value, by: name });
	}
	return found;
}
