import { type Carried, type Carrier, MACHINE } from "./carrier.ts";
import { type Problem, takeSnapshots } from "./compact.ts";
import { receive, withheldIn } from "./log.ts";
import { snapshotsIn } from "./snapshot.ts";
import { floorsOf, headOf, type Log, membersIn, missingIn, seqsOf } from "./state.ts";
import { keepFact } from "./tables.ts";

export interface Pulled {
	received: number;
	problems: Problem[];
	/** Machines that a carrier holds batches of, and nobody took in. */
	strangers: string[];
}

/** How far a long exchange is. */
export type Progress = (done: number, all: number) => void;

/**
 * Takes in what members wrote, from a carrier that may be hostile: what does not verify stops that machine's chain and is told, the
 * others go on. Cut short anywhere, the next one goes on from there.
 */
export async function pull(log: Log, carrier: Carrier, progress?: Progress): Promise<Pulled> {
	const heads = await carrier.heads();
	const sees = (await carrier.sees?.()) ?? null;
	const snapshots = await snapshotsIn(log, carrier);
	const pulled: Pulled = { received: 0, problems: [], strangers: [] };
	const all = [...heads].reduce((sum, [machine, { to }]) => sum + Math.max(0, to - headOf(log, machine).seq), 0);
	const one = (): void => {
		pulled.received++;
		progress?.(pulled.received, Math.max(all, pulled.received));
	};
	const read = new Set<string>();
	// one may bring what another needs: who is a member, or a key
	let ofSnapshots: Problem[] = [];
	for (let isNew = true; isNew; ) {
		isNew = false;
		ofSnapshots = await takeSnapshots(log, carrier, snapshots, sees);
		const withheld = withheldIn(log, sees);
		for (const [machine, { from, to }] of heads) {
			const member = membersIn(log).get(machine);
			if (!member || read.has(machine)) continue;
			const before = headOf(log, machine).seq;
			// what a removed one wrote since is nobody's
			const end = member.roleAt(before + 1) === "none" ? Math.min(before, to) : to;
			if (machine !== log.machine && end <= before && !withheld.has(machine)) continue;
			read.add(machine);
			// the last that is here is looked at again: there must be no other of its number
			const at = Math.max(from, Math.min(withheld.get(machine) ?? before, end));
			const problem =
				from > before + 1
					? { machine, seq: before + 1, why: "it went into a snapshot that is not here" }
					: await take(log, carrier, { machine, at, to: end }, one);
			if (problem) pulled.problems.push(problem);
			isNew ||= headOf(log, machine).seq > before;
		}
	}
	if (carrier.sees && withheldIn(log, sees).size === 0) keepFact(log.rows, "sees", sees, true);
	pulled.problems.unshift(...ofSnapshots);
	const members = membersIn(log);
	// (what a server calls one is told, and kept)
	pulled.strangers = [...heads.keys()].filter((machine) => MACHINE.test(machine) && !members.has(machine));
	// (the end of a chain was cut off, or has not come yet)
	for (const { machine, seen } of missingIn(log))
		if (!pulled.problems.some((one) => one.machine === machine))
			pulled.problems.push({ machine, seq: seen, why: "another machine has seen it, and it is not there" });
	return pulled;
}

async function take(
	log: Log,
	carrier: Carrier,
	{ machine, at, to }: { machine: string; at: number; to: number },
	one: () => void,
): Promise<Problem | null> {
	for (let next = at; next <= to; ) {
		const before = next;
		const given = await carrier.read(machine, next);
		for (const carried of given) {
			if (carried.seq < next) continue;
			const got = receive(log, machine, carried);
			if (got === "gap") break;
			if (typeof got === "object") return { machine, seq: carried.seq, ...got };
			if (got === "new") one();
			next = carried.seq + 1;
		}
		if (next === before) return { machine, seq: next, why: "it is not there" };
	}
	return null;
}

/** Gives a carrier what it lacks of this machine's batches. Cut short anywhere, the next one goes on from there. */
export async function push(log: Log, carrier: Carrier, progress?: Progress): Promise<number> {
	const floor = seqsOf(floorsOf(log)).get(log.machine) ?? 0;
	const there = (await carrier.heads()).get(log.machine)?.to ?? 0;
	const held = Math.max(there, floor);
	const all = headOf(log, log.machine).seq - held;
	// it lost some that a snapshot stands for, or a file of them came that is no whole one
	if (there < floor && all > 0) await carrier.forget(log.machine, floor);
	let sent = 0;
	for (let next = held + 1; ; ) {
		const batches = ownFrom(log, next);
		if (batches.length === 0) break;
		await carrier.append(log.machine, batches);
		sent += batches.length;
		next = batches.at(-1)!.seq + 1;
		progress?.(sent, all);
	}
	await carrier.push();
	return sent;
}

/** So many go at once, and bytes of them; one is smaller than that. */
const [AT_ONCE, BYTES_AT_ONCE] = [256, 8 * 1024 * 1024];

const ownFrom = ({ rows, machine }: Log, seq: number): Carried[] =>
	rows
		.query<Carried, [string, number]>(
			`WITH next AS (SELECT seq, project, bytes FROM batches WHERE machine = ? AND seq >= ? ORDER BY seq LIMIT ${AT_ONCE})
			SELECT seq, project, bytes FROM (SELECT *, sum(length(bytes)) OVER (ORDER BY seq) AS upto FROM next)
			WHERE upto <= ${BYTES_AT_ONCE} ORDER BY seq`,
		)
		.all(machine, seq);
