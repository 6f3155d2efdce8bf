import { exact } from "../core/redact/secrets.ts";
import { whyOf } from "../files/system-failure.ts";
import { readBatch } from "./batch.ts";
import { type Carrier, MACHINE } from "./carrier.ts";
import type { Clock } from "./clock.ts";
import { isEpoch, keysIn } from "./epochs.ts";
import { newId, openLine, type PublicKeys, signedLine } from "./keys.ts";
import { apply, batchesOf, bytesOf, hashIn, hear, rebuild, renew } from "./log.ts";
import { mayWrite } from "./members.ts";
import {
	bytesIn,
	lackingIn,
	mergeRows,
	partsOf,
	putSnapshot,
	raiseFloors,
	reaches,
	type Snapshot,
	snapshotsIn,
	spaceIn,
	textsIn,
} from "./snapshot.ts";
import { type Floor, floorsOf, headOf, headsOf, type Log, membersIn, seqsOf, vectorOf } from "./state.ts";
import { factOf, inStep, keepFact } from "./tables.ts";

/** What is not as it should be in what a carrier gives. */
export interface Problem {
	machine: string;
	/** Of the batch; the ones before it were applied. 0: not of one. */
	seq: number;
	why: string;
	/** Two batches of one number: a machine's home was copied, or one was made up with its key. */
	isFork?: boolean;
}

/** So many bytes of batches, and as many as what stands has, make a snapshot due. */
const LEAST = 4 * 1024 * 1024;
/** So long a snapshot waits for a second machine. */
const DAY_MS = 24 * 60 * 60_000;

/**
 * Puts snapshots in the place of old batches. An owner makes one when it is due; a second machine that comes to the same by its own
 * batches confirms it; then each machine deletes its batches up to there. Nothing where the carrier hides projects from this machine.
 */
export async function compact(log: Log, carrier: Carrier, least = LEAST): Promise<Problem[]> {
	const role = membersIn(log).get(log.machine)?.role ?? "none";
	const isWhole = !(await carrier.sees?.());
	const all = await snapshotsIn(log, carrier);
	if (mayWrite(role) && isWhole) for (const one of all) await confirm(log, carrier, one);
	const problems = await takeSnapshots(log, carrier, all);
	const heads = await carrier.heads();
	const left = [...membersIn(log).values()].filter((one) => one.role === "none").map(({ machine }) => machine);
	// of who left an owner takes away what it wrote
	const mayForget = role === "owner" ? [log.machine, ...left] : [log.machine];
	for (const { machine, seq } of floorsOf(log)) {
		if (!mayForget.includes(machine) || (heads.get(machine)?.from ?? seq + 1) > seq) continue;
		const forgotten = carrier.forget(machine, seq);
		// (a server may know one as a member that the log does not)
		await (machine === log.machine ? forgotten : forgotten.catch(() => {}));
	}
	const isLeftThere = left.some(
		(machine) => heads.has(machine) && !reaches(floorsOf(log), [{ machine, seq: headOf(log, machine).seq }]),
	);
	if (role === "owner" && isWhole) await make(log, carrier, all, isLeftThere || isDue(log, least));
	await carrier.push();
	return problems;
}

/**
 * Takes in the snapshots that an owner made and a second machine confirmed. Of a project that is withheld from this machine, or whose key
 * has not come, the values are taken in as soon as they can be read. Gives why one is not taken.
 */
export async function takeSnapshots(log: Log, carrier: Carrier, all?: readonly Snapshot[]): Promise<Problem[]> {
	const sees = (await carrier.sees?.()) ?? null;
	const isSeen = (project: string): boolean => sees === null || sees.includes(project);
	const problems: Problem[] = [];
	for (const one of all ?? (await snapshotsIn(log, carrier))) {
		const isOpen = !one.epoch || keysIn(log).has(one.epoch);
		const isLacking = ([project, here]: [string, Floor[]]): boolean => isSeen(project) && !reaches(here, one.heads);
		if (reaches(floorsOf(log), one.heads) && !(isOpen && Object.entries(lackingIn(log)).some(isLacking))) continue;
		const others = await confirmationsOf(log, carrier, one);
		try {
			// (who knows the members knows that it waits)
			if (others.length === 0 && membersIn(log).has(one.machine) && !isConfirmed(log, one, others)) continue;
			const bytes = await bytesIn(carrier, one, isSeen);
			inStep(log.rows, () => {
				takeSpace(log, spaceIn(bytes));
				if (!isConfirmed(log, one, others)) throw new Error("no owner made it, or no other member confirmed it");
				for (const { machine, seq, hash } of one.heads) {
					const had = bytesOf(log, machine, seq);
					if (had && hashIn(had) !== hash) throw new Error("it goes on from other batches than those that are here");
				}
				const texts = textsIn(log, one, bytes);
				mergeRows(log, one, texts);
				raiseFloors(log, one, texts);
				renew(log);
				hear(log, log.rows.query("SELECT DISTINCT clock FROM live").values().flat() as Clock[]);
			});
		} catch (error) {
			// (one that nobody confirmed waits; who is new learns only from it that its owner is not alone)
			if (others.length === 0) continue;
			problems.push({ machine: one.machine, seq: 0, why: `a snapshot of it is not taken: ${whyOf(error)}` });
		}
	}
	return problems;
}

/** Takes in batches about the space without those between them: each is signed by who was a member by then. */
function takeSpace(log: Log, said: ReturnType<typeof spaceIn>): void {
	let left = said.flatMap(({ machine, seq, bytes }) => {
		const had = bytesOf(log, machine, seq);
		const carried = { seq, project: null, bytes };
		const read = readBatch(carried, { space: log.space.id, machine });
		if (typeof read === "string") throw new Error(read);
		if (had && hashIn(had) !== read.hash) throw new Error("it holds another batch than the one that is here");
		return had ? [] : [{ ...carried, ...read, machine }];
	});
	for (let before = -1; left.length > 0 && left.length !== before; ) {
		before = left.length;
		left = left.filter(({ machine, seq, bytes, batch, isSignedBy }) => {
			const member = membersIn(log).get(machine);
			if (!member || !isSignedBy(member.keys)) return true;
			log.rows.query("INSERT INTO batches VALUES(?, ?, NULL, ?)").run(exact(machine), seq, bytes);
			apply(log, batch);
			return false;
		});
	}
	if (left.length > 0) throw new Error("it holds a batch that no member signed");
}

interface Confirmation {
	machine: string;
	isSignedBy(keys: PublicKeys): boolean;
}

const whatIs = ({ space }: Log, { name, hash }: Snapshot): string =>
	JSON.stringify({ v: 1, space: space.id, name, head: hash });

/** What other machines than its maker say of a snapshot; who signed that is still to be asked. */
async function confirmationsOf(log: Log, carrier: Carrier, one: Snapshot): Promise<Confirmation[]> {
	const found: Confirmation[] = [];
	for (const name of await carrier.list(`confirm/${one.name}/`)) {
		const machine = name.split("/")[2] ?? "";
		const bytes = MACHINE.test(machine) && machine !== one.machine ? await carrier.get(name) : null;
		const line = bytes && openLine(bytes);
		if (line?.text === whatIs(log, one))
			found.push({ machine, isSignedBy: (keys) => line.isSignedBy("confirm", keys) });
	}
	return found;
}

/**
 * Two that might once write know it, one of them an owner who made it, and one of them is a member still. Where an owner is alone with
 * whoever asks, and that one can't look for itself, it is enough that the owner made it.
 */
function isConfirmed(log: Log, one: Snapshot, others: readonly Confirmation[]): boolean {
	const members = membersIn(log);
	const maker = members.get(one.machine);
	if (!maker?.had.includes("owner") || !one.isSignedBy(maker.keys)) return false;
	const isAlone = [...members.values()].every(
		({ machine, role }) =>
			machine === one.machine || !mayWrite(role) || (machine === log.machine && !reaches(headsOf(log), one.heads)),
	);
	if (isAlone && maker.role === "owner") return true;
	return others.some(({ machine, isSignedBy }) => {
		const member = members.get(machine);
		if (!member?.had.some(mayWrite) || !isSignedBy(member.keys)) return false;
		return maker.role === "owner" || mayWrite(member.role);
	});
}

/** Says that a snapshot holds what this machine comes to by itself, where nobody else has. */
async function confirm(log: Log, carrier: Carrier, one: Snapshot): Promise<void> {
	if (one.machine === log.machine || !membersIn(log).get(one.machine)?.had.includes("owner")) return;
	if (!reaches(one.heads, floorsOf(log)) || !reaches(headsOf(log), one.heads)) return;
	// one that is not borne out will not be by more batches: it is weighed by those up to its heads
	const [place, weighed] = [`weighed ${one.name}`, JSON.stringify([one.hash, floorsOf(log)])];
	if (factOf(log.rows, place) === weighed) return;
	if (isConfirmed(log, one, await confirmationsOf(log, carrier, one))) return;
	const bytes = await bytesIn(carrier, one, () => true).catch(() => null);
	if (!bytes) return;
	if (!isBorneOut(log, one, bytes)) return keepFact(log.rows, place, weighed, true);
	await carrier.put(`confirm/${one.name}/${log.machine}`, signedLine("confirm", whatIs(log, one), log.keys));
}

/** Whether the batches of this machine come to the same, up to there. Nothing is changed. */
function isBorneOut(log: Log, one: Snapshot, bytes: ReadonlyMap<string, Uint8Array>): boolean {
	const upTo = seqsOf(one.heads);
	log.rows.run("BEGIN IMMEDIATE");
	try {
		const drop = log.rows.query("DELETE FROM batches WHERE machine = ? AND seq > ?");
		for (const { machine } of headsOf(log)) drop.run(exact(machine), upTo.get(machine) ?? 0);
		rebuild(log);
		// whoever begins with it must find who confirmed it among the members
		if (!mayWrite(membersIn(log).get(log.machine)?.role ?? "none")) return false;
		if (!isReadable(log) || one.heads.some(({ machine, hash }) => headOf(log, machine).hash !== hash)) return false;
		const [own, theirs] = [partsOf(log), textsIn(log, one, bytes)];
		return own.size === theirs.size && [...own].every(([name, text]) => theirs.get(name) === text);
	} catch {
		return false;
	} finally {
		log.rows.run("ROLLBACK");
	}
}

/** Whether nothing that others can read is hidden from this machine, and all is here that a writer of what is here had seen. */
function isReadable(log: Log): boolean {
	const [have, members] = [vectorOf(log), membersIn(log)];
	const isHere = ([machine, last]: [string, number]): boolean => {
		const seq = have.get(machine) ?? 0;
		// (what one wrote behind its removal never comes)
		return last <= seq || members.get(machine)?.roleAt(seq + 1) === "none";
	};
	const isOpen = (epoch: string): boolean => keysIn(log).has(epoch) || !isEpoch(log, epoch);
	return (
		Object.keys(lackingIn(log)).length === 0 &&
		batchesOf(log).every(
			({ batch }) => batch && Object.entries(batch.seen).every(isHere) && (!batch.epoch || isOpen(batch.epoch)),
		)
	);
}

/** Makes a snapshot where one is due, or the carrier lost the one that stands for batches; removes what a further one makes needless. */
async function make(log: Log, carrier: Carrier, all: readonly Snapshot[], isWanted: boolean): Promise<void> {
	const standing: Snapshot[] = [];
	for (const one of all) if (isConfirmed(log, one, await confirmationsOf(log, carrier, one))) standing.push(one);
	// (the head last: where this is cut short, the next one finds it by that)
	const remove = async (name: string): Promise<void> => {
		const head = `snapshot/${name}/head`;
		const all = [...(await carrier.list(`confirm/${name}/`)), ...(await carrier.list(`snapshot/${name}/`))];
		for (const document of [...all.filter((one) => one !== head), head]) await carrier.remove(document);
	};
	for (const [i, one] of all.entries())
		if (standing.some((other) => all.indexOf(other) < i && reaches(other.heads, one.heads))) await remove(one.name);
	const floors = floorsOf(log);
	const isLost = floors.length > 0 && !standing.some(({ heads }) => reaches(heads, floors));
	const waiting = all.filter((one) => !standing.includes(one) && reaches(one.heads, floors));
	const isFresh = ({ at, machine }: Snapshot): boolean =>
		Math.abs(log.now() - at) < DAY_MS && membersIn(log).get(machine)?.role === "owner";
	if (waiting.some(isFresh) || !(isLost || isWanted) || !isReadable(log)) return;
	for (const one of waiting) if (one.machine === log.machine) await remove(one.name);
	// one that was begun and has no head was cut short
	const begun = factOf<string>(log.rows, "begun");
	if (begun && !all.some(({ name }) => name === begun)) await remove(begun);
	const name = newId();
	keepFact(log.rows, "begun", name, true);
	await putSnapshot(log, carrier, name);
}

function isDue({ rows }: Log, least: number): boolean {
	const sizeOf = (what: string): number => Number(rows.query(`SELECT coalesce(sum(length(${what}`).values()[0]![0]);
	const batches = sizeOf("bytes)), 0) FROM batches WHERE project IS NOT NULL");
	return batches >= least && batches >= sizeOf("value)), 0) FROM live");
}
