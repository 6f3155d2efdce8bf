import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { errorCode } from "../../src/files/system-failure.ts";
import type { Operation } from "../../src/sync/batch.ts";
import type { Carried, Carrier } from "../../src/sync/carrier.ts";
import type { Role } from "../../src/sync/members.ts";
import type { Log } from "../../src/sync/state.ts";
import { type Action, type History, historyOf, MACHINES, PROJECTS } from "./sync-actions.ts";
import type { Core } from "./sync-core.ts";
import { type Delivery, documentOf, type MakeWay, SPACE, type Step } from "./sync-ways.ts";

/** Runs so many histories, of at most so many actions; stops at the first that fails. */
export function histories(core: Core, way: MakeWay, runs: number, length = 80) {
	const run = async (history: History): Promise<void> => {
		const base = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "ccg-history-"));
		try {
			await runHistory(core, way, history, base);
		} finally {
			rmSync(base, { recursive: true });
		}
	};
	return fc.check(fc.asyncProperty(historyOf(length), run), { numRuns: runs, endOnFailure: true });
}

/** What was written, as it was written: the model is made of this, not of what a replica says to hold. */
interface Written {
	machine: string;
	seq: number;
	ops: { id: string; op: Operation }[];
	/** The key that it is sealed with. */
	epoch: string | undefined;
}

/** (a file may be cut within a sign) */
const TEXT = "n\u00f6te \u{1f642}";

class Killed extends Error {}

/** Runs a history to its end: everything is delivered, everybody pulls and pushes. Throws what is not as it must be. */
async function runHistory(core: Core, make: MakeWay, { actions, isSealed }: History, base: string): Promise<void> {
	let ms = Date.parse("2026-11-24T10:00:00Z");
	const root = core.keys.newKeys();
	const space = { id: SPACE, root: core.keys.publicOf(root), nonce: "" };
	const open = (i: number) => core.tables.openSync(join(base, `${i}.sqlite`), true)!;
	const machines = Array.from({ length: MACHINES }, (_, i) => {
		const keys = i === 0 ? root : core.keys.newKeys();
		const machine = {
			i,
			own: open(i),
			offset: 0,
			isArmed: false,
			document: null as string | null,
			log: null as unknown as Log,
		};
		const now = (): number => {
			if (machine.isArmed) throw new Killed();
			ms += 1;
			return ms + machine.offset;
		};
		const start = (): void => {
			machine.own.rows.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
			const query = machine.own.rows.query.bind(machine.own.rows);
			const armed = (sql: string) => {
				if (machine.isArmed && sql.includes("INTO heads")) throw new Killed();
				return query(sql);
			};
			machine.log = core.state.logOf(Object.assign(machine.own.rows, { query: armed }), space, keys, now);
		};
		start();
		const restart = (): void => {
			machine.own.close();
			machine.own = open(i);
			start();
		};
		return Object.assign(machine, { restart });
	});
	const at = (i: number) => machines[i]!;
	const ids = machines.map(({ log }) => log.machine);
	const way = await make(core, base, ids);
	const ledger: Written[] = [];
	const write = (log: Log, project: string | null, ops: Operation[]): void => {
		const written = core.log.write(log, project, ops);
		const { seq } = core.batch.placeOf(written[0]!);
		const kept = log.rows.query("SELECT bytes FROM batches WHERE machine = ? AND seq = ?").values(log.machine, seq);
		const epoch = /"epoch":"(\w+)"/.exec(text(kept[0]![0] as Buffer)!)?.[1];
		ledger.push({ machine: log.machine, seq, ops: ops.map((op, i) => ({ id: written[i]!, op })), epoch });
		if (isSealed && project !== null) same("a sealed text's place", text(kept[0]![0] as Buffer)!.indexOf(TEXT), -1);
	};
	const writeKeys = (log: Log): void => {
		const missing = core.epochs.missingKeys(log);
		if (missing.length > 0) write(log, null, missing);
	};
	const grant = (by: Log, about: Log, role: Role): void => {
		const since = core.state.membersIn(by).has(about.machine) ? core.state.headOf(by, about.machine).seq : -1;
		const value = { ...core.keys.publicOf(about.keys), role, since, name: "m", person: "p" };
		write(by, null, [{ item: `member:${about.machine}`, field: "role", value }]);
		writeKeys(by);
	};
	if (isSealed) write(at(0).log, null, core.epochs.firstEpoch(at(0).log));
	for (const [i, role] of (["owner", "writer", "writer"] as const).entries()) grant(at(0).log, at(i + 1).log, role);

	/** Pulls, pushes and compacts; `least`: what makes a snapshot due. A machine that is killed does nothing more, not even what it would do behind a failure. */
	const sync = async (i: number, kill = -1, inWrite = false, least?: number): Promise<void> => {
		let left = kill;
		const death = Promise.withResolvers<never>();
		const step: Step = async (last) => {
			if (left-- !== 0) return;
			await last?.();
			death.reject(new Killed());
			await new Promise(() => {});
		};
		const work = async (): Promise<void> => {
			const { log, document } = at(i);
			const tear = (batch: Carried): void => way.tear?.(i, batch);
			const carrier = mortal(await way.open(i, step), step, tear);
			if (kill % 2 === 0) await core.exchange.push(log, carrier);
			await core.exchange.pull(log, carrier);
			writeKeys(log);
			await keepDocument(carrier, documentOf(log.machine), document);
			await core.exchange.push(log, carrier);
			await core.compact.compact(log, carrier, least);
			await carrier.close();
		};
		at(i).isArmed = inWrite && kill >= 0;
		try {
			await Promise.race([work(), death.promise]);
		} catch (error) {
			at(i).isArmed = false;
			at(i).restart();
			await way.bury?.(i);
			if (!(error instanceof Killed)) throw error;
		} finally {
			at(i).isArmed = false;
		}
	};
	const deliver = async (one: Delivery): Promise<void> => {
		if (way.deliver) way.deliver(one);
		else if (way.crash && one.back && one.part === 0) await Promise.all([sync(one.from).catch(() => {}), way.crash()]);
		else await Promise.all([...new Set([one.from, one.to])].map((i) => sync(i)));
	};
	const whole = { part: 4, back: false, late: false };

	for (const [n, action] of actions.entries()) {
		ms += 60_000;
		if (action.do === "clock") at(action.who).offset = action.offset;
		if (action.do === "document") at(action.who).document = action.isThere ? `document ${n} of ${action.who}` : null;
		if (action.do === "sync") await sync(action.who, action.killAt, action.inWrite);
		if (action.do === "deliver") await deliver(action);
		if (action.do === "snapshot")
			for (const [from, to] of [0, 1, 0, 1].map((n) =>
				n === 0 ? [action.to, action.from] : [action.from, action.to],
			)) {
				await sync(from!, action.killAt, false, from === action.from ? 1 : undefined);
				way.deliver?.({ from: from!, to: to!, writer: from!, ...whole });
			}
		if (action.do === "tell") {
			await sync(action.from);
			way.deliver?.({ ...action, writer: action.from, ...whole });
			await sync(action.to);
		}
		const isOwner = (log: Log): boolean => core.state.membersIn(log).get(log.machine)?.role === "owner";
		if (action.do === "grant" && action.who > action.by && isOwner(at(action.by).log))
			grant(at(action.by).log, at(action.who).log, action.role);
		if (action.do === "change") {
			const { log } = at(action.who);
			const op = changeOf(core, log, action, `${TEXT} ${n} of ${action.who}`);
			try {
				if (op) write(log, PROJECTS[action.note % 2]!, [op]);
			} catch (error) {
				// taken in, and the key has not come yet
				if (errorCode(error) !== "ENOKEY") throw error;
			}
		}
	}

	for (let round = 0; round < 6; round++) {
		for (const { i } of machines) await sync(i);
		for (const from of ids.keys()) for (const to of ids.keys()) way.deliver?.({ from, to, writer: from, ...whole });
	}
	check(
		core,
		machines.map(({ log }) => log),
		ledger,
	);
	for (const { i } of machines) {
		const carrier = await way.open(i, async () => {});
		const wanted = machines
			.filter(({ document }) => document !== null)
			.map(({ log, document }) => [log.machine, document]);
		const found = (await carrier.list("confirm/h/")).map(async (name) => [
			name.split("/")[2],
			text(await carrier.get(name)),
		]);
		same(`the documents of ${i}`, await Promise.all(found), wanted.sort());
		await carrier.close();
	}
	for (const { own } of machines) own.close();
	await way.end?.();
}

const text = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString();

async function keepDocument(carrier: Carrier, name: string, wanted: string | null): Promise<void> {
	if (text(await carrier.get(name)) === wanted) return;
	await (wanted === null ? carrier.remove(name) : carrier.put(name, Buffer.from(wanted)));
}

/** The carrier of a machine that may die at each step, before it or behind it; of batches that it adds a beginning is there then. */
function mortal(carrier: Carrier, step: Step, tear: (batch: Carried) => void): Carrier {
	const get = (_: Carrier, name: keyof Carrier) => {
		const act = carrier[name] as undefined | ((...given: unknown[]) => Promise<unknown>);
		return (
			act &&
			(async (...given: unknown[]) => {
				const [machine, batches] = given as [string, Carried[]];
				await step();
				if (name === "append")
					for (const [i, batch] of batches.entries())
						await step(async () => {
							await carrier.append(machine, batches.slice(0, i));
							tear(batch);
						});
				const answer = await act(...given);
				await step();
				return answer;
			})
		);
	};
	return new Proxy(carrier, { get });
}

/** The change as an operation; `null` where this machine may not write, or nothing stands there to replace. */
function changeOf(core: Core, log: Log, action: Action & { do: "change" }, said: string): Operation | null {
	const role = core.state.membersIn(log).get(log.machine)?.role;
	if (role !== "writer" && role !== "owner") return null;
	const item = `note:${action.note}`;
	const there = core.state.valuesOf(log, item).filter((one) => one.item === item && one.field === "text");
	const replaces = there.filter((_, i) => (action.mask >> i) & 1).map(({ id }) => id);
	if (action.how !== "text" && replaces.length === 0) return null;
	const value = { text: said, delete: null, settle: undefined }[action.how];
	return { item, field: "text", replaces, ...(value !== undefined && { value }) };
}

/** What must hold in the end; throws where it does not. */
function check(core: Core, logs: readonly Log[], ledger: readonly Written[]): void {
	const members = core.state.membersIn(logs[0]!);
	same("the machines that somebody took in", members.size, MACHINES);
	const roleAt = ({ machine, seq }: Pick<Written, "machine" | "seq">): Role => members.get(machine)!.roleAt(seq);
	const inside = logs.filter(({ machine }) => roleAt({ machine, seq: Number.POSITIVE_INFINITY }) !== "none");
	const heads = ({ rows }: Log): unknown =>
		rows.query("SELECT machine, seq, hash FROM heads WHERE seq > 0 ORDER BY machine").values();
	const state = (log: Log): string[] =>
		core.state.valuesOf(log, "").map((one) => `${one.id} ${one.item} ${one.field} ${JSON.stringify(one.value)}`);
	// (of a machine that was removed something may stay that never comes)
	const gone = ({ rows }: Log): unknown =>
		rows.query("SELECT * FROM live WHERE value IS NULL ORDER BY id, item, field").values();
	for (const [i, one] of inside.entries()) {
		same(`the batches of ${i}`, heads(one), heads(inside[0]!));
		same(`the state of ${i}`, state(one), state(inside[0]!));
		same(`what is replaced before it came at ${i}`, gone(one), gone(inside[0]!));
	}
	for (const one of ledger)
		if (roleAt(one) !== "none" && core.state.headOf(inside[0]!, one.machine).seq < one.seq)
			throw new Error(`${one.machine}:${one.seq} was written and is lost`);
	// (what a snapshot holds was judged by what was known of roles when it was made)
	const floors = new Map(core.state.floorsOf(inside[0]!).map(({ machine, seq }) => [machine, seq]));
	const grants = core.state.valuesOf(inside[0]!, "member:").map(({ item, value }) => [item.slice(7), value] as const);
	const wasJudged = ({ machine, seq }: Written): boolean =>
		seq <= (floors.get(machine) ?? 0) &&
		grants.some(
			([about, value]) =>
				about === machine && (value as { since: number }).since < seq && (value as { since: number }).since >= 0,
		);
	if (ledger.some(wasJudged)) return;
	// a model of one line: what was written by whoever might, and nobody replaced
	const keys = core.epochs.keysIn(inside[0]!);
	/** Sealed with a key of an owner who was removed when it made it: whoever wrote it says it again (`src/sync/notes.ts`). */
	const isOfRemoved = ({ epoch = "" }: Written): boolean => {
		const by = ledger.find(({ ops }) => ops.some(({ op }) => op.item === `epoch:${epoch}`));
		return by !== undefined && roleAt(by) === "none" && !keys.has(epoch);
	};
	const counting = ledger.filter((one) => ["writer", "owner"].includes(roleAt(one)) && !isOfRemoved(one));
	const ops = counting.flatMap((one) => one.ops).filter(({ op }) => op.item.startsWith("note:"));
	const replaced = new Set(ops.flatMap(({ op }) => op.replaces ?? []));
	const model = ops
		.filter(({ op, id }) => op.value !== undefined && !replaced.has(id))
		.map(({ id, op }) => `${id} ${JSON.stringify(op.value)}`);
	const found = core.state.valuesOf(inside[0]!, "note:").map(({ id, value }) => `${id} ${JSON.stringify(value)}`);
	same("the values that stand", found.sort(), model.sort());
}

function same(what: string, found: unknown, wanted: unknown): void {
	const [a, b] = [found, wanted].map((one) => JSON.stringify(one, null, 1));
	if (a !== b) throw new Error(`${what} is\n${a}\nand not\n${b}`);
}
