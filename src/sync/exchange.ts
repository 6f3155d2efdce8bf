import { counted } from "../core/text/text.ts";
import { whyOf } from "../files/system-failure.ts";
import { sha256 } from "../store/gate.ts";
import type { Carrier } from "./carrier.ts";
import {
	type Document,
	isSameProject,
	machineIn,
	mergeDocuments,
	type Seen,
	standing,
	type Value,
} from "./document.ts";
import { type How, keepLast, lastSync, type Synced } from "./last.ts";
import { foreignNotes, MANY, placeOf, planNotes, type Taken, takeOut, writeShared } from "./notes.ts";
import { type Others, readOthers, readOwn, type Said, saidBy } from "./read.ts";
import { MOST, planSessions, takeSession } from "./sessions.ts";
import { keepOwn, keptBytes, type Opened, ownDocument, type Tell } from "./space.ts";

/**
 * Reads what is new, says what changed here, and sends it: once through, one document after the other. What was done when it is cut
 * short stays, and the next one does the rest. The caller holds `alone`. Throws where the carrier can't be reached.
 */
export async function exchange(opened: Opened, open: () => Promise<Carrier>, how: How = {}): Promise<Synced> {
	const last = lastSync(opened);
	const versions = { ...last.versions };
	let carrier: Carrier | undefined;
	try {
		carrier = await open();
		const { received, isSent, taken, ...now } = await pass(opened, carrier, { ...last, versions }, how);
		keepLast(opened, now);
		return { ...now, received, isSent, taken };
	} catch (error) {
		keepLast(opened, { ...last, versions, basis: "", failed: { at: opened.now().toISOString(), why: whyOf(error) } });
		throw error;
	} finally {
		await carrier?.close();
	}
}

async function pass(opened: Opened, carrier: Carrier, last: Omit<Synced, "received" | "isSent" | "taken">, how: How) {
	const { space, self } = opened;
	const problems: string[] = [];
	const tell: Tell = (problem) => void problems.push(problem);
	const before = await ownDocument(opened, tell);
	const listed = new Map((await carrier.list()).map(({ machine, version }) => [machine, version]));
	const basis = sha256(JSON.stringify([space.projects, before.version, [...listed].sort()]));
	const at = opened.now().toISOString();
	const none = { received: 0, isSent: false, taken: 0 };
	// nothing new on either side, and the last one did all: no other document is looked at
	const isDone = basis === last.basis && !last.failed && last.problems.length + last.waiting.length === 0;
	if (isDone && problems.length === 0 && planOwn(opened, before).own === before) return { ...last, ...none, at };

	const work = { opened, carrier, listed, versions: last.versions, tell, how };
	const { own: start, isThere } = await readOwn(work, before);
	const others = await readOthers(work, start);
	const plan = planOwn(opened, startOf(others.own, others.seen), others.seen, tell);
	const isWaiting = plan.taken.length > MANY && !how.isMeant;
	const stay = new Set(isWaiting ? plan.taken.map(({ value }) => value) : []);
	for (const one of isWaiting ? [] : plan.taken.toReversed())
		try {
			takeOut(one, saidBy(others, one.by), opened.now());
		} catch (error) {
			stay.add(one.value);
			tell(whyOf(error));
		}
	const own = mergeDocuments(plan.own, others.seen, (value) => stay.has(value));
	const isOut = own.removed.includes(self.id);
	if (isOut) tell("this machine was taken out of the space: it sends nothing and is not read any more");
	const isNew = own !== start || own.version === 0;
	const written = isNew ? await keepOwn(opened, own) : null;
	const isSent = (isNew || !isThere) && !isOut;
	if (isSent) await carrier.put(self.id, written ?? keptBytes(opened, self.id));
	const all = standingOf(own, others);
	tellOthers(opened, own, all, { waiting: isWaiting ? plan.taken : [], tell });
	const by = [...new Set(plan.taken.map((one) => saidBy(others, one.by)))].join(", ");
	const many = `${counted(plan.taken.length, "note")} of yours that other machines replaced or deleted (${by})`;
	return {
		...{ at, failed: null, problems, basis, versions: last.versions },
		...{ received: others.received, isSent, taken: plan.taken.length - stay.size },
		...{ asking: others.asking, members: others.members, isMember: !isOut && own.ask === "" },
		...{ waiting: isWaiting ? [many] : [], conflicts: inConflict(own, others.seen, all).length },
	};
}

/** Whoever lost its document begins behind what others saw of it; what they claim beyond that is not believed. */
const MAX_LOST = 2 ** 40;
function startOf(own: Document, { ofOwn }: Seen): Document {
	const version = Math.max(0, ...[...ofOwn.values()].filter((one) => one <= MAX_LOST));
	return own.version > 0 || version === 0 ? own : { ...own, version };
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
			for (const value of own.values) if (isSameProject(value.project, shared.marks)) said.add(value);
			tell(whyOf(error));
		}
	const isSame = said.size === own.values.length && own.values.every((value) => said.has(value));
	return isSame ? plan : { ...plan, own: { ...own, values: [...said] } };
}

/** Writes what others say to where it is told: notes and sessions. `waiting`: what waits for a yes, told with them. */
export function tellOthers(
	opened: Opened,
	own: Document,
	said: readonly Said[],
	{ waiting = [], tell }: { waiting?: readonly Taken[]; tell: Tell },
): void {
	for (const shared of opened.space.projects) {
		const isOf = ({ value }: { value: Value }): boolean => isSameProject(value.project, shared.marks);
		const due = said.filter(isOf);
		const sessions = due.filter(({ value }) => value.kind === "session" && shared.withSessions);
		const few = [...Map.groupBy(sessions, ({ value }) => machineIn(value.id)).values()].map((of) => of.slice(0, MOST));
		for (const one of [null, ...few.flat()])
			try {
				if (one) takeSession(opened.store, shared, one, opened.now());
				else writeShared(placeOf(opened, shared), foreignNotes(own, shared, due), waiting.filter(isOf).length);
			} catch (error) {
				tell(whyOf(error));
			}
	}
}

/** Of what others say what nobody replaced. */
export function standingOf(own: Document, { seen, said }: Pick<Others, "seen" | "said">): Said[] {
	const mine = new Set(own.values.flatMap(({ replaces }) => replaces));
	return said.filter(({ value }) => !seen.replaced.has(value.id) && !mine.has(value.id));
}

/** The notes that several machines say otherwise; `by` is `null` of this one's. */
export function inConflict(
	own: Document,
	seen: Seen,
	others: readonly Said[],
): { value: Value; by: string | null }[][] {
	const mine = standing(own, seen).map((value) => ({ value, by: null }));
	const notes = [...mine, ...others].filter(({ value }) => value.kind === "note");
	const items = [...Map.groupBy(notes, ({ value }) => value.item).values()];
	return items.filter((all) => new Set(all.map(({ value }) => value.text)).size > 1);
}
