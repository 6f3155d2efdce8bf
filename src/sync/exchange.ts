import { redactSecrets } from "../core/redact/secrets.ts";
import { whyOf } from "../files/system-failure.ts";
import { noteOf, saveMemory } from "../memory/change.ts";
import { type Note, noteKey, noteText } from "../memory/notes.ts";
import { memoryPath, type ScopedStore } from "../memory/notes-file.ts";
import { sha256 } from "../store/gate.ts";
import { projectOf } from "../store/project.ts";
import { type Carrier, documentsAt } from "./carrier.ts";
import { type Document, mergeDocuments, newValue, type Replaced } from "./document.ts";
import { type How, keepLast, type LastSync, lastSync } from "./last.ts";
import { foreignNotes, placeOf, planNotes, type Said, type Taken, takenLine, takeOut, writeShared } from "./notes.ts";
import { readKnown, readOthers, readOwn, saidBy } from "./read.ts";
import { planSessions, takeSessions } from "./sessions.ts";
import { keepOwn, keptSigned, needSpace, type Opened, ownDocument } from "./space.ts";

/** At most so many notes go from a MEMORY.md in an exchange without a person's yes. */
const MANY = 5;

type Open = (opened: Opened) => Promise<Carrier>;

/**
 * Reads the new documents of others one after the other, writes this machine's with what changed here, and sends it. When it is cut short,
 * what was done stays, and the next exchange does the rest. The caller holds `alone`. Throws where the carrier can't be reached.
 */
export async function exchange({ store }: Opened, open: Open, how: How = {}): Promise<LastSync> {
	const problems = new Set<string>();
	// read again: while this exchange waited the space may have changed, or this machine may have left it
	const opened = { ...needSpace(store), tell: (problem: string) => void problems.add(problem) };
	const last = lastSync(opened);
	const versions = { ...last.versions };
	try {
		await using carrier = await open(opened);
		const result = { ...(await exchangeOver(opened, carrier, { ...last, versions }, how)), problems: [...problems] };
		keepLast(opened, result);
		return result;
	} catch (error) {
		keepLast(opened, { ...last, versions, basis: "", failed: { at: new Date().toISOString(), why: whyOf(error) } });
		throw error;
	}
}

/** Does one exchange over an open carrier, and gives what is kept of it. The versions of `last` change as documents are read. */
async function exchangeOver(opened: Opened, carrier: Carrier, last: LastSync, how: How) {
	const { space, tell } = opened;
	const before = await ownDocument(opened);
	const listed = await documentsAt(carrier, space.address);
	const basis = sha256(JSON.stringify([space.projects, before.version, [...listed].sort()]));
	const at = new Date().toISOString();
	// nothing is new on either side, and the last exchange did all: no other document is looked at
	const isUpToDate = basis === last.basis && !last.failed && last.problems.length + last.waiting.length === 0;
	if (isUpToDate && !how.code && planOwn(opened, before).own === before)
		return { ...last, received: 0, isSent: false, taken: 0, joined: null, at };

	const work = { opened, carrier, listed, versions: last.versions, how };
	const { own: start, isThere } = await readOwn(work, before);
	const others = await readOthers(work, start);
	const plan = planOwn(opened, others.own, others.seen.replaced);
	const waiting = plan.taken.length > MANY && !how.isMeant ? plan.taken : [];
	const stay = new Set(waiting.map(({ value }) => value));
	for (const one of waiting.length > 0 ? [] : plan.taken.toReversed())
		try {
			takeOut(one, saidBy(others, one.by), new Date());
		} catch (error) {
			stay.add(one.value);
			tell(whyOf(error));
		}
	const own = mergeDocuments(plan.own, others.seen, stay);
	// in an encrypted space nobody's document can be opened any more
	const isSealedOut =
		space.isEncrypted && own.ask === "" && others.members.length > 0 && others.seen.versions.size === 0;
	const isOut = isSealedOut || own.removed.includes(own.machine);
	if (isOut) tell("this machine was taken out by a member: it sends nothing and is not read any more");
	const isNew = own !== start || own.version === 0;
	const newBytes = isNew ? await keepOwn(opened, own) : null;
	const isSent = (isNew || !isThere) && !isOut;
	if (isSent) await carrier.put(own.machine, newBytes ?? keptSigned(opened, own.machine)!.bytes);
	writeForeign(opened, own, standingOf(own, others.said));
	const { own: _, seen: _s, said: _d, ...aboutOthers } = others;
	return {
		...{ ...aboutOthers, at, failed: null, basis, isSent, taken: plan.taken.length - stay.size },
		versions: Object.fromEntries(Object.entries(last.versions).filter(([machine]) => listed.has(machine))),
		isMember: !isOut && own.ask === "",
		waiting: waiting.map((one) => takenLine(one, saidBy(others, one.by))),
	};
}

/** Gives this machine's document as its files now make it, and the notes in the files that others replaced. Writes nothing. */
export function planOwn(opened: Opened, own: Document, replaced: Replaced = new Map()) {
	const plan = { own, taken: [] as Taken[] };
	if (own.ask) return plan;
	// the values of a project that is not shared any more go; a deletion stays until it is forgotten
	const next = new Set(own.values.filter(({ text }) => text === null));
	for (const shared of opened.space.projects)
		try {
			const { values, taken } = planNotes(opened, own, shared, replaced);
			for (const value of [...values, ...planSessions(opened, own, shared)]) next.add(value);
			plan.taken.push(...taken);
		} catch (error) {
			// of a project that can't be read the former values stay
			for (const value of own.values) if (value.project === shared.mark) next.add(value);
			opened.tell(whyOf(error));
		}
	const isSame = next.size === own.values.length && own.values.every((value) => next.has(value));
	return isSame ? plan : { ...plan, own: { ...own, values: [...next] } };
}

/** Writes what others say into this machine's files: their notes into `shared.md`, their sessions as checkpoints. */
export function writeForeign(opened: Opened, own: Document, said: readonly Said[]): void {
	for (const shared of opened.space.projects) {
		const ofProject = said.filter(({ value }) => value.project === shared.mark);
		try {
			writeShared(placeOf(opened, shared), foreignNotes(own, shared, ofProject));
			takeSessions(opened, shared, ofProject);
		} catch (error) {
			opened.tell(whyOf(error));
		}
	}
}

/** Gives the values of others that this machine did not replace. One that a third machine replaced counts until its own machine drops it. */
function standingOf(own: Document, said: readonly Said[]): Said[] {
	const replacedHere = new Set(own.values.flatMap(({ replaces }) => replaces));
	return said.filter(({ value }) => !replacedHere.has(value.id));
}

/**
 * Puts a text of this machine in the place of a note that others wrote, or with `null` deletes the note; `shown` is the note as it stands in
 * `shared.md`. The others get it with the next exchange; their own changes until then are kept beside it. Throws where no such note stands.
 */
export async function changeForeign(opened: Opened, place: ScopedStore, shown: Note, text: string | null) {
	const key = "global" in place.scope ? "" : projectOf(place.scope.cwd).key;
	const shared = opened.space.projects.find((one) => one.key === key);
	if (!shared) throw new Error("this project is not shared from here; run ccg sync init in its folder");
	const { own, said } = await readKnown(opened);
	const standing = standingOf(own, said);
	const wanted = noteKey(noteText(shown));
	const current = foreignNotes(own, shared, standing).find(({ line }) => noteKey(line) === wanted)?.value;
	if (!current) throw new Error("it is no note that stands there now; see ccg memory list");
	const now = new Date();
	const safe = text === null ? null : redactSecrets(noteOf(text));
	// (cut short behind the file, the text there is a new note, and nothing is lost)
	if (safe !== null && saveMemory({ ...place, target: "memory", text: safe, now }).same)
		throw new Error(`${memoryPath(place)} has that text already; delete the other machine's`);
	const { item, kind, project, text: oldText } = current;
	// several machines may have said the same text
	const before = standing.flatMap(({ value }) => (value.project === project && value.text === oldText ? value : []));
	const value = newValue(own, { item, kind, project, text: safe, at: now.toISOString() }, before);
	const next = { ...own, values: [...own.values, value] };
	await keepOwn(opened, next);
	writeForeign(opened, next, standingOf(next, said));
}
