import { rmSync } from "node:fs";
import { join } from "node:path";
import { exact } from "../core/redact/secrets.ts";
import { counted } from "../core/text/text.ts";
import { quietly } from "../files/quietly.ts";
import { coded, errorCode, whyOf } from "../files/system-failure.ts";
import { SHARED, SHARED_SESSIONS } from "../memory/shared.ts";
import { withColdLock } from "../store/lock.ts";
import type { Env } from "../store/paths.ts";
import { operationId, placeOf } from "./batch.ts";
import { type Carrier, closing } from "./carrier.ts";
import { clockMs, isAhead } from "./clock.ts";
import { compact } from "./compact.ts";
import { isSealed } from "./epochs.ts";
import { type Progress, type Pulled, pull, push } from "./exchange.ts";
import { itemsHere, newItems, offerItems } from "./items.ts";
import { type Asked, askingAt } from "./join.ts";
import { batchesOf, operationsOf, write } from "./log.ts";
import { mayWrite, type Role } from "./members.ts";
import { offerNotes, planNotes, type SharedNotes } from "./notes.ts";
import type { PostgresCarrier } from "./postgres/carrier.ts";
import { serverIn } from "./postgres/load.ts";
import { ALL_PROJECTS, marksOf, projectId, projectsIn, typedAddress } from "./project.ts";
import { writeShared } from "./shared.ts";
import { FOR_ALL, giveKeys, type Opened, removeMember, type SharedHere, sharedHere } from "./space.ts";
import { headOf, isSharedWith, lostFrom, membersIn, roleOf, valuesOf } from "./state.ts";
import { factOf, inStep, keepFact } from "./tables.ts";
import { embedTeam, type HeldTask, tellTeam, withLeases } from "./team.ts";

export interface Synced extends Pulled {
	sent: number;
	/** Operations that were made of what changed here. */
	offered: number;
	/** This machine's. `none`: nobody took it in yet, or it was removed. */
	role: Role;
	/** Machines that ask to be taken in. */
	asking: Asked[];
	/** What went wrong with one file or one step, while the rest was done. */
	failures: string[];
	held: HeldTask[];
}

/** What the last exchange was like, as it is kept. */
export interface LastSync extends Omit<Pulled, "received">, Pick<Synced, "failures" | "held" | "asking"> {
	/** Milliseconds since 1970; `null`: never. */
	at: number | null;
	/** A later try that failed as a whole, and when (ISO 8601). */
	failed: { at: string; why: string } | null;
}

const NONE: LastSync = { at: null, failed: null, problems: [], failures: [], strangers: [], held: [], asking: [] };
export const lastSync = (opened: Opened): LastSync => ({ ...NONE, ...factOf<LastSync>(opened.rows, "last") });
export const isPaused = (opened: Opened): boolean => factOf<boolean>(opened.rows, "paused") === true;
export const pause = (opened: Opened, isOn: boolean): void => keepFact(opened.rows, "paused", isOn);

interface Exchanging {
	progress?: Progress | undefined;
	waitMs?: number;
	/** Where the key of an embeddings endpoint may stand; without it no vectors are made. */
	env?: Env;
}

/**
 * Takes in what others wrote, says what changed here, and sends it. One at a time in a store: another one that runs is waited for. What
 * was done when it is cut short stays, and the next one goes on from there. Throws where the carrier can't be reached.
 */
export function syncNow(
	opened: Opened,
	open: () => Promise<Carrier>,
	{ progress, waitMs = 10_000, env }: Exchanging = {},
): Promise<Synced> {
	const work = async (): Promise<Synced> => {
		const failures: string[] = [];
		return closing(open(), async (carrier) => {
			const before = headOf(opened, opened.machine).seq;
			const pulled = await pull(opened, carrier, progress);
			const back = headOf(opened, opened.machine).seq - before;
			if (back > 0) failures.push(`${counted(back, "batch", "batches")} ${CAME_BACK}${anew(opened)}`);
			const isForked = isForkedIn(opened, pulled);
			const role = roleOf(opened);
			// (another chain on the other one's would be nobody's)
			const isWriter = mayWrite(role) && !isForked;
			// (nobody else can take one in)
			const asking = role === "owner" ? await askingAt(opened, carrier) : [];
			const [server, held]: [PostgresCarrier | null, HeldTask[]] = [serverIn(carrier), []];
			if (isWriter) giveKeys(opened);
			const offered = isWriter ? await offer(opened, server, failures, held) : 0;
			let sent = 0;
			if (role !== "none" && !isForked) {
				sent = await push(opened, carrier, progress);
				keepFact(opened.rows, "sent", headOf(opened, opened.machine).seq);
				if (server && isWriter) await tellTeam(opened, server);
				if (server && isWriter && env) await embedTeam(opened, server, env);
				if (server && role === "owner") await expelLeft(opened, server).catch((error) => failures.push(whyOf(error)));
				pulled.problems.push(...(await compact(opened, carrier)));
			}
			tellShared(opened);
			const { problems, strangers } = pulled;
			const last: LastSync = { at: opened.now(), failed: null, problems, strangers, failures, held, asking };
			keepFact(opened.rows, "last", last);
			return { ...pulled, sent, offered, role, failures, held, asking };
		}).catch((error) => {
			const failed = { at: new Date(opened.now()).toISOString(), why: whyOf(error) };
			keepFact(opened.rows, "last", { ...lastSync(opened), failed });
			throw error;
		});
	};
	return withColdLock(join(opened.store.root, "run", "sync"), work, { waitMs });
}

/** Ends the rights on a server of who is no member any more. */
async function expelLeft(opened: Opened, server: PostgresCarrier): Promise<void> {
	for (const { machine } of await server.members())
		if (membersIn(opened).get(machine)?.role === "none") await server.expel(machine);
}

const CAME_BACK =
	"of this machine came that its store did not know: a backup was restored, or another machine uses a copy of it";

/** What to do where two machines write as one. */
export const anew = ({ address }: Opened): string =>
	`. If two use it, on one of them: ccg sync join ${typedAddress(address)} --anew`;

const isForkedIn = ({ machine }: Opened, { problems }: Pulled): boolean =>
	problems.some((one) => one.isFork && one.machine === machine);

/** Makes operations of what changed here. What can't be read of one project is told, and the others go on. */
async function offer(opened: Opened, server: PostgresCarrier | null, failures: string[], held: HeldTask[]) {
	let offered = 0;
	for (const shared of sharedHere(opened))
		try {
			const id = sayProject(opened, shared);
			if (shared.kinds.includes("notes"))
				offered += offerNotes(opened, notesIn(opened, { ...shared, id }), (problem) => failures.push(problem));
			if (shared.key === "") continue;
			const items = itemsHere(opened.store, shared.key, shared.folder, shared.kinds);
			offered += offerItems(opened, id, server ? await withLeases(opened, server, id, items, held) : items);
		} catch (error) {
			failures.push(whyOf(error));
		}
	return offered;
}

const notesIn = ({ store }: Opened, { key, id, folder }: SharedHere): SharedNotes => ({
	...{ place: key, id },
	store: { ...store, scope: key === "" ? { global: true } : { cwd: folder } },
});

/** Says which project that is, once; gives its id in the space. Another machine may have said it meanwhile. */
function sayProject(opened: Opened, { key, id, folder }: SharedHere): string {
	if (id === ALL_PROJECTS || projectsIn(opened).some((one) => one.id === id)) return id;
	const marks = marksOf(folder);
	const found = projectId(opened, marks);
	const isKnown = found !== null && projectsIn(opened).some((one) => one.id === found);
	const own = isKnown ? found : id;
	inStep(opened.rows, () => {
		opened.rows.query("UPDATE projects SET id = ? WHERE key = ?").run(exact(own), exact(key));
		const value = { ...marks, name: folder.split("/").at(-1) ?? "" };
		if (!isKnown) write(opened, own, [{ item: `project:${own}`, field: "marks", value }]);
	});
	return own;
}

/** Writes what others wrote to where starts and searches read it; `isLast`: it is not made anew any more. */
export function tellShared(opened: Opened, isLast = false): void {
	for (const { key, id } of sharedHere(opened)) writeShared(opened, sharedFolder(opened, key), id, isLast);
}

const sharedFolder = ({ store }: Opened, key: string): string =>
	key === "" ? store.root : join(store.root, "projects", key);

/** Every item of a project that the next exchange would offer; nothing is written. */
export function planned(opened: Opened, shared: SharedHere): { project: string; item: string; text: string }[] {
	const project = shared.folder || FOR_ALL;
	const notes = shared.kinds.includes("notes") ? planNotes(opened, notesIn(opened, shared)).ops : [];
	const others = shared.key === "" ? [] : itemsHere(opened.store, shared.key, shared.folder, shared.kinds);
	return [
		...notes.map(({ op }) => ({ project, item: op.item, text: op.value === null ? "(deleted)" : String(op.value) })),
		...newItems(opened, others).map(({ item, value }) => ({ project, item, text: JSON.stringify(value) })),
	];
}

/** The members, and who was one, as they stand here. */
export const membersHere = (opened: Opened) =>
	[...membersIn(opened).values()].map(({ machine, name, person, role }) => {
		const { seq, seen } = headOf(opened, machine);
		const sql = "SELECT max(clock) AS clock FROM live WHERE machine = ?";
		const { clock } = opened.rows.query<{ clock: string | null }, [string]>(sql).get(machine)!;
		return {
			machine,
			name,
			person,
			role,
			batches: seq,
			seen,
			/** By how much its clock is ahead of this machine's, where that is too much: one of the two is wrong. */
			aheadMs: clock && isAhead(clock, opened.now()) ? clockMs(clock) - opened.now() : 0,
			wrote: clock ? new Date(clockMs(clock)).toISOString() : null,
		};
	});

/** How things stand: for people and programs. */
export function syncStatus(opened: Opened) {
	const last = lastSync(opened);
	const sentTo = factOf<number>(opened.rows, "sent") ?? 0;
	const members = membersHere(opened);
	const [role, projects] = [roleOf(opened), sharedHere(opened)];
	return {
		space: opened.space.id,
		address: opened.address,
		machine: opened.machine,
		...{ name: opened.self.name, role, paused: isPaused(opened) },
		last: { ...last, at: last.at === null ? null : new Date(last.at).toISOString() },
		/** Batches that were not sent. */
		waiting: headOf(opened, opened.machine).seq - sentTo,
		/** What changed here and is to be said. */
		changes: mayWrite(role) ? projects.reduce((sum, one) => sum + changesIn(opened, one), 0) : 0,
		encrypted: isSealed(opened),
		members,
		projects,
	};
}

const changesIn = (opened: Opened, shared: SharedHere): number => quietly(() => planned(opened, shared).length) ?? 0;

/** Takes this machine out of the space, and back what it said there. What is here stays: notes, and what others wrote, as it is now. */
export async function leave(opened: Opened, open: () => Promise<Carrier>): Promise<string[]> {
	const away = closing(open(), async (carrier) => {
		const pulled = await pull(opened, carrier);
		if (isForkedIn(opened, pulled)) return ["another one that writes as this machine stays in the space"];
		const role = roleOf(opened);
		const others = [...membersIn(opened).values()].filter(
			(one) => one.machine !== opened.machine && one.role !== "none",
		);
		if (role === "owner" && others.length > 0 && !others.some((one) => one.role === "owner"))
			throw coded(
				"EOWNER",
				"no owner would be left to the other members: make one of them an owner first (its code, ccg sync join CODE --role owner), or remove them",
			);
		// a server takes nothing from a reader, and ends its rights itself
		const mayTell = !(role === "reader" && serverIn(carrier));
		if (role !== "none" && mayTell) {
			takeBack(opened);
			removeMember(opened, opened.machine);
		}
		// (also what a try before this one said, and could not send)
		if (mayTell) await push(opened, carrier);
		await carrier.remove(`join/${opened.machine}`);
		await carrier.push();
		await serverIn(carrier)?.expel(opened.machine);
		return role === "reader" && membersIn(opened).get(opened.machine)?.had.some(mayWrite) ? [READER_LEAVES] : [];
	});
	return away.catch((error) => {
		if (errorCode(error) === "EOWNER") throw error;
		throw new Error(
			`the others can't be told (${whyOf(error)}), so nothing is forgotten here: try again, ccg sync pause until then, or where it is gone for good ccg sync leave --force`,
			{ cause: error },
		);
	});
}

const READER_LEAVES = "what this machine wrote before it became a reader stays with the others";

/** Takes back what this machine said of a project, and shares it no more; what others wrote of it goes from here. */
export function unshare(opened: Opened, { key, id }: SharedHere): void {
	inStep(opened.rows, () => {
		// (nobody would apply it)
		if (mayWrite(roleOf(opened))) takeBack(opened, id);
		opened.rows.query("DELETE FROM projects WHERE key = ?").run(exact(key));
		const places = [key, lostFrom(key), `items ${id}`].map(exact);
		opened.rows.query("DELETE FROM own WHERE place IN (?, ?, ?)").run(...places);
		opened.rows.query("DELETE FROM facts WHERE name = ?").run(exact(`sessions ${id}`));
	});
	for (const name of [SHARED, SHARED_SESSIONS]) rmSync(join(sharedFolder(opened, key), name), { force: true });
}

/** What this machine said of projects, or of one, does not stand any more, but for what it put in the place of another's: that one is gone. */
function takeBack(opened: Opened, of?: string): void {
	const edited = new Set(
		batchesOf(opened).flatMap(({ machine, batch }) =>
			batch && machine === opened.machine
				? (operationsOf(opened, batch) ?? []).flatMap(({ replaces = [] }, i) =>
						replaces.some((id) => placeOf(id).machine !== machine) ? operationId(batch, i) : [],
					)
				: [],
		),
	);
	const own = valuesOf(opened, "").filter(
		({ id, machine, project }) =>
			machine === opened.machine &&
			project !== null &&
			(of ?? project) === project &&
			isSharedWith(opened, project) &&
			!edited.has(id),
	);
	for (const [project, values] of Map.groupBy(own, (one) => one.project)) {
		const ops = values.map(({ id, item, field }) => ({ item, field, replaces: [id] }));
		write(opened, project, ops);
	}
}
