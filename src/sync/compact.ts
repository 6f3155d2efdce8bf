import { exact } from "../core/redact/secrets.ts";
import { whyOf } from "../files/system-failure.ts";
import { readBatch } from "./batch.ts";
import type { Carrier } from "./carrier.ts";
import { isEpoch, isSealed, keysIn, sealingKey } from "./epochs.ts";
import { newId, signedLine } from "./keys.ts";
import { apply, batchAt, batchesOf, putBatch, rebuild, unproved } from "./log.ts";
import { mayWrite } from "./members.ts";
import {
	confirmationsOf,
	partsIn,
	partsOf,
	putSnapshot,
	reaches,
	type Snapshot,
	snapshotsIn,
	spaceIn,
	standIn,
	textsIn,
	whatIs,
} from "./snapshot.ts";
import {
	type Floor,
	floorsIn,
	floorsOf,
	headOf,
	headsOf,
	type Log,
	membersIn,
	missingIn,
	roleOf,
	seqsOf,
} from "./state.ts";
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
	const role = roleOf(log);
	const sees = (await carrier.sees?.()) ?? null;
	const all = await snapshotsIn(log, carrier);
	if (mayWrite(role) && !sees) for (const one of all) await confirm(log, carrier, one);
	const problems = await takeSnapshots(log, carrier, all, sees);
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
	if (role === "owner" && !sees) await make(log, carrier, all, isLeftThere || isDue(log, least));
	await carrier.push();
	return problems;
}

/**
 * Takes in the snapshots that an owner made and a second machine confirmed. Of a project that is withheld from this machine, or whose key
 * has not come, the values are taken in as soon as they can be read. Gives why one is not taken.
 */
export async function takeSnapshots(
	log: Log,
	carrier: Carrier,
	all: readonly Snapshot[],
	sees: readonly string[] | null,
): Promise<Problem[]> {
	const problems: Problem[] = [];
	for (const one of all) {
		const isOpen = !one.epoch || keysIn(log).has(one.epoch);
		const isRead = (project: string): boolean => project === "" || (isOpen && (!sees || sees.includes(project)));
		if (Object.entries(floorsIn(log)).every(([project, here]) => !isRead(project) || reaches(here, one.heads)))
			continue;
		try {
			// (who knows the members knows that it waits)
			if (one.others.length === 0 && membersIn(log).has(one.machine) && !isConfirmed(log, one)) continue;
			const parts = await partsIn(carrier, one, sees);
			inStep(log.rows, () => {
				takeSpace(log, spaceIn(parts));
				if (!isConfirmed(log, one)) throw new Error("no owner made it, or no other member confirmed it");
				if (one.heads.some((head) => hasOther(log, head)))
					throw new Error("it goes on from other batches than those that are here");
				standIn(log, one, textsIn(log, one, parts));
				rebuild(log);
			});
		} catch (error) {
			// (one that nobody confirmed waits; who is new learns only from it that its owner is not alone)
			if (one.others.length === 0) continue;
			problems.push({ machine: one.machine, seq: 0, why: `a snapshot of it is not taken: ${whyOf(error)}` });
		}
	}
	return problems;
}

/** Whether another batch of that number is here; one at the word of a server alone goes. */
function hasOther(log: Log, { machine, seq, hash }: Floor): boolean {
	const isOther = (): boolean => (batchAt(log, machine, seq)?.hash ?? hash) !== hash;
	if (isOther()) unproved(log, machine);
	return isOther();
}

/** Takes in batches about the space without those between them: each is signed by who was a member by then. */
function takeSpace(log: Log, said: ReturnType<typeof spaceIn>): void {
	let left = said.flatMap((bytes) => {
		const read = readBatch(bytes, { space: log.space.id, project: null });
		if (typeof read === "string") throw new Error(read);
		const { machine, seq } = read.batch;
		if (hasOther(log, { machine, seq, hash: read.hash }))
			throw new Error("it holds another batch than the one that is here");
		return batchAt(log, machine, seq) ? [] : [{ ...read, bytes }];
	});
	for (let before = -1; left.length > 0 && left.length !== before; ) {
		before = left.length;
		left = left.filter(({ batch, hash, bytes, isSignedBy }) => {
			const member = membersIn(log).get(batch.machine);
			if (!member || !isSignedBy(member.keys)) return true;
			putBatch(log, batch.machine, { seq: batch.seq, project: null, hash, bytes });
			apply(log, batch);
			return false;
		});
	}
	if (left.length > 0) throw new Error("it holds a batch that no member signed");
}

/**
 * Two that might once write know it, one of them an owner who made it, and one of them is a member still. Where an owner is alone with
 * whoever asks, and that one can't look for itself, it is enough that the owner made it.
 */
function isConfirmed(log: Log, one: Snapshot): boolean {
	const members = membersIn(log);
	const maker = members.get(one.machine);
	if (!maker?.had.includes("owner") || !one.isSignedBy(maker.keys)) return false;
	const isAlone = [...members.values()].every(
		({ machine, role }) =>
			machine === one.machine || !mayWrite(role) || (machine === log.machine && !reaches(headsOf(log), one.heads)),
	);
	if (isAlone && maker.role === "owner") return true;
	return one.others.some(({ machine, isSignedBy }) => {
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
	if (isConfirmed(log, one)) return;
	const parts = await partsIn(carrier, one, null).catch(() => null);
	if (!parts) return;
	if (!isBorneOut(log, one, parts)) return keepFact(log.rows, place, weighed, true);
	await carrier.put(`confirm/${one.name}/${log.machine}`, signedLine("confirm", whatIs(log, one), log.keys));
	one.others = await confirmationsOf(log, carrier, one);
}

/** Whether the batches of this machine come to the same, up to there. Nothing is changed. */
function isBorneOut(log: Log, one: Snapshot, parts: ReadonlyMap<string, string>): boolean {
	const upTo = seqsOf(one.heads);
	log.rows.run("BEGIN IMMEDIATE");
	try {
		const drop = log.rows.query("DELETE FROM batches WHERE machine = ? AND seq > ?");
		for (const { machine } of headsOf(log)) drop.run(exact(machine), upTo.get(machine) ?? 0);
		rebuild(log);
		// whoever begins with it must find who confirmed it among the members
		if (!mayWrite(roleOf(log))) return false;
		if (!isReadable(log) || one.heads.some(({ machine, hash }) => headOf(log, machine).hash !== hash)) return false;
		const [own, theirs] = [partsOf(log), textsIn(log, one, parts)];
		return own.size === theirs.size && [...own].every(([name, text]) => theirs.get(name) === text);
	} catch {
		return false;
	} finally {
		log.rows.run("ROLLBACK");
	}
}

/** Whether nothing that others can read is hidden from this machine, and all is here that a writer of what is here had seen. */
function isReadable(log: Log): boolean {
	const isOpen = (epoch: string): boolean => keysIn(log).has(epoch) || !isEpoch(log, epoch);
	return (
		Object.keys(floorsIn(log)).length === 1 &&
		missingIn(log).length === 0 &&
		batchesOf(log).every(({ batch }) => batch && (!batch.epoch || isOpen(batch.epoch)))
	);
}

/** Makes a snapshot where one is due, or the carrier lost the one that stands for batches; removes what a further one makes needless. */
async function make(log: Log, carrier: Carrier, all: readonly Snapshot[], isWanted: boolean): Promise<void> {
	const standing = all.filter((one) => isConfirmed(log, one));
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
		Math.abs(log.now() - at) < DAY_MS && roleOf(log, machine) === "owner";
	if (waiting.some(isFresh) || !(isLost || isWanted) || !isReadable(log)) return;
	if (isSealed(log) && !sealingKey(log)) return;
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
