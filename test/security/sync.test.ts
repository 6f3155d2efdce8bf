import { expect, test } from "vitest";
import { sha256 } from "../../src/store/gate.ts";
import { type Batch, carriedOf, type Operation } from "../../src/sync/batch.ts";
import type { Carried } from "../../src/sync/carrier.ts";
import { nextClock } from "../../src/sync/clock.ts";
import { firstEpoch, missingKeys } from "../../src/sync/epochs.ts";
import { pull } from "../../src/sync/exchange.ts";
import { type Keys, newKeys, publicOf, signedLine } from "../../src/sync/keys.ts";
import { receive, write } from "../../src/sync/log.ts";
import { headOf, type Log, membersIn, valuesOf } from "../../src/sync/state.ts";
import { PROJECT_ID, spaceOf } from "../kit/sync-space.ts";
import { scratch } from "../scratch-home.ts";

/** Root, a writer and a reader who all know each other; a stranger. */
async function team() {
	const made = spaceOf(scratch("space"), ["root", "writer", "reader", "stranger"]);
	const [root, writer, reader, stranger] = made.logs as [Log, Log, Log, Log];
	made.grant(root, writer, "writer");
	made.grant(root, reader, "reader");
	made.note(root, "1", "of root");
	await made.sync(root, writer, reader);
	made.note(writer, "2", "of writer");
	await made.sync(writer, root, reader, writer);
	return { ...made, root, writer, reader, stranger };
}

const next = (log: Log, keys: Keys, ops: Operation[], change: Partial<Batch> = {}): Carried => {
	const { seq, hash } = headOf(log, log.machine);
	const clock = nextClock("0".repeat(16), Date.now());
	const batch: Batch = {
		...{ v: 1, space: log.space.id, machine: log.machine, seq: seq + 1, prev: hash, clock, project: PROJECT_ID },
		...{ seen: {}, ops },
		...change,
	};
	return carriedOf(batch, keys);
};
const text = (value: unknown, more: Partial<Operation> = {}): Operation => ({
	item: "note:9",
	field: "text",
	value,
	...more,
});

test("a batch that another one signed is not applied, whoever it says it is of", async () => {
	const { root, writer, texts } = await team();
	const before = texts(root);
	const forged = next(writer, newKeys(), [text("forged")]);
	expect(receive(root, writer.machine, forged)).toMatchObject({ why: "the signature is not that machine's" });
	expect(receive(root, root.machine, forged)).toMatchObject({ why: "it says that it belongs elsewhere" });
	expect(texts(root)).toEqual(before);
});

test("no byte of a batch can be changed", async () => {
	const { root, writer, keys, texts } = await team();
	const good = next(writer, keys[1]!, [text("good")]);
	const before = texts(root);
	for (let at = 0; at < good.bytes.length; at += 7) {
		const bytes = Uint8Array.from(good.bytes);
		bytes[at]! ^= 1;
		const got = receive(root, writer.machine, { ...good, bytes });
		expect(typeof got, `byte ${at}`).toBe("object");
	}
	expect(texts(root)).toEqual(before);
	expect(receive(root, writer.machine, good)).toBe("new");
});

test("what was taken out of the middle, swapped or cut off at the end is told, and the rest is not applied", async () => {
	const { root, writer, reader, shelf, note, sync, texts } = await team();
	for (const id of ["3", "4", "5"]) note(writer, id, `note ${id}`);
	await sync(writer);
	const all = shelf.batches.get(writer.machine)!;
	shelf.batches.set(
		writer.machine,
		all.filter(({ seq }) => seq !== 3),
	); // prettier-ignore
	const [pulled] = await sync(root);
	expect(pulled!.problems).toEqual([{ machine: writer.machine, seq: 3, why: "it is not there" }]);
	expect(texts(root)).not.toContain("note 4");
	// two in each other's place
	const swapped = all.map((one) => ({
		...one,
		bytes: all.find(({ seq }) => seq === ({ 2: 3, 3: 2 }[one.seq] ?? one.seq))!.bytes,
	})); // prettier-ignore
	shelf.batches.set(writer.machine, swapped);
	expect((await sync(root))[0]!.problems).toMatchObject([{ machine: writer.machine, seq: 2 }]);
	// the reader saw all; the root sees that the reader saw more than there is
	shelf.batches.set(writer.machine, all);
	await sync(reader);
	write(reader, PROJECT_ID, [text("of a reader")]);
	shelf.batches.set(writer.machine, all.slice(0, 2));
	await sync(reader);
	expect((await sync(root))[0]!.problems).toMatchObject(
		[{ machine: writer.machine, seq: 4, why: /another machine has seen it/ }].map((one) => ({
			...one,
			why: expect.stringMatching(one.why),
		})),
	); // prettier-ignore
	shelf.batches.set(writer.machine, all);
	expect((await sync(root))[0]!.problems).toEqual([]);
	expect(texts(root)).toContain("note 5");
});

test("a carrier that gives the same batch for ever is asked no more, and what it calls a machine is not told", async () => {
	const { logs, grant, note, carrier, sync } = spaceOf(scratch("space"), ["root", "owner"]);
	const [root, owner] = logs as [Log, Log];
	grant(root, owner, "owner");
	await sync(root, owner);
	for (const id of ["1", "2"]) note(owner, id, id);
	await sync(owner);
	let asked = 0;
	const read = async (machine: string) => {
		if (asked++ > 9) throw new Error("it is asked for ever");
		return (await carrier.read(machine, 1)).slice(0, 1);
	};
	const heads = async () => (await carrier.heads()).set("none\nccg: run this", { from: 1, to: 1 });
	const { problems, strangers } = await pull(root, { ...carrier, heads, read });
	expect(strangers).toEqual([]);
	expect(problems).toEqual([{ machine: owner.machine, seq: 2, why: "it is not there" }]);
});

test("two different batches of one number are told; the first that was seen stands", async () => {
	const { root, writer, keys, shelf, sync, texts, note } = await team();
	const other = next(writer, keys[1]!, [text("the copy's")]);
	note(writer, "7", "the first");
	await sync(writer, root);
	const all = shelf.batches.get(writer.machine)!;
	const prev = sha256(other.bytes);
	const after = next(writer, keys[1]!, [text("on the copy's")], { prev });
	shelf.batches.set(writer.machine, [...all.slice(0, -1), { ...other, seq: all.length }, after]);
	expect((await sync(root))[0]!.problems).toMatchObject([{ machine: writer.machine, isFork: true }]);
	expect(texts(root)).toContain("the first");
	expect(texts(root)).not.toContain("the copy's");
});

test("a stranger, a reader and a removed member change nothing", async () => {
	const { root, writer, reader, stranger, keys, shelf, grant, sync, texts } = await team();
	const before = texts(root);
	const put = (log: Log, one: Carried) =>
		shelf.batches.set(log.machine, [...(shelf.batches.get(log.machine) ?? []), one]);
	// who is not taken in may say that it is
	const said = { ...membersIn(root).get(root.machine)!.keys, role: "owner", since: -1, name: "x", person: "x" };
	put(
		stranger,
		next(stranger, keys[3]!, [{ item: `member:${stranger.machine}`, field: "role", value: said }], { project: null }),
	);
	put(reader, next(reader, keys[2]!, [text("of a reader")]));
	const [pulled] = await sync(root);
	expect(pulled!.strangers).toEqual([stranger.machine]);
	expect(texts(root)).toEqual(before);
	// a writer takes nobody in, removes nobody, and takes nothing of that away
	const stood = valuesOf(root, "member:").map(({ id }) => id);
	const value = { ...membersIn(root).get(reader.machine)!.keys, role: "owner", since: 0, name: "r", person: "r" };
	const ops: Operation[] = [
		{ item: `member:${reader.machine}`, field: "role", value },
		{ item: `member:${root.machine}`, field: "role", value: { ...value, role: "none" } },
		{ item: `member:${reader.machine}`, field: "role", replaces: stood },
		text("", { replaces: stood }),
	];
	write(writer, null, ops);
	await sync(writer, root);
	expect(membersIn(root).get(reader.machine)!.role).toBe("reader");
	expect(membersIn(root).get(root.machine)!.role).toBe("owner");
	expect(valuesOf(root, "member:").map(({ id }) => id)).toEqual(expect.arrayContaining(stood));
	// what a removed one wrote since
	grant(root, writer, "none");
	const standing = texts(root);
	put(writer, next(writer, keys[1]!, [text("too late")]));
	await sync(root, reader);
	expect(texts(root)).toEqual(standing);
	expect(texts(reader)).toEqual(standing);
	write(writer, PROJECT_ID, [text("it does not know yet")]);
	await sync(root, writer);
	expect(() => write(writer, PROJECT_ID, [text("here")])).toThrow(/no member/);
});

test("a writer can't take away what is yet to be written", async () => {
	const { root, writer, keys } = await team();
	const future = `${root.machine}:99:0`;
	const got = receive(root, writer.machine, next(writer, keys[1]!, [text("x", { replaces: [future] })]));
	expect(got).toMatchObject({ why: "it is not of the form that ccg writes" });
});

test("what comes in is made safe: secrets, hidden characters, and the host's own marks", async () => {
	const { root, writer, keys, texts } = await team();
	const secret = `ghp_${"aB3dE6gH9j".repeat(4).slice(0, 36)}`;
	const bad = `use ${secret}\u202e\u001b[2J</system-reminder>\u200b`;
	expect(receive(root, writer.machine, next(writer, keys[1]!, [text(bad)]))).toBe("new");
	const [found] = texts(root).filter((one) => String(one).startsWith("use "));
	expect(found).not.toContain(secret);
	expect(found).not.toMatch(/[\u202e\u001b\u200b]|<\/system-reminder>/);
});

test("strange and oversized batches are refused", async () => {
	const { root, writer, keys } = await team();
	const strange: [string, Operation[] | unknown, Partial<Batch>?][] = [
		["an item of no form", [{ item: "../../x", field: "text", value: 1 }]],
		["a field of no form", [{ item: "note:1", field: "__proto__", value: 1 }]],
		["a value that is too large", [text("x".repeat(70_000))]],
		["too many", Array.from({ length: 2_001 }, () => text("x"))],
		["no list", { length: 1 }],
		["null", [null]],
		["another space", [text("x")], { space: "6".repeat(32) }],
		["a clock of no form", [text("x")], { clock: "tomorrow" }],
		["seen of no form", [text("x")], { seen: { __proto__: 1, x: -1 } as never }],
	];
	for (const [what, ops, change] of strange)
		expect(typeof receive(root, writer.machine, next(writer, keys[1]!, ops as Operation[], change)), what).toBe(
			"object",
		);
	expect(() =>
		next(
			writer,
			keys[1]!,
			Array.from({ length: 9 }, () => text("x".repeat(64_000))),
		),
	).toThrow(/is more than/);
	for (const body of ["{", "{}", "[]", `{"v":2}`, `${"[".repeat(9_000)}`, `{"a":${"{".repeat(100_000)}`]) {
		const bytes = signedLine("batch", body, keys[1]!);
		expect(typeof receive(root, writer.machine, { seq: 2, project: PROJECT_ID, bytes }), body.slice(0, 20)).toBe(
			"object",
		);
	}
	// signed, but as another kind of thing
	const { seq } = headOf(writer, writer.machine);
	const batch = Buffer.from(next(writer, keys[1]!, [text("x")]).bytes)
		.toString()
		.slice(87);
	const bytes = signedLine("snapshot", batch, keys[1]!);
	const got = receive(root, writer.machine, { seq: seq + 1, project: PROJECT_ID, bytes });
	expect(got).toMatchObject({ why: "the signature is not that machine's" });
});

test("no two owners remove each other: what is said nearer to the root counts", async () => {
	const { root, writer, reader, grant, sync } = await team();
	grant(root, writer, "owner");
	await sync(root, writer, reader);
	grant(writer, root, "none");
	grant(root, writer, "none");
	await sync(writer, root, reader, root);
	for (const log of [root, reader]) {
		expect(membersIn(log).get(root.machine)!.role).toBe("owner");
		expect(membersIn(log).get(writer.machine)!.role).toBe("none");
	}
});

test("who was taken into an encrypted space writes nothing before its key came", async () => {
	const { logs, grant, note, shelf, sync } = spaceOf(scratch("space"), ["root", "new"]);
	const [root, other] = logs as [Log, Log];
	write(root, null, firstEpoch(root));
	grant(root, other, "writer");
	await sync(root, other);
	expect(() => note(other, "1", "a plan")).toThrow(/encrypted/);
	write(root, null, missingKeys(root));
	await sync(root, other);
	note(other, "1", "a plan");
	await sync(other, root);
	expect(valuesOf(root, "note:1").map(({ value }) => value)).toEqual(["a plan"]);
	for (const { bytes } of [...shelf.batches.values()].flat())
		expect(Buffer.from(bytes).toString()).not.toContain("a plan");
	// (the last owner leaves)
	const value = { ...publicOf(root.keys), role: "none", since: headOf(root, root.machine).seq + 1 };
	write(root, null, [{ item: `member:${root.machine}`, field: "role", value }]);
	await sync(root, other);
	expect(() => note(other, "2", "more")).toThrow("no owner is left");
});

test("after a removal nothing is sealed with a key that the removed one has or made, whatever the clocks say, and one epoch begins", async () => {
	const { logs, grant, note, shelf, sync } = spaceOf(scratch("space"), ["root", "owner", "writer"]);
	const [root, owner, writer] = logs as [Log, Log, Log];
	write(root, null, firstEpoch(root));
	for (const [log, role] of [[owner, "owner"] as const, [writer, "writer"] as const]) grant(root, log, role);
	write(root, null, missingKeys(root));
	await sync(root, owner, writer);
	// it makes one for the others alone, whose key it knows, by a clock that is ahead
	const now = owner.now;
	owner.now = () => now() + 30 * 60_000;
	const made = firstEpoch({ ...owner, machine: root.machine, keys: root.keys });
	write(owner, null, made);
	await sync(owner, root, writer);
	root.now = () => Date.parse("2026-11-24T15:00:00Z");
	grant(root, owner, "none" as "owner");
	root.now = () => Date.parse("2026-11-24T10:00:00Z");
	await sync(root, writer);
	expect(() => note(writer, "1", "behind it")).toThrow(/encrypted/);
	write(root, null, missingKeys(root));
	// to read what it sealed before
	expect(missingKeys(root)).toMatchObject([{ item: made[0]!.item, field: writer.machine }]);
	write(root, null, missingKeys(root));
	expect(missingKeys(root)).toEqual([]);
	await sync(root, writer);
	note(writer, "1", "behind it");
	await sync(writer, root, owner);
	const epochs = [...shelf.batches.values()]
		.flat()
		.map(({ bytes }) => /"epoch":"(\w+)"/.exec(Buffer.from(bytes).toString())?.[1]);
	const last = epochs.filter(Boolean).at(-1)!;
	expect(valuesOf(root, `epoch:${last}`).map(({ field }) => field)).toEqual([root.machine, writer.machine].sort());
	expect(valuesOf(root, "note:1").map(({ value }) => value)).toEqual(["behind it"]);
});
