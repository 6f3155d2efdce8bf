import { whyOf } from "../files/system-failure.ts";
import { sha256 } from "../store/gate.ts";
import type { Tell } from "../store/session-handle.ts";
import type { Carrier } from "./carrier.ts";
import { type Document, mergeDocuments, type Seen, standing } from "./document.ts";
import { type How, keepLast, type LastSync, lastSync } from "./last.ts";
import {
	disputedIn,
	foreignNotes,
	MANY,
	placeOf,
	planNotes,
	type Taken,
	takenLine,
	takeOut,
	writeShared,
} from "./notes.ts";
import { type Others, readOthers, readOwn, type Said, saidBy } from "./read.ts";
import { planSessions, takeSessions } from "./sessions.ts";
import { keepOwn, keptSigned, type Opened, ownDocument } from "./space.ts";

/**
 * Reads what is new, says what changed here, and sends it: once through, one document after the other. What was done when it is cut
 * short stays, and the next one does the rest. The caller holds `alone`. Throws where the carrier can't be reached.
 */
export async function exchange(opened: Opened, open: () => Promise<Carrier>, how: How = {}): Promise<LastSync> {
	const last = lastSync(opened);
	const versions = { ...last.versions };
	let carrier: Carrier | undefined;
	try {
		carrier = await open();
		const now = await pass(opened, carrier, { ...last, versions }, how);
		keepLast(opened, now);
		return now;
	} catch (error) {
		keepLast(opened, { ...last, versions, basis: "", failed: { at: opened.now().toISOString(), why: whyOf(error) } });
		throw error;
	} finally {
		await carrier?.close();
	}
}

async function pass(opened: Opened, carrier: Carrier, last: LastSync, how: How): Promise<LastSync> {
	const { space } = opened;
	const problems: string[] = [];
	const tell: Tell = (problem) => void problems.push(problem);
	const before = await ownDocument(opened, tell);
	const listed = new Map((await carrier.list()).map(({ machine, version }) => [machine, version]));
	const basis = sha256(JSON.stringify([space.projects, before.version, [...listed].sort()]));
	const at = opened.now().toISOString();
	// nothing new on either side, and the last one did all: no other document is looked at
	const isDone = basis === last.basis && !last.failed && last.problems.length + last.waiting.length === 0;
	if (isDone && !how.code && problems.length === 0 && planOwn(opened, before).own === before)
		return { ...last, received: 0, isSent: false, taken: 0, joined: null, at };

	const work = { opened, carrier, listed, versions: last.versions, tell, how };
	const { own: start, isThere } = await readOwn(work, before);
	const others = await readOthers(work, start);
	const plan = planOwn(opened, others.own, others.seen, tell);
	const waiting = plan.taken.length > MANY && !how.isMeant ? plan.taken : [];
	const stay = new Set(waiting.map(({ value }) => value));
	for (const one of waiting.length > 0 ? [] : plan.taken.toReversed())
		try {
			takeOut(one, saidBy(others, one.by), opened.now());
		} catch (error) {
			stay.add(one.value);
			tell(whyOf(error));
		}
	const own = mergeDocuments(plan.own, others.seen, stay);
	const isOut = own.removed.includes(own.machine);
	if (isOut) tell("this machine was taken out of the space: it sends nothing and is not read any more");
	const isNew = own !== start || own.version === 0;
	const written = isNew ? await keepOwn(opened, own) : null;
	const isSent = (isNew || !isThere) && !isOut;
	if (isSent) await carrier.put(own.machine, written ?? keptSigned(opened, own.machine, tell)!.bytes);
	const all = standingOf(own, others);
	tellOthers(opened, own, all, tell);
	const { own: _, seen, said: _s, ...found } = others;
	return {
		...{ ...found, at, failed: null, problems, basis, isSent, taken: plan.taken.length - stay.size },
		versions: Object.fromEntries(Object.entries(last.versions).filter(([machine]) => listed.has(machine))),
		isMember: !isOut && own.ask === "",
		waiting: waiting.map((one) => takenLine(one, saidBy(others, one.by))),
		conflicts: disputedIn([...standing(own, seen), ...all.map(({ value }) => value)]).size,
	};
}

/** This machine's document as what became of the files makes it, and the notes that others replaced. */
export function planOwn(
	opened: Opened,
	own: Document,
	{ replaced }: Pick<Seen, "replaced"> = { replaced: new Map() },
	tell: Tell = () => {},
): { own: Document; taken: Taken[] } {
	const plan = { own, taken: [] as Taken[] };
	if (own.ask) return plan;
	// what is no project's here any more goes; a deletion stays until it is forgotten
	const said = new Set(own.values.filter(({ text }) => text === null));
	for (const shared of opened.space.projects)
		try {
			const { values, taken } = planNotes(opened, own, shared, replaced, tell);
			for (const value of [...values, ...planSessions(opened, own, shared)]) said.add(value);
			plan.taken.push(...taken);
		} catch (error) {
			// of a project that can't be read what was said stays
			for (const value of own.values) if (value.project === shared.mark) said.add(value);
			tell(whyOf(error));
		}
	const isSame = said.size === own.values.length && own.values.every((value) => said.has(value));
	return isSame ? plan : { ...plan, own: { ...own, values: [...said] } };
}

/** Writes what others say to where it is told: notes and sessions. */
export function tellOthers(opened: Opened, own: Document, said: readonly Said[], tell: Tell): void {
	for (const shared of opened.space.projects) {
		const due = said.filter(({ value }) => value.project === shared.mark);
		try {
			writeShared(placeOf(opened, shared), foreignNotes(own, shared, due));
			takeSessions(opened, shared, due, tell);
		} catch (error) {
			tell(whyOf(error));
		}
	}
}

/** Of what others say what nobody replaced. A session is its machine's alone. */
export function standingOf(own: Document, { seen, said }: Pick<Others, "seen" | "said">): Said[] {
	const mine = new Set(own.values.flatMap(({ replaces }) => replaces));
	return said.filter(({ value: { kind, id } }) => kind === "session" || !(seen.replaced.has(id) || mine.has(id)));
}
