import { type Exact, exact } from "../core/redact/secrets.ts";
import { safeDeep } from "../core/text/text.ts";
import { coded } from "../files/system-failure.ts";
import { sha256 } from "../store/gate.ts";
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
import { BEGINNING, type Clock, heardClock, nextClock } from "./clock.ts";
import { isSealed, keysIn } from "./epochs.ts";
import { newId, seal, unseal } from "./keys.ts";
import { grantedIn, mayWrite } from "./members.ts";
import { floorsOf, type Head, headOf, isSharedWith, type Log, membersIn, NOT_SHARED, vectorOf } from "./state.ts";
import { factOf, inStep, keepFact } from "./tables.ts";

/** Writes what this machine has to say as its next batch. Gives the ids of the operations. */
export function write(log: Log, project: string | null, ops: readonly Operation[]): string[] {
	return inStep(log.rows, () => {
		const head = headOf(log, log.machine);
		refuseWriting(log, head, project);
		const clock = nextClock(factOf<Clock>(log.rows, "clock") ?? BEGINNING, log.now());
		const { [log.machine]: _, ...seen } = Object.fromEntries(vectorOf(log));
		const place = { v: 1, space: log.space.id, machine: log.machine, seq: head.seq + 1, prev: head.hash } as const;
		const plain: Batch = { ...place, clock, project, seen, ops: [...ops] };
		const [epoch, key] = (project !== null && [...keysIn(log)].at(-1)) || [];
		if (project !== null && !key && isSealed(log))
			throw coded("ENOKEY", "the space is encrypted, and an owner's next exchange gives this machine its key");
		const sealed = key && seal(JSON.stringify(ops), key, aboutOf(plain));
		const batch = sealed ? { ...plain, ops: sealed, epoch: epoch! } : plain;
		keep(log, carriedOf(batch, log.keys), batch);
		return ops.map((_, i) => operationId(batch, i));
	});
}

/** A chain that goes on in two ways is none: whoever lost the end of its own must not write another. */
function refuseWriting(log: Log, { seq, seen }: Head, project: string | null): void {
	const role = membersIn(log).get(log.machine)?.role ?? "none";
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
		const read = readBatch(carried, { space: log.space.id, machine });
		if (typeof read === "string") return { why: read };
		const member = membersIn(log).get(machine);
		if (!member) return { why: "no member wrote it" };
		if (!read.isSignedBy(member.keys)) return { why: "the signature is not that machine's" };
		const { batch, hash } = read;
		if (batch.seq > head.seq + 1) return "gap";
		if (batch.seq > head.seq) {
			if (batch.prev !== head.hash) return { why: "it does not follow on the one before" };
			if (member.roleAt(batch.seq) === "none") return { why: "it was written after the machine was removed" };
		} else {
			const had = bytesOf(log, machine, batch.seq);
			const known = had ? hashIn(had) : batch.seq === head.seq ? head.hash : hash;
			if (known !== hash) return FORKED;
			// its project may be shared with this machine since
			if (!had || !isKeptHash(had)) return "known";
		}
		keep(log, { ...carried, hash }, batch);
		return "new";
	});
}

const isWithheld = ({ project, bytes, hash }: Carried): boolean =>
	bytes.length === 0 && project !== null && /^[0-9a-f]{64}$/.test(hash ?? "");

/** Of a batch that is not for this machine the hash is kept: the next one must follow on it. */
function passOver(log: Log, machine: string, { seq, project, hash = "" }: Carried, head: Head): Received {
	if (seq <= head.seq) return "known";
	if (seq > head.seq + 1) return "gap";
	const bytes = Buffer.from(WITHHELD + hash);
	log.rows.query("INSERT INTO batches VALUES(?, ?, ?, ?)").run(exact(machine), seq, exact(project!), bytes);
	moveHead(log, machine, seq, hash);
	return "new";
}

const WITHHELD = "withheld ";

const FORKED = { why: "there are two different ones of this number", isFork: true };

export function bytesOf({ rows }: Log, machine: string, seq: number): Uint8Array | undefined {
	const sql = "SELECT bytes FROM batches WHERE machine = ? AND seq = ?";
	return rows.query<{ bytes: Uint8Array }, [string, number]>(sql).get(machine, seq)?.bytes;
}

const isKeptHash = (bytes: Uint8Array): boolean =>
	bytes.length < 100 && Buffer.from(bytes).toString().startsWith(WITHHELD);

export const hashIn = (bytes: Uint8Array): string =>
	isKeptHash(bytes) ? Buffer.from(bytes).toString().slice(WITHHELD.length) : sha256(bytes);

/** Whether the operation of this id was applied, as far as it counts. */
function wasApplied(log: Log, id: string): boolean {
	const { machine, seq } = placeOf(id);
	return seq <= headOf(log, machine).seq && !isKeptHash(bytesOf(log, machine, seq) ?? new Uint8Array());
}

/** From where to where of each machine batches lie that were withheld, of these projects (`null`: all). */
export function withheldIn({ rows }: Log, projects: readonly string[] | null): Range[] {
	const sql = `SELECT machine, min(seq) AS at, max(seq) AS "to" FROM batches
		WHERE length(bytes) < 100 AND CAST(bytes AS TEXT) LIKE '${WITHHELD}%' AND (?1 IS NULL OR project IN (SELECT value FROM json_each(?1)))
		GROUP BY machine`;
	return rows.query<Range, [string | null]>(sql).all(projects && JSON.stringify(projects));
}

/** Batches of a machine. */
export interface Range {
	machine: string;
	at: number;
	to: number;
}

function keep(log: Log, { bytes, hash }: { bytes: Uint8Array; hash: string }, batch: Batch): void {
	const { machine, seq, project } = batch;
	const own = project === null ? null : exact(project);
	log.rows.query("INSERT OR REPLACE INTO batches VALUES(?, ?, ?, ?)").run(exact(machine), seq, own, bytes);
	hear(log, [batch.clock]);
	const before = judgedBy(log);
	apply(log, batch);
	moveHead(log, machine, seq, hash);
	// what was applied already may count otherwise by now
	if (project === null && judgedBy(log) !== before) renew(log);
}

/** What is written next lies behind these. */
export function hear(log: Log, clocks: readonly Clock[]): void {
	const [own, now] = [factOf<Clock>(log.rows, "clock") ?? BEGINNING, log.now()];
	keepFact(
		log.rows,
		"clock",
		clocks.reduce((last, one) => heardClock(last, one, now), own),
	);
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
		if (!isOfSpace) for (const one of op.replaces ?? []) replace(log, one, op, about);
		const place = [exact(op.item), exact(op.field)] as const;
		const wasReplaced = "DELETE FROM gone WHERE id = ? AND item = ? AND field = ?";
		if (op.value === undefined || log.rows.query(wasReplaced).run(id, ...place).changes > 0) continue;
		const value = isOfSpace ? saidOf(op) : safeDeep(op.value);
		if (value === undefined) continue;
		log.rows
			.query("INSERT OR IGNORE INTO live VALUES(?, ?, ?, ?, ?, ?, ?)")
			.run(id, exact(machine), ...place, exact(JSON.stringify(value)), exact(clock), about);
	}
	const begin = operationId(batch, 0).slice(0, -1);
	log.rows.query("DELETE FROM gone WHERE id > ? AND id < ?").run(exact(begin), exact(`${begin}:`));
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

/** A value that is replaced goes; one that did not come yet will not stand when it comes. */
function replace(log: Log, id: string, { item, field }: Operation, project: Exact | null): void {
	const own = [exact(id), exact(item), exact(field)] as const;
	if (log.rows.query("DELETE FROM live WHERE id = ? AND item = ? AND field = ?").run(...own).changes > 0) return;
	if (!wasApplied(log, id)) log.rows.query("INSERT OR IGNORE INTO gone VALUES(?, ?, ?, ?)").run(...own, project);
}

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

/** What does not count any more goes, and the state is made anew. */
export function renew(log: Log): void {
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
	rebuild(log);
}

/** Makes the state anew: of what snapshots put in the place of batches, and every batch behind that. */
export function rebuild(log: Log): void {
	inStep(log.rows, () => {
		log.rows.run(`DELETE FROM live; DELETE FROM gone; UPDATE heads SET seq = 0, hash = '';
			INSERT INTO live SELECT id, machine, item, field, value, clock, project FROM base WHERE value IS NOT NULL;
			INSERT INTO gone SELECT id, item, field, project FROM base WHERE value IS NULL`);
		keepFact(log.rows, "renewed", newId());
		const read = batchesOf(log);
		// first who is a member and which keys there are: the rest is judged by that
		for (const isOfSpace of [true, false])
			for (const { batch } of read) if (batch && (batch.project === null) === isOfSpace) apply(log, batch);
		// (not before: a head says that all up to it was applied)
		for (const { machine, seq, hash } of [...floorsOf(log), ...read]) moveHead(log, machine, seq, hash);
		for (const [id] of log.rows.query("SELECT id FROM gone").values() as [string][])
			if (wasApplied(log, id)) log.rows.query("DELETE FROM gone WHERE id = ?").run(exact(id));
	});
}

/** The batches that are here, in order; `batch` is null for one that was withheld. */
export function batchesOf({ rows, space }: Log): { machine: string; seq: number; hash: string; batch: Batch | null }[] {
	const sql = "SELECT machine, seq, project, bytes FROM batches ORDER BY machine, seq";
	return rows
		.query<Carried & { machine: string }, []>(sql)
		.all()
		.map((one) => {
			const read = readBatch(one, { space: space.id, machine: one.machine });
			const { machine, seq, bytes } = one;
			return { machine, seq, hash: hashIn(bytes), batch: typeof read === "string" ? null : read.batch };
		});
}
