import fc from "fast-check";
import { errorCode } from "../../src/files/system-failure.ts";
import type { Operation } from "../../src/sync/batch.ts";
import type { Carried } from "../../src/sync/carrier.ts";
import type { Role } from "../../src/sync/members.ts";
import type { Log } from "../../src/sync/state.ts";
import { memoryCarrier, newShelf, type Shelf } from "./sync-carrier.ts";

/** The part of `src/sync` that a history runs on: itself, or one with a fault planted in it. */
export interface Core {
	log: typeof import("../../src/sync/log.ts");
	state: typeof import("../../src/sync/state.ts");
	keys: typeof import("../../src/sync/keys.ts");
	tables: typeof import("../../src/sync/tables.ts");
	exchange: typeof import("../../src/sync/exchange.ts");
	batch: typeof import("../../src/sync/batch.ts");
	epochs: typeof import("../../src/sync/epochs.ts");
}

/** Machines, the root first. */
const MACHINES = 4;
const DAY = 24 * 60 * 60_000;
const PROJECTS = ["a", "b"].map((letter) => letter.repeat(32));

export type Step =
	/** Changes a note: `mask` says which of the values that stand there it replaces. */
	| { do: "change"; who: number; note: number; how: "text" | "delete" | "settle"; mask: number }
	/** Pulls and pushes; is killed at a step of it, or in a transaction. */
	| { do: "sync"; who: number; killAt: number; inWrite: boolean }
	/** A part of what one machine's folder holds of a writer comes to another's; `back`: also where that goes back. */
	| { do: "deliver"; from: number; to: number; writer: number; part: number; back: boolean }
	/** What a machine wrote comes to another, which takes it in. */
	| { do: "tell"; from: number; to: number }
	| { do: "clock"; who: number; offset: number }
	| { do: "grant"; by: number; who: number; role: Role };

const who = fc.nat(MACHINES - 1);
const STEP: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.record({
			do: fc.constant("change" as const),
			who,
			note: fc.nat(2),
			how: fc.constantFrom("text" as const, "text" as const, "delete" as const, "settle" as const),
			mask: fc.constantFrom(-1, -1, -1, 1, 2, 0),
		}),
	},
	{
		weight: 8,
		arbitrary: fc.record({
			do: fc.constant("sync" as const),
			who,
			killAt: fc.oneof(fc.constant(-1), fc.nat(30)),
			inWrite: fc.boolean(),
		}),
	},
	{
		weight: 8,
		arbitrary: fc.record({
			...{ do: fc.constant("deliver" as const), from: who, to: who, writer: who },
			...{ part: fc.nat(4), back: fc.boolean() },
		}),
	},
	{ weight: 8, arbitrary: fc.record({ do: fc.constant("tell" as const), from: who, to: who }) },
	{
		weight: 1,
		arbitrary: fc.record({ do: fc.constant("clock" as const), who, offset: fc.integer({ min: -DAY, max: DAY }) }),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			...{ do: fc.constant("grant" as const), by: fc.nat(1), who },
			role: fc.constantFrom<Role>("none", "writer", "reader", "owner"),
		}),
	},
);

export const HISTORY = fc.record({
	steps: fc.array(STEP, { minLength: 20, maxLength: 80 }),
	isSealed: fc.boolean(),
});
export type History = typeof HISTORY extends fc.Arbitrary<infer T> ? T : never;

class Killed extends Error {}

/** Runs a history to its end: everything is delivered, everybody pulls and pushes. Throws what is not as it must be. */
export async function runHistory(core: Core, { steps, isSealed }: History, folder: string): Promise<void> {
	let ms = Date.parse("2026-11-24T10:00:00Z");
	let armed = false;
	const root = core.keys.newKeys();
	const space = { id: "5".repeat(32), root: core.keys.publicOf(root), nonce: "" };
	const open = (i: number) => core.tables.openSync(`${folder}/${i}.sqlite`, true)!;
	const machines = Array.from({ length: MACHINES }, (_, i) => {
		const [keys, shelf, own] = [i === 0 ? root : core.keys.newKeys(), newShelf(), open(i)];
		const machine = { i, keys, shelf, own, offset: 0, log: null as unknown as Log, written: [] as string[] };
		const now = (): number => {
			if (armed) throw new Killed();
			ms += 1;
			return ms + machine.offset;
		};
		const start = (): void => {
			machine.own.rows.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
			machine.log = core.state.logOf(machine.own.rows, space, keys, now);
		};
		start();
		const restart = (): void => {
			machine.own.close();
			machine.own = open(i);
			start();
		};
		return {
			...machine,
			restart,
			get log() {
				return machine.log;
			},
		}; // prettier-ignore
	});
	const at = (i: number) => machines[i]!;

	const grant = (by: Log, about: Log, role: Role): void => {
		const since = core.state.membersIn(by).has(about.machine) ? core.state.headOf(by, about.machine).seq : -1;
		const value = { ...core.keys.publicOf(about.keys), role, since, name: "m", person: "p" };
		core.log.write(by, null, [{ item: `member:${about.machine}`, field: "role", value }]);
		const missing = core.epochs.missingKeys(by);
		if (missing.length > 0) core.log.write(by, null, missing);
	};
	if (isSealed) core.log.write(at(0).log, null, core.epochs.firstEpoch(at(0).log));
	for (const [i, role] of (["owner", "writer", "writer"] as const).entries()) grant(at(0).log, at(i + 1).log, role);

	const sync = async (i: number, kill = -1, inWrite = false): Promise<void> => {
		let left = kill;
		const step = (): void => {
			if (left-- === 0) throw new Killed();
		};
		const carrier = memoryCarrier(at(i).shelf, { before: step, after: step });
		armed = inWrite && kill >= 0;
		try {
			if (kill % 2 === 0) await core.exchange.push(at(i).log, carrier);
			await core.exchange.pull(at(i).log, carrier);
			const keys = core.epochs.missingKeys(at(i).log);
			if (keys.length > 0) core.log.write(at(i).log, null, keys);
			await core.exchange.push(at(i).log, carrier);
		} catch (error) {
			if (!(error instanceof Killed)) throw error;
			at(i).restart();
		} finally {
			armed = false;
		}
	};

	for (const [n, step] of steps.entries()) {
		ms += 60_000;
		if (step.do === "clock") at(step.who).offset = step.offset;
		if (step.do === "sync") await sync(step.who, step.killAt, step.inWrite);
		if (step.do === "deliver") deliver(at(step.from).shelf, at(step.to).shelf, at(step.writer).log.machine, step);
		if (step.do === "tell") {
			await sync(step.from);
			deliver(at(step.from).shelf, at(step.to).shelf, at(step.from).log.machine, { part: 4, back: false });
			await sync(step.to);
		}
		const isOwner = (log: Log): boolean => core.state.membersIn(log).get(log.machine)?.role === "owner";
		if (step.do === "grant" && step.who > step.by && isOwner(at(step.by).log))
			grant(at(step.by).log, at(step.who).log, step.role);
		if (step.do === "change") change(core, at(step.who), step, `text ${n} of ${step.who}`);
	}

	for (let round = 0; round < 6; round++) {
		for (const { i } of machines) await sync(i);
		for (const from of machines)
			for (const to of machines) deliver(from.shelf, to.shelf, from.log.machine, { part: 4, back: false });
	}
	check(core, machines);
	for (const { own } of machines) own.close();
}

/** Copies what one folder holds of a writer into another: of a part its beginning. */
function deliver(from: Shelf, to: Shelf, writer: string, { part, back }: { part: number; back: boolean }): void {
	const all = from.batches.get(writer) ?? [];
	const some = all.slice(0, Math.ceil((all.length * part) / 4));
	if (back || some.length >= (to.batches.get(writer)?.length ?? 0)) to.batches.set(writer, some);
}

interface Running {
	log: Log;
	written: string[];
}

function change(core: Core, { log, written }: Running, step: Step & { do: "change" }, text: string): void {
	const role = core.state.membersIn(log).get(log.machine)?.role;
	if (role !== "writer" && role !== "owner") return;
	const item = `note:${step.note}`;
	const project = PROJECTS[step.note % 2]!;
	const there = core.state.valuesOf(log, item).filter((one) => one.item === item && one.field === "text");
	const replaces = there.filter((_, i) => (step.mask >> i) & 1).map(({ id }) => id);
	if (step.how !== "text" && replaces.length === 0) return;
	const value = { text, delete: null, settle: undefined }[step.how];
	const op: Operation = { item, field: "text", replaces, ...(value !== undefined && { value }) };
	try {
		written.push(...core.log.write(log, project, [op]));
	} catch (error) {
		// taken in, and the key has not come yet
		if (errorCode(error) !== "ENOKEY") throw error;
	}
}

/** What must hold in the end; throws where it does not. */
function check(core: Core, machines: readonly Running[]): void {
	const members = core.state.membersIn(machines[0]!.log);
	same("the machines that somebody took in", members.size, MACHINES);
	const isIn = ({ log }: Running): boolean => (members.get(log.machine)?.role ?? "none") !== "none";
	const inside = machines.filter(isIn);
	const chains = inside.map(({ log }) => {
		const sql = "SELECT machine, seq, project, bytes FROM batches ORDER BY machine, seq";
		return log.rows.query<Carried & { machine: string }, []>(sql).all();
	});
	const state = ({ log }: Running): string[] =>
		core.state.valuesOf(log, "").map((one) => `${one.id} ${one.item} ${one.field} ${JSON.stringify(one.value)}`);
	// (of a machine that was removed something may stay that never comes)
	const gone = ({ log }: Running): unknown => log.rows.query("SELECT * FROM gone ORDER BY id, item, field").values();
	for (const [i, one] of inside.entries()) {
		same(
			`the batches of ${i}`,
			chains[i]!.map((b) => `${b.machine} ${b.seq}`),
			chains[0]!.map((b) => `${b.machine} ${b.seq}`),
		); // prettier-ignore
		same(`the state of ${i}`, state(one), state(inside[0]!));
		same(`what is replaced before it came at ${i}`, gone(one), gone(inside[0]!));
	}
	// a model of one line: what was written by whoever might, and nobody replaced
	const key = core.epochs.keysIn(machines[0]!.log);
	const ops = chains[0]!.flatMap((one) => {
		const { batch } = core.batch.readBatch(one, { space: machines[0]!.log.space.id, machine: one.machine }) as {
			batch: import("../../src/sync/batch.ts").Batch;
		};
		if (key.size > 0 && batch.project !== null) same("a sealed batch", typeof batch.ops, "string");
		const about = `${batch.space}:${batch.machine}:${batch.seq}`;
		const list =
			typeof batch.ops === "string" ? core.keys.unseal(batch.ops, key.get(batch.epoch!)!, about)! : batch.ops;
		const role = members.get(one.machine)!.roleAt(one.seq);
		const all = (typeof list === "string" ? JSON.parse(list) : list) as Operation[];
		return all
			.map((op, i) => ({ op, id: core.batch.operationId(batch, i) }))
			.filter(({ op }) => op.item.startsWith("note:") && (role === "writer" || role === "owner"));
	});
	const replaced = new Set(ops.flatMap(({ op }) => op.replaces ?? []));
	const model = ops
		.filter(({ op, id }) => op.value !== undefined && !replaced.has(id))
		.map(({ id }) => id)
		.sort(); // prettier-ignore
	const found = core.state.valuesOf(machines[0]!.log, "note:").map(({ id }) => id);
	same("the values that stand", found.sort(), model);
	const there = new Set(chains[0]!.map((b) => `${b.machine}:${b.seq}`));
	for (const { log, written } of machines)
		for (const id of written) {
			const place = core.batch.placeOf(id);
			if (members.get(log.machine)?.roleAt(place.seq) === "none") continue;
			if (!there.has(`${place.machine}:${place.seq}`)) throw new Error(`${id} was written and is lost`);
		}
}

function same(what: string, found: unknown, wanted: unknown): void {
	const [a, b] = [found, wanted].map((one) => JSON.stringify(one, null, 1));
	if (a !== b) throw new Error(`${what} is\n${a}\nand not\n${b}`);
}
