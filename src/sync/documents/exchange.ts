import { counted } from "../../core/text/text.ts";
import { coded, errorCode, whyOf } from "../../files/system-failure.ts";
import { sha256, writeJson } from "../../store/gate.ts";
import { readJson } from "../../store/json-file.ts";
import { lastSyncPath } from "../../store/paths.ts";
import { openSigned, type Signed, signedIn } from "./bytes.ts";
import { type Carrier, MACHINE, MAX_MACHINES } from "./carrier.ts";
import {
	addMembers,
	type Document,
	mergeDocuments,
	newValue,
	nothingSeen,
	type Seen,
	see,
	standing,
	type Value,
	valuesOf,
} from "./document.ts";
import { isAsking, letInBy } from "./join.ts";
import { plainName } from "./machine.ts";
import { isSameProject } from "./marks.ts";
import {
	bringBack,
	foreignNotes,
	keepReplaced,
	MANY,
	nameOf,
	ownNotes,
	placeOf,
	planNotes,
	type Taken,
	takeOut,
	writeShared,
} from "./notes.ts";
import { planSessions, takeSession } from "./sessions.ts";
import {
	dropDocument,
	keepDocument,
	keepOwn,
	keptBytes,
	keptSigned,
	type Opened,
	ownDocument,
	recipientsOf,
} from "./space.ts";

/** What the last exchange was like, as it is kept. */
export interface LastSync {
	/** ISO 8601; `null`: never. */
	at: string | null;
	/** A later try that failed as a whole. */
	failed: { at: string; why: string } | null;
	/** What was refused or failed, while the rest was done. */
	problems: string[];
	/** Machines that ask to be let in. */
	asking: { machine: string; name: string }[];
	members: { machine: string; name: string; version: number }[];
	conflicts: number;
	/** What waits for a yes. */
	waiting: string[];
	/** Notes that this exchange took out of a MEMORY.md. */
	taken: number;
	/** Whether a member has let this machine in. */
	isMember: boolean;
	/** Of each document that was looked at the version that the carrier gave it. */
	versions: Record<string, string>;
	strangers: Record<string, { name: string; asks: boolean }>;
	/** Of whom it was encrypted to, in one text. */
	recipients: string;
	/** What was shared from here. */
	shares: string;
	/** The version of this machine's document that the carrier was seen to hold. */
	sent: number;
}

export interface Synced extends LastSync {
	received: number;
	isSent: boolean;
}

const NONE: LastSync = {
	...{ at: null, failed: null, problems: [], asking: [], members: [], conflicts: 0, waiting: [], taken: 0 },
	...{ isMember: false, versions: {}, strangers: {}, recipients: "", shares: "", sent: 0 },
};

export const lastSync = (opened: Pick<Opened, "store">): LastSync => ({
	...NONE,
	...readJson<LastSync>(lastSyncPath(opened.store.root)),
});
const keepLast = (opened: Opened, { versions, ...last }: LastSync): void =>
	writeJson(lastSyncPath(opened.store.root), { ...last, versions }, { exact: { versions } });

interface How {
	/** What waits for a yes has it. */
	isMeant?: boolean;
	/** Whether the time is over that nobody waits for. */
	isSpent?(): boolean;
	progress?: ((done: number, all: number) => void) | undefined;
}

/**
 * Reads what is new, says what changed here, and sends it: once through, one document after the other. What was done when it is cut
 * short stays, and the next one does the rest. The caller holds `alone`. Throws where the carrier can't be reached.
 */
export async function exchange(opened: Opened, open: () => Promise<Carrier>, how: How = {}): Promise<Synced> {
	const last = lastSync(opened);
	let carrier: Carrier | undefined;
	try {
		carrier = await open();
		const synced = await pass(opened, carrier, last, how);
		const { received: _, isSent: _s, ...kept } = synced;
		keepLast(opened, kept);
		return synced;
	} catch (error) {
		keepLast(opened, { ...last, failed: { at: opened.now().toISOString(), why: whyOf(error) } });
		throw error;
	} finally {
		await carrier?.close();
	}
}

async function pass(opened: Opened, carrier: Carrier, last: LastSync, how: How): Promise<Synced> {
	const { space, self } = opened;
	const problems: string[] = [];
	const tell = (problem: string): void => void problems.push(problem);
	const start = await ownDocument(opened, tell);
	const listed = await listedBy(carrier);
	const work = { opened, carrier, listed, last, tell, how, versions: {} as Record<string, string> };
	const { own, isThere } = await readOwn(work, start);
	const found = await readOthers(work, own);
	// unchanged on both sides: nothing else is read
	const plan = planOwn(opened, found.own, nothingSeen(), how, () => {});
	const shares = sha256(JSON.stringify(space.projects));
	const isIdle =
		found.received === 0 && shares === last.shares && isThere && plan.own === start && plan.taken.length === 0;
	if (
		isIdle &&
		last.at &&
		!last.failed &&
		problems.length === 0 &&
		last.problems.length === 0 &&
		last.waiting.length === 0 &&
		!how.isMeant
	) {
		const at = opened.now().toISOString();
		return {
			...last,
			at,
			taken: 0,
			asking: found.asking,
			strangers: found.strangers,
			versions: work.versions,
			received: 0,
			isSent: false,
		};
	}
	const others = await readKept(work, found);
	const planned = planOwn(opened, startOf(found.own, others.seen), others.seen, how, tell);
	const waits = planned.taken.length > MANY && !how.isMeant;
	const who = (value: Value): string => others.names.get(value.id.slice(0, 32)) ?? "another machine";
	const stays = new Set(waits ? planned.taken.map(({ value }) => value.id) : []);
	for (const one of waits ? [] : planned.taken.toReversed())
		try {
			takeOut(one, who(one.by), opened.now());
		} catch (error) {
			stays.add(one.value.id);
			tell(whyOf(error));
		}
	const merged = mergeDocuments(planned.own, others.seen, ({ id }) => stays.has(id));
	const recipients = space.isEncrypted ? recipientsOf(opened, found.members) : [];
	// (who asks is read by all that it saw when it asked)
	const mark = isAsking(merged) ? last.recipients : sha256(recipients.sort().join());
	const isOut = valuesOf(merged, "member").some(({ item, text }) => item === self.id && text === null);
	let isSent = false;
	if (merged !== start || mark !== last.recipients || merged.version === 0) await keepOwn(opened, merged, recipients);
	else isSent = isThere;
	if (!isSent && !isOut) {
		await carrier.put(self.id, keptBytes(opened, self.id));
		isSent = true;
	} else isSent = false;
	const all = standingOf(merged, others);
	tellOthers(opened, merged, all, { waiting: waits ? planned.taken : [], tell });
	const waiting = [
		...(waits
			? [
					`${counted(planned.taken.length, "note")} of yours that other machines replaced or deleted (${[...new Set(planned.taken.map(({ by }) => who(by)))].join(", ")})`,
				]
			: []),
		...planned.held,
	];
	if (isOut) tell("this machine was taken out of the space: it sends nothing and is not read any more");
	return {
		...{ at: opened.now().toISOString(), failed: null, problems, waiting, isSent, recipients: mark },
		...{ asking: found.asking, strangers: found.strangers, versions: work.versions, received: found.received },
		shares,
		sent: isThere && !isSent ? start.version : 0,
		taken: waits ? 0 : planned.taken.length,
		conflicts: inConflict(merged, others.seen, all).length,
		isMember: !isOut && (found.isVouched || found.members.size > 0 || !isAsking(merged)),
		members: [...others.names].map(([machine, name]) => ({
			machine,
			name,
			version: others.seen.versions.get(machine) ?? 0,
		})),
	};
}

type Work = {
	opened: Opened;
	carrier: Carrier;
	listed: Map<string, string>;
	last: LastSync;
	tell(problem: string): void;
	how: How;
	versions: Record<string, string>;
};

async function listedBy(carrier: Carrier): Promise<Map<string, string>> {
	const given = (await carrier.list()).filter(({ machine }) => MACHINE.test(machine));
	if (given.length > MAX_MACHINES)
		throw coded(
			"ETOOBIG",
			`the carrier holds ${given.length} documents, more than the ${MAX_MACHINES} machines of a space`,
		);
	return new Map(given.map(({ machine, version }) => [machine, String(version)]));
}

/** Whoever lost its document begins behind what others saw of it; what they claim beyond that is not believed. */
const MAX_LOST = 2 ** 40;
function startOf(own: Document, { ofOwn }: Seen): Document {
	if (own.version > 0) return own;
	const version = Math.max(0, ...[...ofOwn.values()].filter((one) => one <= MAX_LOST));
	return version === 0 ? own : { ...own, version };
}

/**
 * This machine's document, where the carrier holds another one than was written here: a backup was restored, or two machines write as
 * one. The carrier's, signed with this machine's key, is gone on from; what is new in it comes into MEMORY.md.
 */
async function readOwn(work: Work, own: Document): Promise<{ own: Document; isThere: boolean }> {
	const { opened, carrier, listed, last, tell } = work;
	const { self, space } = opened;
	const version = listed.get(self.id);
	if (version === undefined) return { own, isThere: false };
	const kept = keptBytes(opened, self.id);
	const bytes = version === last.versions[self.id] && own.version === last.sent ? kept : await carrier.get(self.id);
	if (bytes && kept?.equals(bytes)) {
		work.versions[self.id] = version;
		return { own, isThere: true };
	}
	let there: Document;
	try {
		const signed = signedIn(bytes ?? new Uint8Array());
		if (signed.machine !== self.id || signed.space !== space.id) throw new Error("it is another one's");
		if (signed.version < own.version) return { own, isThere: false };
		there = await openSigned(signed, self.keys);
	} catch (error) {
		tell(`this machine's own document at the carrier is written anew: ${whyOf(error)}`);
		return { own, isThere: false };
	}
	if (kept)
		tell(
			`the carrier has a document of this machine that its store does not know: a backup was restored, or another machine uses a copy of it. If two use it, on one of them: ccg sync join ADDRESS --anew (ccg sync status names the address)`,
		);
	const [ids, items] = [new Set(own.values.map(({ id }) => id)), new Map(there.values.map((one) => [one.item, one]))];
	const now = opened.now();
	for (const shared of space.projects) {
		const place = placeOf(opened, shared);
		const mine = ownNotes(own, shared);
		bringBack(place, kept ? ownNotes(there, shared).filter(({ id }) => !ids.has(id)) : [], now);
		for (const value of mine) {
			const by = items.get(value.item);
			if (by && by.id !== value.id) keepReplaced(place, value, by, "this machine, before its backup", now);
		}
	}
	const lost = own.values.filter(
		({ id, text, kind }) => (text === null || kind === "member") && !there.values.some((one) => one.id === id),
	);
	keepDocument(opened, self.id, bytes!);
	return { own: { ...there, values: [...there.values, ...lost] }, isThere: true };
}

interface Found {
	own: Document;
	members: Set<string>;
	received: number;
	isVouched: boolean;
	asking: LastSync["asking"];
	strangers: LastSync["strangers"];
}

/** Reads the documents that are new: of members, of those whom these name, and of those who ask. */
async function readOthers(work: Work, given: Document): Promise<Found> {
	const { opened, listed, last, tell, how, versions } = work;
	let own = given;
	const known = { members: new Set<string>(), removed: new Map<string, string>() };
	addMembers(known, own);
	const gone = new Set(known.removed.keys());
	// whom a server lets write is a member
	const isVouched = opened.space.address.startsWith("postgres:");
	const others = [...listed.keys()].filter((machine) => machine !== opened.self.id);
	if (isVouched) for (const machine of others) known.members.add(machine);
	let received = 0;
	const strangers: Found["strangers"] = {};
	const read = new Set<string>([opened.self.id]);
	const next = (): string | undefined => [...known.members].find((one) => !read.has(one) && !gone.has(one));
	const goOn = async (): Promise<void> => {
		for (let machine = next(); machine !== undefined; machine = next()) {
			read.add(machine);
			const version = listed.get(machine);
			if (version === undefined) continue;
			if (version === last.versions[machine] && keptBytes(opened, machine)) {
				versions[machine] = version;
				continue;
			}
			if (how.isSpent?.()) continue;
			const document = await readOne(work, machine, true);
			if (!document) continue;
			versions[machine] = version;
			received++;
			how.progress?.(received, others.length);
			addMembers(known, document);
		}
	};
	await goOn();
	for (const machine of others) {
		if (read.has(machine) || known.members.has(machine) || known.removed.has(machine)) continue;
		const had = last.strangers[machine];
		if (had && listed.get(machine) === last.versions[machine] && !isAsking(own)) strangers[machine] = had;
		else {
			if (how.isSpent?.()) continue;
			const document = await readOne(work, machine, false);
			if (!document) continue;
			if (letInBy(opened, document, own)) {
				// who let this machine in knows the others
				own = {
					...own,
					values: [...own.values.filter(({ kind }) => kind !== "ask"), memberValue(own, machine, opened.now())],
				};
				known.members.add(machine);
				await goOn();
				continue;
			}
			strangers[machine] = { name: nameIn(document), asks: isAsking(document) };
		}
		versions[machine] = listed.get(machine)!;
	}
	for (const [machine, { name, asks }] of Object.entries(strangers)) {
		if (known.members.has(machine)) delete strangers[machine];
		else if (!asks && !isAsking(own)) tell(`${name} (${machine}) is no member: what it wrote is not read`);
	}
	own = withMembers(own, known, opened, tell);
	const members = new Set([...known.members].filter((one) => one !== opened.self.id && !known.removed.has(one)));
	for (const machine of known.removed.keys()) dropDocument(opened, machine);
	const asking = Object.entries(strangers).flatMap(([machine, { name, asks }]) => (asks ? { machine, name } : []));
	return { own, members, received, isVouched, asking, strangers };
}

export const memberValue = (
	own: Document,
	item: string,
	now: Date,
	text: string | null = "",
	before: Value[] = [],
): Value => newValue(own, { item, kind: "member", project: "", text, at: now.toISOString() }, before);

/** Each machine repeats who belongs, so that nobody's going takes that along. */
function withMembers(
	own: Document,
	{ members, removed }: { members: Set<string>; removed: Map<string, string> },
	opened: Opened,
	tell: (problem: string) => void,
): Document {
	const said = new Map(valuesOf(own, "member").map((value) => [value.item, value]));
	const fresh: Value[] = [];
	for (const machine of new Set([...members, ...removed.keys()])) {
		const before = said.get(machine);
		const isRemoved = removed.has(machine);
		if (machine === own.machine ? !isRemoved : false) continue;
		if (before && (before.text === null) === isRemoved) continue;
		if (isRemoved && before)
			tell(`machine ${machine.slice(0, 12)} was taken out of the space by ${removed.get(machine)!.slice(0, 12)}`);
		fresh.push(memberValue(own, machine, opened.now(), isRemoved ? null : ""));
	}
	if (fresh.length === 0) return own;
	const changed = new Set(fresh.map(({ item }) => item));
	return {
		...own,
		values: [...own.values.filter(({ kind, item }) => kind !== "member" || !changed.has(item)), ...fresh],
	};
}

const nameIn = ({ name, machine }: Document): string => plainName(name) || machine.slice(0, 12);

/** A document from the carrier; `null` where it is not taken, which is told. `isKept`: it becomes what is known of that machine. */
async function readOne({ opened, carrier, tell }: Work, machine: string, isKept: boolean): Promise<Document | null> {
	const before = keptSigned(opened, machine, tell);
	const who = async (): Promise<string> => {
		const known = before && (await openSigned(before, opened.self.keys).catch(() => null));
		return known ? nameIn(known) : `machine ${machine.slice(0, 12)}`;
	};
	try {
		const bytes = await carrier.get(machine);
		if (!bytes) throw new Error("it is listed, and is not there");
		const signed = signedIn(bytes);
		if (signed.machine !== machine) throw new Error(`it is that of machine ${signed.machine}`);
		if (signed.space !== opened.space.id) throw new Error("it is of another space");
		if (before && isKept) refuseOlder(signed, before);
		const document = await openSigned(signed, opened.self.keys);
		if (isKept) keepDocument(opened, machine, bytes);
		return document;
	} catch (error) {
		// (who asks can't read yet, and who was let in waits for the next exchange of the others)
		if (errorCode(error) !== "ESEALED") tell(`the document of ${await who()} is not taken: ${whyOf(error)}`);
		return null;
	}
}

function refuseOlder(signed: Signed, before: Signed): void {
	if (signed.version < before.version)
		throw new Error(
			`the carrier gives an old one, of version ${signed.version}, and ${before.version} is known: a backup was restored there, or it holds back what is newer`,
		);
	if (signed.version === before.version && !Buffer.from(signed.content).equals(Buffer.from(before.content)))
		throw new Error("there are two of one version: two machines write as one, a copy of its home or its store");
}

export interface Others {
	seen: Seen;
	/** Notes and sessions of projects that are shared here; what was replaced is among them until it is looked through. */
	said: { value: Value; by: string }[];
	names: Map<string, string>;
}

/** What is known of the members whose documents are there. */
async function readKept(
	{ opened, listed, tell, how }: Work,
	{ own, members }: Pick<Found, "own" | "members">,
): Promise<Others> {
	const found: Others = { seen: nothingSeen(), said: [], names: new Map() };
	const taken = new Set<string>();
	for (const machine of members) {
		if (how.isSpent?.())
			throw coded("ESPENT", "what others wrote takes longer to read than a session's exchange may; run: ccg sync now");
		const signed = keptSigned(opened, machine, tell);
		const document = signed && (await openSigned(signed, opened.self.keys).catch(() => null));
		if (!listed.has(machine)) {
			if (document)
				tell(
					`${nameIn(document)} has no document there any more: it left, or the carrier lost it; it is not told until it is back (ccg sync leave ${machine.slice(0, 12)} forgets it)`,
				);
			continue;
		}
		if (!document) continue;
		const plain = nameIn(document);
		const by = taken.size < taken.add(plain).size ? plain : `${plain.slice(0, 33)} ${machine.slice(0, 6)}`;
		found.names.set(machine, by);
		see(found.seen, own, document);
		for (const value of document.values) if (value.project && value.text !== null) found.said.push({ value, by });
	}
	return found;
}

/** What others say here and stands, for commands that ask no carrier. */
export async function readAll(opened: Opened): Promise<Others & { own: Document }> {
	const own = await ownDocument(opened, () => {});
	const known = { members: new Set<string>(), removed: new Map<string, string>() };
	addMembers(known, own);
	const { versions, members } = lastSync(opened);
	for (const { machine } of members) known.members.add(machine);
	const listed = new Map(Object.entries(versions));
	const there = [...known.members].filter((one) => one !== own.machine && !known.removed.has(one) && listed.has(one));
	const work = { opened, listed, tell: () => {}, how: {} } as unknown as Work;
	const found = await readKept(work, { own, members: new Set(there) });
	return { ...found, own };
}

/** This machine's document as what became of the files makes it, and the notes that others replaced. */
export function planOwn(
	opened: Opened,
	own: Document,
	seen: Seen,
	{ isMeant = false }: How,
	tell: (problem: string) => void,
) {
	const { projects } = opened.space;
	const plan = {
		own,
		taken: [] as Taken[],
		held: [] as string[],
	};
	if (isAsking(own)) return plan;
	const said: Value[] = [];
	for (const shared of projects)
		try {
			const { values, taken, held } = planNotes(opened, own, shared, { replaced: seen.replaced, isMeant, tell });
			said.push(...values, ...planSessions(opened, own, shared));
			plan.taken.push(...taken);
			if (held > 0) plan.held.push(`${counted(held, "note")} that went from MEMORY.md of ${nameOf(shared)}`);
		} catch (error) {
			// one that can't be read is told, and what was said of it stays
			said.push(...own.values.filter((one) => one.text !== null && isSameProject(one.project, shared.marks)));
			tell(whyOf(error));
		}
	const isPlanned = ({ text, project }: Value): boolean =>
		text !== null && projects.some(({ marks }) => isSameProject(project, marks));
	const values = [...own.values.filter((one) => !isPlanned(one)), ...new Set(said)];
	const isSame = values.length === own.values.length && new Set([...values, ...own.values]).size === values.length;
	return { ...plan, own: isSame ? own : { ...own, values } };
}

/** Writes what others say to where it is told: notes and sessions. `waiting`: what waits for a yes, told with them. */
export function tellOthers(
	opened: Opened,
	own: Document,
	all: Others["said"],
	{ waiting = [], isLast = false, tell }: { waiting?: readonly Taken[]; isLast?: boolean; tell(problem: string): void },
): void {
	for (const shared of opened.space.projects) {
		const place = placeOf(opened, shared);
		const many = waiting.filter(({ value }) => isSameProject(value.project, shared.marks)).length;
		const line = `- ccg: other machines replaced or deleted ${counted(many, "note")} of MEMORY.md; they stay until the user says yes: 'ccg sync now' shows them\n`;
		const due = all.filter(({ value }) => isSameProject(value.project, shared.marks));
		const acts = [
			() => writeShared(place, foreignNotes(own, shared, due), many > 0 ? [line] : [], isLast),
			...due
				.filter(({ value }) => value.kind === "session" && shared.withSessions)
				.map((one) => () => takeSession(opened.store, shared, one, opened.now())),
		];
		for (const act of acts)
			try {
				act();
			} catch (error) {
				tell(whyOf(error));
			}
	}
}

export const standingOf = (own: Document, { seen, said }: Pick<Others, "seen" | "said">): Others["said"] => {
	const replaced = new Set([...seen.replaced.keys(), ...own.values.flatMap(({ replaces }) => replaces)]);
	return said.filter(({ value }) => !replaced.has(value.id));
};

/** The notes that several machines say otherwise. */
export function inConflict(own: Document, seen: Seen, others: Others["said"]): { value: Value; by: string | null }[][] {
	const mine = standing(own, seen).map((value) => ({ value, by: null }));
	const notes = [...mine, ...others].filter(({ value }) => value.kind === "note");
	const items = Map.groupBy(notes, ({ value }) => value.item);
	return [...items.values()].filter((all) => new Set(all.map(({ value }) => value.text)).size > 1);
}
