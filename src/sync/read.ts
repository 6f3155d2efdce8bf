import { coded, errorCode, whyOf } from "../files/system-failure.ts";
import { openSigned, type Signed, signedIn } from "./bytes.ts";
import { type Carrier, MACHINE, MAX_MACHINES } from "./carrier.ts";
import { isPostgres } from "./carriers.ts";
import {
	type Document,
	isAsking,
	machineIn,
	memberValue,
	nothingSeen,
	type Seen,
	sayMembers,
	see,
	type Value,
	valuesOf,
} from "./document.ts";
import type { How, LastSync } from "./last.ts";
import { plainName } from "./machine.ts";
import { bringBack, keepReplaced, ownNotes, placeOf } from "./notes.ts";
import { dropDocument, keepDocument, keptBytes, keptSigned, knownMachines, letInBy, type Opened } from "./space.ts";

/** What reading goes by, and `versions`: what it read. */
interface Work {
	opened: Opened;
	carrier: Carrier;
	listed: ReadonlyMap<string, string>;
	last: LastSync;
	tell(problem: string): void;
	how: How;
	versions: Record<string, string>;
}

export async function listedBy(carrier: Carrier): Promise<Map<string, string>> {
	const given = (await carrier.list()).filter(({ machine }) => MACHINE.test(machine));
	if (given.length > MAX_MACHINES)
		throw coded("ETOOBIG", `the carrier holds more than the ${MAX_MACHINES} machines of a space`);
	return new Map(given.map(({ machine, version }) => [machine, String(version)]));
}

/**
 * This machine's document, where the carrier holds another one than was written here: a backup was restored, or two machines write as
 * one. The carrier's, signed with this machine's key, is gone on from; what is new in it comes into MEMORY.md.
 */
export async function readOwn(work: Work, own: Document): Promise<{ own: Document; isThere: boolean }> {
	const { opened, carrier, listed, last, tell } = work;
	const { self, space } = opened;
	const version = listed.get(self.id);
	if (version === undefined) return { own, isThere: false };
	const kept = keptBytes(opened, self.id);
	const isKnown = version === last.versions[self.id] && own.version === last.sent;
	let [bytes, there]: [Uint8Array | null, Document | undefined] = [kept, undefined];
	try {
		if (!isKnown) bytes = await carrier.get(self.id);
		if (bytes && kept?.equals(bytes)) {
			work.versions[self.id] = version;
			return { own, isThere: true };
		}
		const signed = signedIn(bytes ?? new Uint8Array());
		if (signed.machine !== self.id || signed.space !== space.id) throw new Error("it is another one's");
		if (signed.version < own.version) return { own, isThere: false };
		there = await openSigned(signed, self.keys);
	} catch (error) {
		if (errorCode(error) === "EOFFLINE") throw error;
		tell(`this machine's document at the carrier is written anew: ${whyOf(error)}`);
		return { own, isThere: false };
	}
	if (kept) {
		tell(
			`the carrier has a document of this machine that its store does not know: a backup was restored, or another machine uses a copy of it. If two use it, on one of them: ccg sync join ${space.address} --anew`,
		);
		takeOver(opened, own, there);
	}
	keepDocument(opened, self.id, bytes!);
	const ids = new Set(there.values.map(({ id }) => id));
	const lost = own.values.filter(({ id, text, kind }) => (text === null || kind === "member") && !ids.has(id));
	return { own: { ...there, values: [...there.values, ...lost] }, isThere: lost.length === 0 };
}

/** Brings MEMORY.md to what a newer document of this machine says: what it says more comes back, what it says otherwise is kept beside. */
function takeOver(opened: Opened, own: Document, there: Document): void {
	const ids = new Set(own.values.map(({ id }) => id));
	const items = new Map(there.values.map((one) => [one.item, one]));
	const now = opened.now();
	for (const shared of opened.space.projects) {
		const place = placeOf(opened, shared);
		for (const value of ownNotes(there, shared)) if (!ids.has(value.id)) bringBack(place, value, now);
		for (const value of ownNotes(own, shared)) {
			const by = items.get(value.item);
			if (by && by.id !== value.id) keepReplaced(place, value, by, "this machine, before its backup", now);
		}
	}
}

interface Found {
	own: Document;
	/** Others that are read. */
	members: Set<string>;
	received: number;
	asking: LastSync["asking"];
}

/** Reads the documents that are new: of members, of those whom these name, and of those who ask. */
export async function readOthers(work: Work, given: Document): Promise<Found> {
	const { opened, listed, last, tell, how, versions } = work;
	const { self, space } = opened;
	const found: Found = { own: given, members: new Set(), received: 0, asking: [] };
	const removed = new Map<string, string>();
	const learn = (document: Document): void => {
		for (const { item, text } of valuesOf(document, "member"))
			if (text === null) removed.set(item, document.machine);
			else if (item !== self.id) found.members.add(item);
	};
	learn(given);
	const gone = new Set(removed.keys());
	const others = [...listed.keys()].filter((machine) => machine !== self.id);
	// whom a server lets write is a member
	if (isPostgres(space.address)) for (const machine of others) found.members.add(machine);
	const [read, kept] = [new Set<string>(), new Set(knownMachines(opened))];
	const readMembers = async (): Promise<void> => {
		// (a set gives also what is added meanwhile)
		for (const machine of found.members) {
			const version = listed.get(machine);
			if (read.has(machine) || gone.has(machine) || version === undefined) continue;
			read.add(machine);
			if (version !== last.versions[machine] || !kept.has(machine)) {
				const document = how.isSpent?.() ? null : await readOne(work, machine, true);
				if (!document) continue;
				found.received++;
				how.progress?.(found.received, others.length);
				learn(document);
			}
			versions[machine] = version;
		}
	};
	await readMembers();
	for (const machine of others) {
		if (read.has(machine) || removed.has(machine) || how.isSpent?.()) continue;
		const document = await readOne(work, machine, false);
		if (!document) continue;
		if (letInBy(opened, document, found.own)) {
			// who let this machine in knows the others
			const values = found.own.values.filter(({ kind }) => kind !== "ask");
			found.own = sayMembers({ ...found.own, values }, [memberValue(found.own, machine, opened.now())]);
			found.members.add(machine);
			await readMembers();
		} else if (isAsking(document)) found.asking.push({ machine, name: nameIn(document) });
		else if (!isAsking(found.own)) tell(`${nameIn(document)} (${machine}) is no member: what it wrote is not read`);
	}
	for (const machine of removed.keys()) {
		found.members.delete(machine);
		dropDocument(opened, machine);
	}
	return { ...found, own: withMembers(found, removed, work) };
}

/** Each machine repeats who belongs and who does not, so that nobody's going takes that along. */
function withMembers({ own, members }: Found, removed: ReadonlyMap<string, string>, { opened, tell }: Work): Document {
	const said = new Map(valuesOf(own, "member").map((value) => [value.item, value]));
	const fresh = [...members, ...removed.keys()].flatMap((machine) => {
		const by = removed.get(machine);
		const before = said.get(machine);
		if (before && (before.text === null) === (by !== undefined)) return [];
		if (before && by) tell(`machine ${machine.slice(0, 12)} was taken out of the space by ${by.slice(0, 12)}`);
		return memberValue(own, machine, opened.now(), by === undefined ? "" : null);
	});
	return fresh.length === 0 ? own : sayMembers(own, fresh);
}

const nameIn = ({ name, machine }: Document): string => plainName(name) || machine.slice(0, 12);

/** A document from the carrier; `null` where it is not taken, which is told. `isKept`: it becomes what is known of that machine. */
async function readOne({ opened, carrier, tell }: Work, machine: string, isKept: boolean): Promise<Document | null> {
	const { keys } = opened.self;
	const before = keptSigned(opened, machine, tell);
	try {
		const bytes = await carrier.get(machine);
		if (!bytes) throw new Error("it is listed, and is not there");
		const signed = signedIn(bytes);
		if (signed.machine !== machine) throw new Error(`it is that of machine ${signed.machine}`);
		if (signed.space !== opened.space.id) throw new Error("it is of another space");
		if (before) refuseOlder(signed, before);
		// (also one that can't be opened yet: it says to whom to encrypt)
		const document = await openSigned(signed, keys).catch((error) => {
			if (errorCode(error) === "ESEALED") return null;
			throw error;
		});
		if (isKept) keepDocument(opened, machine, bytes);
		return document;
	} catch (error) {
		if (errorCode(error) === "EOFFLINE") throw error;
		const known = before && (await openSigned(before, keys).catch(() => null));
		tell(`the document of ${known ? nameIn(known) : `machine ${machine.slice(0, 12)}`} is not taken: ${whyOf(error)}`);
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

export interface Others {
	seen: Seen;
	/** What they say of projects; what was replaced is among it. */
	said: { value: Value; by: string }[];
	/** Of whoever is read. */
	names: Map<string, string>;
	/** Of whoever has no document there any more. */
	gone: LastSync["gone"];
}

/** Who said a value, by name. */
export const saidBy = ({ names }: Pick<Others, "names">, { id }: Value): string =>
	names.get(machineIn(id)) ?? "another machine";

/** What is known of the members whose documents are there. */
export async function readKept(
	{ opened, listed, tell, how }: Pick<Work, "opened" | "listed" | "tell" | "how">,
	{ own, members }: Pick<Found, "own" | "members">,
): Promise<Others> {
	const found: Others = { seen: nothingSeen(own), said: [], names: new Map(), gone: [] };
	const taken = new Set<string>();
	for (const machine of members) {
		if (how.isSpent?.())
			throw coded("ESPENT", "what others wrote takes longer to read than a session's exchange may; run: ccg sync now");
		const signed = keptSigned(opened, machine, tell);
		const document = signed && (await openSigned(signed, opened.self.keys).catch(() => null));
		if (!document) continue;
		const plain = nameIn(document);
		if (!listed.has(machine)) {
			found.gone.push({ machine, name: plain });
			continue;
		}
		const by = taken.size < taken.add(plain).size ? plain : `${plain.slice(0, 33)} ${machine.slice(0, 6)}`;
		found.names.set(machine, by);
		see(found.seen, document);
		for (const value of document.values)
			if (value.text !== null && value.project !== "") found.said.push({ value, by });
	}
	return found;
}
