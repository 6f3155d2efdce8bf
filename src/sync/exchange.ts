import { redactSecrets } from "../core/redact/secrets.ts";
import { errorText } from "../files/system-failure.ts";
import { cleanNote, saveMemory } from "../memory/change.ts";
import { type Note, noteKey, noteText } from "../memory/notes.ts";
import { memoryPath, type ScopedStore } from "../memory/notes-file.ts";
import { sha256 } from "../store/gate.ts";
import { findProject } from "../store/project.ts";
import { type Carrier, listDocuments } from "./carrier.ts";
import { type Document, newValue, type Replacements, updateOwnDocument } from "./document.ts";
import { type LastSync, readLastSync, type SyncOptions, writeLastSync } from "./last.ts";
import type { ForeignValue, ReplacedNote } from "./notes.ts";
import { foreignNotes, moveToReplaced, notesPlace, planNotes, replacedLine, writeSharedNotes } from "./notes.ts";
import { authorName, checkOwnAtCarrier, readOthers, readStoredDocuments } from "./read.ts";
import { planSessions, storeSessions } from "./sessions.ts";
import { type OpenSpace, readOwnDocument, readStoredDocument, requireSpace, writeOwnDocument } from "./space.ts";

/** At most so many notes go from a MEMORY.md in an exchange without a person's yes. */
const MAX_UNCONFIRMED = 5;

type CarrierOpener = (opened: OpenSpace) => Promise<Carrier>;

/**
 * Does one exchange: reads the new documents of other machines, writes this machine's with what changed here, sends it, and writes down how it
 * went. When it is cut short, the next one does the rest. The caller holds `withLockedSpace`. Throws where the carrier can't be reached.
 */
export async function syncOnce({ store }: OpenSpace, open: CarrierOpener, how: SyncOptions = {}): Promise<LastSync> {
	const problems = new Set<string>();
	// read again: while this waited for the lock, the space may have changed, or this machine may have left it
	const opened = { ...requireSpace(store), onProblem: (problem: string) => void problems.add(problem) };
	const last = readLastSync(opened);
	const versions = { ...last.versions };
	try {
		await using carrier = await open(opened);
		const result = { ...(await syncOver(opened, carrier, { ...last, versions }, how)), problems: [...problems] };
		writeLastSync(opened, result);
		return result;
	} catch (error) {
		const failed = { at: new Date().toISOString(), why: errorText(error) };
		writeLastSync(opened, { ...last, versions, basis: "", failed });
		throw error;
	}
}

/** Does one exchange over an open carrier, and gives how it went. The versions in `last` change as documents are read. */
async function syncOver(opened: OpenSpace, carrier: Carrier, last: LastSync, how: SyncOptions) {
	const { space, onProblem } = opened;
	const before = await readOwnDocument(opened);
	const listed = await listDocuments(carrier, space.address);
	const basis = sha256(JSON.stringify([space.projects, before.version, [...listed].sort()]));
	const at = new Date().toISOString();
	// nothing is new on either side, and the last exchange did all: no other document is looked at
	const isUpToDate = basis === last.basis && !last.failed && last.problems.length + last.waiting.length === 0;
	if (isUpToDate && !how.code && planOwnDocument(opened, before).own === before)
		return { ...last, received: 0, isSent: false, taken: 0, joined: null, at };

	const context = { opened, carrier, listed, versions: last.versions, how };
	const { own: start, isAtCarrier } = await checkOwnAtCarrier(context, before);
	const others = await readOthers(context, start);
	const plan = planOwnDocument(opened, others.own, others.seen.replacements);
	const waiting = plan.replaced.length > MAX_UNCONFIRMED && !how.isConfirmed ? plan.replaced : [];
	const staying = new Set(waiting.map(({ value }) => value));
	for (const note of waiting.length > 0 ? [] : plan.replaced.toReversed())
		try {
			moveToReplaced(note, authorName(others, note.by), new Date());
		} catch (error) {
			staying.add(note.value);
			onProblem(errorText(error));
		}
	const own = updateOwnDocument(plan.own, others.seen, staying);
	// in an encrypted space nobody's document can be opened any more
	const isSealedOut =
		space.isEncrypted && own.ask === "" && others.members.length > 0 && others.seen.versions.size === 0;
	const isOut = isSealedOut || own.removed.includes(own.machine);
	if (isOut) onProblem("this machine was taken out by a member: it sends nothing and is not read any more");
	const isNew = own !== start || own.version === 0;
	const newBytes = isNew ? await writeOwnDocument(opened, own) : null;
	const isSent = (isNew || !isAtCarrier) && !isOut;
	if (isSent) await carrier.put(own.machine, newBytes ?? readStoredDocument(opened, own.machine)!.bytes);
	writeForeignFiles(opened, own, currentValues(own, others.values));
	const { own: _, seen: _s, values: _v, ...aboutOthers } = others;
	return {
		...{ ...aboutOthers, at, failed: null, basis, isSent, taken: plan.replaced.length - staying.size },
		versions: Object.fromEntries(Object.entries(last.versions).filter(([machine]) => listed.has(machine))),
		isMember: !isOut && own.ask === "",
		waiting: waiting.map((one) => replacedLine(one, authorName(others, one.by))),
	};
}

/** Gives this machine's document with its notes and sessions as they are now, and its notes that others replaced. Writes nothing. */
export function planOwnDocument(opened: OpenSpace, own: Document, replacements: Replacements = new Map()) {
	const plan = { own, replaced: [] as ReplacedNote[] };
	if (own.ask) return plan; // until it is let in, it shares nothing
	// the values of a project that is not shared any more go; a deletion stays until it is forgotten
	const next = new Set(own.values.filter(({ text }) => text === null));
	for (const shared of opened.space.projects)
		try {
			const { values, replaced } = planNotes(opened, own, shared, replacements);
			for (const value of [...values, ...planSessions(opened, own, shared)]) next.add(value);
			plan.replaced.push(...replaced);
		} catch (error) {
			// of a project that can't be read the former values stay
			for (const value of own.values) if (value.project === shared.mark) next.add(value);
			opened.onProblem(errorText(error));
		}
	const isSame = next.size === own.values.length && own.values.every((value) => next.has(value));
	return isSame ? plan : { ...plan, own: { ...own, values: [...next] } };
}

/** Writes the values of other machines into this one's files: their notes into `shared.md`, their sessions as checkpoints. */
export function writeForeignFiles(opened: OpenSpace, own: Document, foreign: readonly ForeignValue[]): void {
	for (const shared of opened.space.projects) {
		const ofProject = foreign.filter(({ value }) => value.project === shared.mark);
		try {
			writeSharedNotes(notesPlace(opened, shared), foreignNotes(own, shared, ofProject));
			storeSessions(opened, shared, ofProject);
		} catch (error) {
			opened.onProblem(errorText(error));
		}
	}
}

/** Gives the values of others that this machine did not replace. One that a third machine replaced counts until its own machine drops it. */
function currentValues(own: Document, foreign: readonly ForeignValue[]): ForeignValue[] {
	const replacedIds = new Set(own.values.flatMap(({ replaces }) => replaces));
	return foreign.filter(({ value }) => !replacedIds.has(value.id));
}

/**
 * Puts a text of this machine in the place of a note that others wrote, or with `null` deletes the note; `shown` is the note as it stands in
 * `shared.md`. The others get it with the next exchange; their own changes until then are kept beside it. Throws where no such note stands.
 */
export async function replaceForeignNote(opened: OpenSpace, place: ScopedStore, shown: Note, text: string | null) {
	const key = "global" in place.scope ? "" : findProject(place.scope.cwd).key;
	const shared = opened.space.projects.find((one) => one.key === key);
	if (!shared) throw new Error("this project is not shared from here; run ccg sync init in its folder");
	const { own, values } = await readStoredDocuments(opened);
	const current = currentValues(own, values);
	const wanted = noteKey(noteText(shown));
	const old = foreignNotes(own, shared, current).find(({ line }) => noteKey(line) === wanted)?.value;
	if (!old) throw new Error("it is no note that stands there now; see ccg memory list");
	const now = new Date();
	const safe = text === null ? null : redactSecrets(cleanNote(text));
	// (ended between this write and the document's, the text is a new note of this machine, and nothing is lost)
	if (safe !== null && saveMemory({ ...place, target: "memory", text: safe, now }).same)
		throw new Error(`${memoryPath(place)} has that text already; delete the other machine's`);
	const { item, kind, project } = old;
	// several machines may have written the same text
	const before = current.flatMap(({ value }) => (value.project === project && value.text === old.text ? value : []));
	const value = newValue(own, { item, kind, project, text: safe, at: now.toISOString() }, before);
	const next = { ...own, values: [...own.values, value] };
	await writeOwnDocument(opened, next);
	writeForeignFiles(opened, next, currentValues(next, values));
}
