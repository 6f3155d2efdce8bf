import { exact } from "../core/redact/secrets.ts";
import { safeDeep } from "../core/text/text.ts";
import { coded } from "../files/system-failure.ts";
import { parseObject } from "../store/json-file.ts";
import {
	areOperations,
	type Batch,
	carriedOf,
	IS_OF_SPACE,
	type Operation,
	operationId,
	placeOf,
	readBatch,
} from "./batch.ts";
import type { Carried } from "./carrier.ts";
import { BEGINNING, type Clock, lastMoment, nextClock } from "./clock.ts";
import { isSealed, keysIn, sealingKey } from "./epochs.ts";
import { seal, unseal } from "./keys.ts";
import { grantedIn, mayWrite } from "./members.ts";
import {
	floorsOf,
	type Head,
	headOf,
	headsOf,
	isSharedWith,
	type Log,
	membersIn,
	NOT_SHARED,
	provedOf,
	roleOf,
	vectorOf,
} from "./state.ts";
import { factOf, inStep, keepFact } from "./tables.ts";

/** A batch holds so many operations, and bytes of them: sealed they take a third more, and `MAX_BATCH` is its end. */
const [MANY, FULL] = [500, 256 * 1024];

/** Writes what this machine has to say, in order, in as few batches as hold it. Gives the ids of the operations. */
export function write(log: Log, project: string | null, ops: readonly Operation[]): string[] {
	const ids: string[] = [];
	for (let from = 0; from < ops.length; from = ids.length) {
		let [to, bytes] = [from, 0];
		while (to < ops.length && to - from < MANY) {
			bytes += Buffer.byteLength(JSON.stringify(ops[to]));
			if (to > from && bytes > FULL) break;
			to++;
		}
		ids.push(...writeBatch(log, project, ops.slice(from, to)));
	}
	return ids;
}

function writeBatch(log: Log, project: string | null, ops: Operation[]): string[] {
	return inStep(log.rows, () => {
		const head = headOf(log, log.machine);
		refuseWriting(log, head, project);
		const clock = nextClock(lastClock(log), log.now());
		keepFact(log.rows, "clock", clock);
		const others = headsOf(log).flatMap(({ machine }) => (machine === log.machine ? [] : machine));
		const seen = Object.fromEntries(others.map((one) => [one, provedOf(log, one)]).filter(([, seq]) => seq !== 0));
		const place = { v: 1, space: log.space.id, machine: log.machine, seq: head.seq + 1, prev: head.hash } as const;
		const plain: Batch = { ...place, clock, project, seen, ops };
		const sealing = project === null ? null : sealingKey(log);
		if (project !== null && !sealing && isSealed(log))
			throw coded("ENOKEY", `the space is encrypted, and ${whoGivesKeys(log)}`);
		const sealed = sealing && { ops: seal(JSON.stringify(ops), sealing.key, aboutOf(plain)), epoch: sealing.epoch };
		const batch = { ...plain, ...sealed };
		keep(log, carriedOf(batch, log.keys), batch);
		return ops.map((_, i) => operationId(batch, i));
	});
}

const whoGivesKeys = (log: Log): string =>
	[...membersIn(log).values()].some(({ role }) => role === "owner")
		? "an owner's next exchange gives this machine its key"
		: "no owner is left to give this machine a key: ccg sync leave --force, and begin with another";

/** What is written next lies behind all that this machine wrote, and all that stands. */
function lastClock({ rows, now }: Log): Clock {
	const heard = rows.query("SELECT max(clock) FROM live WHERE clock <= ?").values(lastMoment(now()));
	return [factOf<Clock>(rows, "clock") ?? BEGINNING, String(heard[0]?.[0] ?? BEGINNING)].sort()[1]!;
}

/** A chain that goes on in two ways is none: whoever lost the end of its own must not write another. */
function refuseWriting(log: Log, { seq, seen }: Head, project: string | null): void {
	const role = roleOf(log);
	if (role === "none") throw coded("EREMOVED", "this machine is no member of the space (any more); join it again");
	if (!isSharedWith(log, project)) throw coded("EPROJECT", NOT_SHARED);
	if (seen > seq)
		throw coded(
			"EFORK",
			`others have seen ${seen} batches of this machine, and it has ${seq}: its store was restored or copied. Pull first; where that does not bring them back, leave and join anew`,
		);
}

const aboutOf = ({ space, machine, seq }: Batch): string => `${space}:${machine}:${seq}`;

/** What became of a batch that came: it is `new`, was `known`, comes too early (`gap`), or why it is not applied. */
export type Received = "new" | "known" | "gap" | { why: string; isFork?: boolean };

/**
 * Takes in a batch of a member, if it is signed by it, follows on the one before, and was written while it was a member. All of it is
 * on the disk when this returns, or nothing.
 */
export function receive(log: Log, machine: string, carried: Carried): Received {
	return inStep(log.rows, () => {
		const head = headOf(log, machine);
		if (isWithheld(carried)) return passOver(log, machine, carried, head);
		const { seq, project, bytes } = carried;
		const read = readBatch(bytes, { space: log.space.id, machine, seq, project });
		if (typeof read === "string") return { why: read };
		const member = membersIn(log).get(machine);
		if (!member) return { why: "no member wrote it" };
		if (!read.isSignedBy(member.keys)) return { why: "the signature is not that machine's" };
		const { batch, hash } = read;
		if (batch.seq > head.seq + 1) return "gap";
		if (batch.seq > head.seq) {
			if (batch.prev !== head.hash) return unproved(log, machine) ?? { why: "it does not follow on the one before" };
			if (member.roleAt(batch.seq) === "none") return { why: "it was written after the machine was removed" };
		} else {
			const had = batchAt(log, machine, batch.seq);
			const known = had?.hash ?? (batch.seq === head.seq ? head.hash : hash);
			if (known !== hash)
				return unproved(log, machine) ?? { why: "there are two different ones of this number", isFork: true };
			// its project may be shared with this machine since
			if (!had || !isWithheld(had)) return "known";
		}
		keep(log, { ...carried, hash }, batch);
		return "new";
	});
}

const isWithheld = ({ project, bytes, hash }: Carried): boolean =>
	bytes.length === 0 && project !== null && /^[0-9a-f]{64}$/.test(hash ?? "");

/** Of a batch that is not for this machine the hash is kept: the next one must follow on it. */
function passOver(log: Log, machine: string, carried: Carried, head: Head): Received {
	const { seq, hash = "" } = carried;
	if (seq <= head.seq) return "known";
	if (machine === log.machine) return { why: "the server withholds it from its writer", isFork: true };
	if (seq > head.seq + 1) return "gap";
	putBatch(log, machine, { ...carried, hash });
	moveHead(log, machine, seq, hash);
	return "new";
}

/**
 * What a server says of a batch that it withholds proves nothing. Where a signed one says otherwise, all that stands behind the last signed
 * one goes, and the next exchange reads it anew; `null`: nothing does.
 */
export function unproved(log: Log, machine: string): Received | null {
	const drop = log.rows.query("DELETE FROM batches WHERE machine = ? AND seq > ?");
	if (drop.run(exact(machine), provedOf(log, machine)).changes === 0) return null;
	rebuild(log);
	return { why: "the server said otherwise of one before it; the next exchange reads them again" };
}

/** A batch as it is kept. */
type Kept = Required<Carried>;

export const batchAt = ({ rows }: Log, machine: string, seq: number): Kept | null =>
	rows.query<Kept, [string, number]>("SELECT * FROM batches WHERE machine = ? AND seq = ?").get(machine, seq);

export function putBatch({ rows }: Log, machine: string, { seq, project, hash, bytes }: Kept): void {
	const insert = rows.query("INSERT OR REPLACE INTO batches VALUES(?, ?, ?, ?, ?)");
	insert.run(exact(machine), seq, project === null ? null : exact(project), exact(hash), bytes);
}

/** By machine the first batch that was withheld, of these projects (`null`: all). */
export function withheldIn({ rows }: Log, projects: readonly string[] | null): Map<string, number> {
	const sql = `SELECT machine, min(seq) FROM batches
		WHERE length(bytes) = 0 AND (?1 IS NULL OR project IN (SELECT value FROM json_each(?1))) GROUP BY machine`;
	return new Map(rows.query(sql).values(projects && JSON.stringify(projects)) as [string, number][]);
}

function keep(log: Log, carried: Kept, batch: Batch): void {
	const { machine, seq, project } = batch;
	putBatch(log, machine, carried);
	const before = judgedBy(log);
	apply(log, batch);
	moveHead(log, machine, seq, carried.hash);
	settle(log);
	// what was applied already may count otherwise by now
	if (project === null && judgedBy(log) !== before) rebuild(log);
}

/** By what the batches were judged that were applied so far. */
function judgedBy(log: Log): string {
	const members = membersIn(log);
	const rules = [...vectorOf(log).keys()].map((machine) => members.get(machine)?.rules ?? "");
	return [...rules, ...keysIn(log).keys()].join("\n");
}

export function apply(log: Log, batch: Batch): void {
	const { machine, seq, project, clock } = batch;
	const role = membersIn(log).get(machine)?.roleAt(seq) ?? "none";
	const about = project === null ? null : exact(project);
	for (const [index, op] of (operationsOf(log, batch) ?? []).entries()) {
		const isOfSpace = IS_OF_SPACE.test(op.item);
		// who may say what is of the space is judged where it is read: it depends on what may come later
		const may = isOfSpace || mayWrite(role);
		if (isOfSpace !== (project === null) || !may) continue;
		const id = exact(operationId(batch, index));
		const place = [exact(op.item), exact(op.field)] as const;
		// (also one that did not come yet: it will not stand when it comes)
		const replaced = log.rows.query("INSERT OR REPLACE INTO live VALUES(?, ?, ?, ?, NULL, '', ?)");
		if (!isOfSpace)
			for (const one of op.replaces ?? []) replaced.run(exact(one), exact(placeOf(one).machine), ...place, about);
		const value = isOfSpace ? saidOf(op) : safeDeep(op.value);
		if (value === undefined) continue;
		log.rows
			.query("INSERT OR IGNORE INTO live VALUES(?, ?, ?, ?, ?, ?, ?)")
			.run(id, exact(machine), ...place, exact(JSON.stringify(value)), exact(clock), about);
	}
	for (const [other, last] of Object.entries(batch.seen)) wasSeen(log, other, last);
}

/** What owners say is of a few forms. */
const saidOf = ({ item, value }: Operation): unknown =>
	item.startsWith("member:")
		? (grantedIn(item.slice("member:".length), value) ?? undefined)
		: typeof value === "string" && value.length < 400
			? value
			: undefined;

/** The operations of a batch; `null` where they are sealed and the key is not here (yet), or hold what nobody writes. */
export function operationsOf(log: Log, batch: Batch): Operation[] | null {
	if (typeof batch.ops !== "string") return batch.ops;
	const key = keysIn(log).get(batch.epoch ?? "");
	const text = key && unseal(batch.ops, key, aboutOf(batch));
	const ops = text ? parseObject(`{"ops":${text}}`, 2)?.ops : null;
	return areOperations(ops, batch) ? ops : null;
}

/** What was replaced, and came, need not be known any more. */
const settle = ({ rows }: Log): void =>
	void rows
		.query(
			`DELETE FROM live WHERE value IS NULL
			AND EXISTS (SELECT 1 FROM heads WHERE machine = live.machine AND seq >= CAST(substr(id, 34) AS INTEGER))
			AND NOT EXISTS (SELECT 1 FROM batches
				WHERE machine = live.machine AND seq = CAST(substr(id, 34) AS INTEGER) AND length(bytes) = 0)`,
		)
		.run();

const moveHead = ({ rows }: Log, machine: string, seq: number, hash: string): void =>
	void rows
		.query(
			"INSERT INTO heads VALUES(?1, ?2, ?3, 0) ON CONFLICT(machine) DO UPDATE SET seq = ?2, hash = ?3 WHERE seq < ?2",
		)
		.run(exact(machine), seq, exact(hash));

const wasSeen = ({ rows }: Log, machine: string, seq: number): void =>
	void rows
		.query("INSERT INTO heads VALUES(?1, 0, '', ?2) ON CONFLICT(machine) DO UPDATE SET seen = max(seen, ?2)")
		.run(exact(machine), seq);

/** Makes the state anew: of what snapshots put in the place of batches, and every batch behind that which counts still. */
export function rebuild(log: Log): void {
	inStep(log.rows, () => {
		const members = membersIn(log);
		for (const [machine, seq] of vectorOf(log)) {
			const { roleAt } = members.get(machine) ?? { roleAt: () => "none" };
			// (its own chain stays: taken in again it goes on from there)
			if (machine === log.machine) continue;
			let last = seq;
			while (last > 0 && roleAt(last) === "none") last--;
			// (a snapshot may have brought some beyond)
			if (last < seq) log.rows.query("DELETE FROM batches WHERE machine = ? AND seq > ?").run(exact(machine), last);
		}
		log.rows.run(`DELETE FROM live; UPDATE heads SET seq = 0, hash = '', seen = 0;
			INSERT INTO live SELECT * FROM base`);
		const read = batchesOf(log);
		// first who is a member and which keys there are: the rest is judged by that
		for (const isOfSpace of [true, false])
			for (const { batch } of read) if (batch && (batch.project === null) === isOfSpace) apply(log, batch);
		// (not before: a head says that all up to it was applied)
		for (const { machine, seq, hash } of [...floorsOf(log), ...read]) moveHead(log, machine, seq, hash);
		settle(log);
	});
}

/** The batches that are here, in order; `batch` is null for one that was withheld. */
export function batchesOf({ rows, space }: Log): { machine: string; seq: number; hash: string; batch: Batch | null }[] {
	return rows
		.query<Kept & { machine: string }, []>("SELECT * FROM batches ORDER BY machine, seq")
		.all()
		.map(({ machine, seq, project, hash, bytes }) => {
			const read = readBatch(bytes, { space: space.id, machine, seq, project });
			return { machine, seq, hash, batch: typeof read === "string" ? null : read.batch };
		});
}
