import { counted } from "../core/text/text.ts";
import { quietStat } from "../files/quietly.ts";
import { whyOf } from "../files/system-failure.ts";
import { sha256, writeJson } from "../store/gate.ts";
import { lastSyncPath, syncPath } from "../store/paths.ts";
import type { Carrier } from "./carrier.ts";
import {
	type Document,
	isAsking,
	machineIn,
	mergeDocuments,
	type Seen,
	standing,
	type Value,
	valuesOf,
} from "./document.ts";
import { type How, type LastSync, lastSync, type Synced } from "./last.ts";
import { isSameProject } from "./marks.ts";
import { foreignNotes, MANY, nameOf, placeOf, planNotes, type Taken, takeOut, writeShared } from "./notes.ts";
import { listedBy, type Others, readKept, readOthers, readOwn, saidBy } from "./read.ts";
import { MOST, planSessions, takeSession } from "./sessions.ts";
import { keepOwn, keptBytes, type Opened, ownDocument, recipientsOf } from "./space.ts";

/**
 * Reads what is new, says what changed here, and sends it: once through, one document after the other. What was done when it is cut
 * short stays, and the next one does the rest. The caller holds `alone`. Throws where the carrier can't be reached.
 */
export async function exchange(opened: Opened, open: () => Promise<Carrier>, how: How = {}): Promise<Synced> {
	const last = lastSync(opened);
	const keep = (now: LastSync): void =>
		writeJson(lastSyncPath(opened.store.root), { ...now, versions: {} }, { exact: { versions: now.versions } });
	let carrier: Carrier | undefined;
	try {
		carrier = await open();
		const { received, isSent, taken, ...now } = await pass(opened, carrier, last, how);
		keep(now);
		return { ...now, received, isSent, taken };
	} catch (error) {
		keep({ ...last, failed: { at: opened.now().toISOString(), why: whyOf(error) } });
		throw error;
	} finally {
		await carrier?.close();
	}
}

async function pass(opened: Opened, carrier: Carrier, last: LastSync, how: How): Promise<Synced> {
	const { space, self, store } = opened;
	const problems: string[] = [];
	const tell = (problem: string): void => void problems.push(problem);
	const start = await ownDocument(opened, tell);
	const work = { opened, carrier, listed: await listedBy(carrier), last, tell, how, versions: {} };
	const { own, isThere } = await readOwn(work, start);
	const found = await readOthers(work, own);
	const now = {
		...last,
		at: opened.now().toISOString(),
		failed: null,
		problems,
		versions: work.versions,
		asking: found.asking,
	};
	const done = { received: found.received, isSent: false, taken: 0 };
	// nothing new on either side, and the last one did all: no other document is looked at
	const isDone = last.at !== null && !last.failed && last.problems.length + last.waiting.length === 0;
	const isShared =
		(quietStat(syncPath(store.root))?.mtimeMs ?? 0) <= (quietStat(lastSyncPath(store.root))?.mtimeMs ?? 0);
	const isWhole = [...found.members].every((machine) => work.listed.has(machine));
	if (isDone && isShared && isThere && isWhole && found.received + problems.length === 0) {
		const plan = planOwn(opened, found.own);
		if (plan.held.length === 0 && plan.own === start) return { ...now, sent: start.version, ...done };
	}

	const others = await readKept(work, found);
	const planned = planOwn(opened, startOf(found.own, others.seen), others.seen, how, tell);
	const isWaiting = planned.taken.length > MANY && !how.isMeant;
	const stay = new Set(isWaiting ? planned.taken.map(({ value }) => value) : []);
	for (const one of planned.taken.toReversed().filter(({ value }) => !stay.has(value)))
		try {
			takeOut(one, saidBy(others, one.by), opened.now());
			done.taken++;
		} catch (error) {
			stay.add(one.value);
			tell(whyOf(error));
		}
	const merged = mergeDocuments(planned.own, others.seen, (value) => stay.has(value));
	const isOut = valuesOf(merged, "member").some(({ item, text }) => item === self.id && text === null);
	if (isOut) tell("this machine was taken out of the space: it sends nothing and is not read any more");
	const to = space.isEncrypted ? recipientsOf(opened, found.members) : [];
	// (who asks is read by all that it saw when it asked)
	const recipients = isAsking(merged) ? last.recipients : sha256(to.sort().join());
	const isNew = merged !== start || recipients !== last.recipients || merged.version === 0;
	const written = isNew && (await keepOwn(opened, merged, to));
	if ((isNew || !isThere) && !isOut) {
		await carrier.put(self.id, written || keptBytes(opened, self.id));
		done.isSent = true;
	}
	const all = standingOf(merged, others);
	tellOthers(opened, merged, all, { waiting: isWaiting ? planned.taken : [], tell });
	const by = [...new Set(planned.taken.map((one) => saidBy(others, one.by)))].join(", ");
	const many = `${counted(planned.taken.length, "note")} of yours that other machines replaced or deleted (${by})`;
	return {
		...{ ...now, ...done, recipients, sent: done.isSent ? 0 : start.version },
		waiting: [...(isWaiting ? [many] : []), ...planned.held],
		conflicts: inConflict(merged, others.seen, all).length,
		isMember: !isOut && !isAsking(merged),
		gone: others.gone,
		members: [...others.names].map(([machine, name]) => ({ machine, name })),
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
	{ isMeant = false }: How = {},
	tell: (problem: string) => void = () => {},
) {
	const { projects } = opened.space;
	const plan = { own, taken: [] as Taken[], held: [] as string[] };
	if (isAsking(own)) return plan;
	const isOf = ({ text, project }: Value, { marks }: (typeof projects)[number]): boolean =>
		text !== null && isSameProject(project, marks);
	const said = new Set(own.values.filter(({ kind, text }) => kind === "member" || text === null));
	for (const shared of projects)
		try {
			const { values, taken, held } = planNotes(opened, own, shared, { replaced, isMeant, tell });
			for (const value of [...values, ...planSessions(opened, own, shared)]) said.add(value);
			plan.taken.push(...taken);
			if (held > 0) plan.held.push(`${counted(held, "note")} that went from MEMORY.md of ${nameOf(shared)}`);
		} catch (error) {
			// one that can't be read is told, and what was said of it stays
			for (const value of own.values) if (isOf(value, shared)) said.add(value);
			tell(whyOf(error));
		}
	const isSame = said.size === own.values.length && own.values.every((value) => said.has(value));
	return isSame ? plan : { ...plan, own: { ...own, values: [...said] } };
}

/** Writes what others say to where it is told: notes and sessions. `waiting`: what waits for a yes, told with them. */
export function tellOthers(
	opened: Opened,
	own: Document,
	said: Others["said"],
	{ waiting = [], isLast = false, tell }: { waiting?: readonly Taken[]; isLast?: boolean; tell(problem: string): void },
): void {
	for (const shared of opened.space.projects) {
		const isOf = ({ value }: { value: Value }): boolean => isSameProject(value.project, shared.marks);
		const many = counted(waiting.filter(isOf).length, "note");
		const line = `- ccg: other machines replaced or deleted ${many} of MEMORY.md, which stay until the user says yes: 'ccg sync now' shows them\n`;
		const due = said.filter(isOf);
		const notes = foreignNotes(own, shared, due);
		const all = due.filter(({ value }) => value.kind === "session" && shared.withSessions);
		const sessions = [...Map.groupBy(all, ({ value }) => machineIn(value.id)).values()].flatMap((of) =>
			of.slice(0, MOST),
		);
		for (const one of [null, ...sessions])
			try {
				if (one) takeSession(opened.store, shared, one, opened.now());
				else writeShared(placeOf(opened, shared), notes, waiting.some(isOf) ? [line] : [], isLast);
			} catch (error) {
				tell(whyOf(error));
			}
	}
}

/** Of what others say what nobody replaced. */
export function standingOf(own: Document, { seen, said }: Pick<Others, "seen" | "said">): Others["said"] {
	const mine = new Set(own.values.flatMap(({ replaces }) => replaces));
	return said.filter(({ value }) => !seen.replaced.has(value.id) && !mine.has(value.id));
}

/** The notes that several machines say otherwise; `by` is `null` of this one's. */
export function inConflict(own: Document, seen: Seen, others: Others["said"]): { value: Value; by: string | null }[][] {
	const mine = standing(own, seen).map((value) => ({ value, by: null }));
	const notes = [...mine, ...others].filter(({ value }) => value.kind === "note");
	const items = [...Map.groupBy(notes, ({ value }) => value.item).values()];
	return items.filter((all) => new Set(all.map(({ value }) => value.text)).size > 1);
}
