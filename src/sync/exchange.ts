import type { Rows } from "../store/database.ts";
import type { Carried, Carrier } from "./carrier.ts";
import { type Problem, takeSnapshots } from "./compact.ts";
import { type Range, receive, withheldIn } from "./log.ts";
import { lackingIn } from "./snapshot.ts";
import { floorsOf, headOf, type Log, membersIn, seqsOf } from "./state.ts";
import { factOf, keepFact } from "./tables.ts";

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
	const pulled: Pulled = { received: 0, problems: [], strangers: [] };
	const all = [...heads].reduce((sum, [machine, { to }]) => sum + Math.max(0, to - headOf(log, machine).seq), 0);
	pulled.problems.push(...(await takeSnapshots(log, carrier)), ...(await takeWithheld(log, carrier, heads)));
	const stopped = new Set<string>();
	// who is a member may stand in what is read first
	for (let isNew = true; isNew; ) {
		isNew = false;
		for (const [machine, { from, to }] of heads) {
			const member = membersIn(log).get(machine);
			if (!member || stopped.has(machine)) continue;
			const before = headOf(log, machine).seq;
			// what a removed one wrote since is nobody's
			if (member.roleAt(before + 1) === "none") continue;
			if (from > before + 1)
				pulled.problems.push({ machine, seq: before + 1, why: "it went into a snapshot that is not here" });
			else if (machine === log.machine || to > before) {
				// the last that is here is looked at again: there must be no other of its number
				const at = machine === log.machine ? Math.max(from, Math.min(before, to)) : before + 1;
				const one = (): void => {
					pulled.received++;
					progress?.(pulled.received, all);
				};
				const problem = await take(log, carrier, { machine, at, to }, one);
				if (problem) pulled.problems.push(problem);
			}
			stopped.add(machine);
			isNew ||= headOf(log, machine).seq > before;
		}
	}
	// a key may have come to what a snapshot holds
	if (Object.keys(lackingIn(log)).length > 0) pulled.problems.push(...(await takeSnapshots(log, carrier)));
	const members = membersIn(log);
	pulled.strangers = [...heads.keys()].filter((machine) => !members.has(machine));
	pulled.problems.push(...missing(log, pulled.problems));
	return pulled;
}

/** Reads again what was withheld, where other projects are shared with this machine than the last time. */
async function takeWithheld(log: Log, carrier: Carrier, heads: Awaited<ReturnType<Carrier["heads"]>>) {
	const sees = await carrier.sees?.();
	if (sees === undefined || `${sees}` === `${factOf(log.rows, "sees")}`) return [];
	const problems: Problem[] = [];
	for (const { machine, at, to } of withheldIn(log, sees)) {
		const head = heads.get(machine);
		// the older ones may have gone into a snapshot
		const problem = head && (await take(log, carrier, { machine, at: Math.max(at, head.from), to }, () => {}));
		if (problem) problems.push(problem);
	}
	if (problems.length === 0) keepFact(log.rows, "sees", sees, true);
	return problems;
}

async function take(log: Log, carrier: Carrier, { machine, at, to }: Range, one: () => void): Promise<Problem | null> {
	for (let next = at; next <= to; ) {
		const given = await carrier.read(machine, next);
		for (const carried of given) {
			if (carried.seq < next) continue;
			const got = receive(log, machine, carried);
			if (got === "gap") break;
			if (typeof got === "object") return { machine, seq: carried.seq, ...(await sharper(log, carrier, machine, got)) };
			if (got === "new") one();
			next = carried.seq + 1;
		}
		if (!given.some(({ seq }) => seq === next - 1)) return { machine, seq: next, why: "it is not there" };
	}
	return null;
}

/** A chain that does not go on may have gone another way before. */
async function sharper(log: Log, carrier: Carrier, machine: string, problem: { why: string; isFork?: boolean }) {
	const { seq } = headOf(log, machine);
	if (seq === 0 || problem.isFork || !problem.why.includes("follow")) return problem;
	const [last] = await carrier.read(machine, seq, 1);
	const before = last?.seq === seq ? receive(log, machine, last) : "known";
	return typeof before === "object" ? before : problem;
}

/** Batches that a member says to have seen, and nobody gives: the end of a chain was cut off, or has not come yet. */
function missing(log: Log, told: readonly Problem[]): Problem[] {
	const rows = log.rows.query<{ machine: string; seq: number; seen: number }, []>(
		"SELECT * FROM heads WHERE seen > seq",
	);
	return rows.all().flatMap(({ machine, seq, seen }) => {
		const isCut =
			membersIn(log)
				.get(machine)
				?.roleAt(seq + 1) === "none";
		if (isCut || told.some((one) => one.machine === machine)) return [];
		return [{ machine, seq: seen, why: "another machine has seen it, and it is not there" }];
	});
}

/** Gives a carrier what it lacks of this machine's batches. Cut short anywhere, the next one goes on from there. */
export async function push(log: Log, carrier: Carrier, progress?: Progress): Promise<number> {
	const floor = seqsOf(floorsOf(log)).get(log.machine) ?? 0;
	const there = (await carrier.heads()).get(log.machine)?.to ?? 0;
	// it lost some that a snapshot stands for
	if (there > 0 && there < floor) await carrier.forget(log.machine, floor);
	const held = Math.max(there, floor);
	const all = headOf(log, log.machine).seq - held;
	let sent = 0;
	for (let next = held + 1; ; ) {
		const batches = ownFrom(log.rows, log.machine, next);
		if (batches.length === 0) break;
		await carrier.append(log.machine, batches);
		sent += batches.length;
		next = batches.at(-1)!.seq + 1;
		progress?.(sent, all);
	}
	await carrier.push();
	return sent;
}

/** So many go at once: at most 8 MB. */
const AT_ONCE = 16;

const ownFrom = (rows: Rows, machine: string, seq: number): Carried[] =>
	rows
		.query<Carried, [string, number]>(
			`SELECT seq, project, bytes FROM batches WHERE machine = ? AND seq >= ? ORDER BY seq LIMIT ${AT_ONCE}`,
		)
		.all(machine, seq);
