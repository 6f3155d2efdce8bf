import { expect, test } from "vitest";
import type { Carrier } from "../../src/sync/carrier.ts";
import { compact } from "../../src/sync/compact.ts";
import { firstEpoch, missingKeys } from "../../src/sync/epochs.ts";
import { pull } from "../../src/sync/exchange.ts";
import { signedLine } from "../../src/sync/keys.ts";
import { rebuild, write } from "../../src/sync/log.ts";
import { floorsOf, headOf, type Log, membersIn, valuesOf, vectorOf } from "../../src/sync/state.ts";
import { memoryCarrier, newShelf, type Shelf } from "../kit/sync-carrier.ts";
import { PROJECT_ID, spaceOf } from "../kit/sync-space.ts";
import { scratch } from "../scratch-home.ts";

/** A root, an owner and a writer with some notes, of which some were changed and deleted; two who are not taken in yet. */
async function space({ isSealed = false } = {}) {
	const made = spaceOf(scratch("snapshot"), ["root", "owner", "writer", "new", "away"]);
	const [root, owner, writer, fresh, away] = made.logs as [Log, Log, Log, Log, Log];
	if (isSealed) write(root, null, firstEpoch(root));
	made.grant(root, owner, "owner");
	made.grant(root, writer, "writer");
	made.grant(root, away, "writer");
	if (isSealed) write(root, null, missingKeys(root));
	const everybody = [root, owner, writer];
	await made.sync(...everybody, away);
	const first = made.note(root, "1", "one");
	made.note(writer, "2", "two of the writer");
	await made.sync(...everybody, away, ...everybody);
	made.note(owner, "1", "one, changed", [first]);
	made.note(writer, "3", "three");
	await made.sync(...everybody, root);
	/** Each exchanges and compacts; `least`: a snapshot is due from so many bytes on. */
	const exchange = async (logs: readonly Log[], least = 1, carrier: Carrier = made.carrier): Promise<unknown[]> => {
		const problems = [];
		for (const log of logs) {
			problems.push(...(await made.sync(log)).flatMap((one) => one.problems));
			problems.push(...(await compact(log, carrier, least)));
		}
		return problems;
	};
	return { ...made, root, owner, writer, fresh, away, everybody, exchange };
}

const documents = ({ documents }: Shelf, what: string): string[] =>
	[...documents.keys()].filter((one) => one.startsWith(what));
const state = (log: Log): string[] =>
	valuesOf(log, "").map((one) => `${one.id} ${one.item} ${JSON.stringify(one.value)}`);
const Never = Number.POSITIVE_INFINITY;

test("what two machines confirmed stands in the place of batches; who comes later, or was away, has it from there", async () => {
	const { shelf, root, writer, fresh, away, everybody, exchange, grant, note, sync, texts } = await space();
	const before = state(root);
	expect(await exchange([root])).toEqual([]);
	expect(documents(shelf, "snapshot/").length).toBe(3);
	// nobody confirmed it
	expect([floorsOf(root), documents(shelf, "confirm/")]).toEqual([[], []]);
	expect(await exchange([writer, root, ...everybody], Never)).toEqual([]);
	expect(documents(shelf, "confirm/").length).toBe(1);
	for (const { machine } of everybody) expect(shelf.batches.get(machine) ?? []).toEqual([]);
	for (const log of everybody) expect(state(log)).toEqual(before);
	grant(root, fresh, "writer");
	note(writer, "4", "four");
	expect(await exchange([root, writer, fresh, away, fresh, root], Never)).toEqual([]);
	for (const log of [writer, fresh, away]) {
		expect(state(log)).toEqual(state(root));
		rebuild(log);
		expect(state(log)).toEqual(state(root));
	}
	note(fresh, "5", "five");
	note(away, "6", "six");
	await sync(fresh, away, root);
	expect(texts(root)).toEqual(expect.arrayContaining(["four", "five", "six", "one, changed"]));
});

test("a snapshot holds what another snapshot and the batches behind it make, and removes the first", async () => {
	const { shelf, root, writer, fresh, everybody, exchange, grant, note } = await space();
	await exchange([root, writer, root, ...everybody]);
	const [first] = documents(shelf, "snapshot/");
	note(writer, "2", "two, changed", [valuesOf(writer, "note:2")[0]!.id]);
	note(root, "7", "seven");
	await exchange(everybody, Never);
	await exchange([root]);
	await exchange([writer, root, root, ...everybody], Never);
	expect(documents(shelf, "snapshot/")).not.toContain(first);
	expect(documents(shelf, "snapshot/").length).toBe(3);
	expect(documents(shelf, "confirm/").length).toBe(1);
	grant(root, fresh, "writer");
	expect(await exchange([root, fresh], Never)).toEqual([]);
	expect(state(fresh)).toEqual(state(root));
});

test("two snapshots that know not of each other are put together, whichever comes first", async () => {
	const { shelf, root, owner, writer, fresh, away, carrier, exchange, grant, note, sync } = await space();
	grant(root, fresh, "writer");
	await sync(root, owner, writer, away, fresh, root, owner, writer, away);
	const [id] = valuesOf(root, "note:1").map((one) => one.id);
	// the root and the writer on one side, the owner and who was away on the other
	const other = newShelf();
	for (const [machine, all] of shelf.batches) other.batches.set(machine, [...all]);
	const there = memoryCarrier(other);
	const beyond = async (logs: Log[]): Promise<void> => {
		for (const log of logs) {
			await pull(log, there);
			const { push } = await import("../../src/sync/exchange.ts");
			await push(log, there);
			await compact(log, there, 1);
		}
	};
	note(root, "1", "one of the root", [id!]);
	note(writer, "3", "three again", [valuesOf(writer, "note:3")[0]!.id]);
	await exchange([root, writer, root]);
	note(away, "1", "one of who was away", [id!]);
	note(owner, "9", "nine");
	await beyond([owner, away, owner, away]);
	// they meet
	for (const machine of [owner.machine, away.machine]) shelf.batches.set(machine, other.batches.get(machine) ?? []);
	for (const [name, bytes] of other.documents) shelf.documents.set(name, bytes);
	for (let round = 0; round < 4; round++) await exchange([fresh, root, owner, writer, away], Never);
	for (const log of [owner, writer, away, fresh]) expect(state(log)).toEqual(state(root));
	expect(
		valuesOf(root, "note:1")
			.map(({ value }) => value)
			.sort(),
	).toEqual(["one of the root", "one of who was away"]);
	expect(valuesOf(root, "note:9")).toHaveLength(1);
	// one takes the place of both
	expect(documents(shelf, "snapshot/").filter((one) => one.endsWith("head"))).toHaveLength(1);
	void carrier;
});

test("sealed: no text stands in it, and who is taken in later reads it", async () => {
	const { shelf, root, fresh, everybody, exchange, grant, texts } = await space({ isSealed: true });
	await exchange([root, ...everybody, ...everybody]);
	for (const { machine } of everybody) expect(shelf.batches.get(machine) ?? []).toEqual([]);
	expect([...shelf.documents.values()].map((one) => Buffer.from(one).toString()).join("\n")).not.toMatch(/three|note:/);
	grant(root, fresh, "writer");
	write(root, null, missingKeys(root));
	expect(await exchange([root, fresh], Never)).toEqual([]);
	expect(texts(fresh)).toEqual(texts(root));
});

test("what a removal did not know of stays where a snapshot holds it", async () => {
	const { root, owner, writer, exchange, grant, note, sync } = await space();
	note(writer, "8", "eight");
	await sync(writer, owner);
	await exchange([owner, writer, owner, writer]);
	note(writer, "9", "too late");
	// the root has seen neither
	grant(root, writer, "none");
	await exchange([root, owner, root, owner], Never);
	for (const log of [root, owner]) {
		expect(valuesOf(log, "note:8"), log.machine).toHaveLength(1);
		expect(valuesOf(log, "note:9"), log.machine).toHaveLength(0);
	}
	expect(state(owner)).toEqual(state(root));
});

test("a carrier that lost the snapshot, or all, gets it again", async () => {
	for (const isAll of [false, true]) {
		const { shelf, root, writer, fresh, everybody, exchange, grant, note } = await space();
		await exchange([root, writer, root, ...everybody]);
		if (isAll) shelf.batches.clear();
		shelf.documents.clear();
		note(writer, "4", "four");
		await exchange([root, writer, root, ...everybody], Never);
		grant(root, fresh, "writer");
		expect(await exchange([root, fresh], Never)).toEqual([]);
		expect(state(fresh)).toEqual(state(root));
	}
});

test("a carrier that goes back to what it was before a snapshot gets what is behind it", async () => {
	const { shelf, root, writer, everybody, exchange, note } = await space();
	const before = new Map([...shelf.batches].map(([machine, all]) => [machine, all.slice(0, 1)]));
	await exchange([root, writer, root, ...everybody]);
	for (const [machine, all] of before) shelf.batches.set(machine, all);
	note(writer, "4", "four");
	expect(await exchange([writer, root], Never)).toEqual([]);
	expect(valuesOf(root, "note:4")).toHaveLength(1);
});

test("nobody confirms a snapshot that holds something else than the batches, or leaves something out", async () => {
	for (const lie of [
		"UPDATE live SET value = '\"forged\"' WHERE item = 'note:2'",
		"DELETE FROM live WHERE item = 'note:3'",
	]) {
		const { shelf, root, writer, everybody, exchange } = await space();
		root.rows.run(lie);
		await exchange([root]);
		await exchange([writer, ...everybody], Never);
		expect(documents(shelf, "confirm/")).toEqual([]);
		expect(floorsOf(writer)).toEqual([]);
		expect(valuesOf(writer, "note:3")).toHaveLength(1);
	}
});

test("a snapshot that a stranger or its maker confirmed, and one that was changed are not taken", async () => {
	const attacks: [string, (made: Awaited<ReturnType<typeof space>>) => Promise<void>][] = [
		[
			"a stranger confirmed it",
			async ({ shelf, keys, fresh, root, exchange }) => {
				await exchange([root]);
				const name = documents(shelf, "snapshot/")[0]!.split("/")[1];
				const { sha256 } = await import("../../src/store/gate.ts");
				const head = sha256(shelf.documents.get(`snapshot/${name}/head`)!);
				const text = JSON.stringify({ v: 1, space: root.space.id, name, head });
				for (const [machine, own] of [
					[fresh.machine, keys[3]!],
					[root.machine, keys[0]!],
					["f".repeat(32), keys[3]!],
				] as const)
					shelf.documents.set(`confirm/${name}/${machine}`, signedLine("confirm", text, own));
			},
		],
		[
			"a part was changed",
			async ({ shelf, root, writer, exchange }) => {
				await exchange([root, writer], Never);
				await exchange([root]);
				await exchange([writer], Never);
				const part = documents(shelf, "snapshot/").find((one) => one.includes(PROJECT_ID))!;
				const text = Buffer.from(shelf.documents.get(part)!).toString();
				shelf.documents.set(part, Buffer.from(text.replace("three", "forged")));
			},
		],
		[
			"a part is not there",
			async ({ shelf, root, writer, exchange }) => {
				await exchange([root]);
				await exchange([writer], Never);
				shelf.documents.delete(documents(shelf, "snapshot/").find((one) => one.includes("space"))!);
			},
		],
	];
	for (const [what, attack] of attacks) {
		const made = await space();
		await attack(made);
		const { problems } = await pull(made.owner, made.carrier);
		expect([floorsOf(made.owner), made.texts(made.owner).includes("forged")], what).toEqual([[], false]);
		expect(problems[0], what).toMatchObject({ machine: made.root.machine, why: expect.stringContaining("not taken") });
	}
});

test("killed at any step it goes on, and nothing is lost", { timeout: 200_000 }, async () => {
	const each = process.env.CCG_TEST_SHORT ? 7 : 1;
	for (let kill = 0; kill < 200; kill += each) {
		const { shelf, root, writer, fresh, everybody, exchange, grant } = await space();
		const before = state(root);
		let left = kill;
		const step = (): void => {
			if (left-- === 0) throw new Error("killed");
		};
		const dying = new Proxy(memoryCarrier(shelf), {
			get(carrier, name: "put") {
				return async (...given: Parameters<Carrier["put"]>) => {
					step();
					const answer = await carrier[name]?.(...given);
					step();
					return answer;
				};
			},
		});
		for (const log of [root, writer, root, ...everybody])
			try {
				await exchange([log], 1, dying);
			} catch (error) {
				expect((error as Error).message).toBe("killed");
			}
		for (let round = 0; round < 3; round++) await exchange(everybody);
		grant(root, fresh, "writer");
		expect(await exchange([root, fresh], Never)).toEqual([]);
		for (const log of [...everybody, fresh])
			expect(
				state(log).filter((one) => before.includes(one)),
				`kill ${kill}`,
			).toEqual(before);
		if (left >= 0) break;
	}
});

test("a store that was restored from before a snapshot goes on", async () => {
	const { root, writer, everybody, exchange, note } = await space();
	const copy = writer.rows.query("SELECT * FROM batches").values();
	expect(copy.length).toBeGreaterThan(0);
	await exchange([root, writer, root, ...everybody]);
	// (a log of before: it has its first batches alone)
	writer.rows.run(
		"DELETE FROM batches; DELETE FROM base; DELETE FROM heads; DELETE FROM live; DELETE FROM gone; DELETE FROM facts WHERE name IN ('floors', 'renewed')",
	);
	expect(headOf(writer, writer.machine).seq).toBe(0);
	expect(await exchange([writer], Never)).toEqual([]);
	note(writer, "4", "four");
	expect(await exchange([writer, root], Never)).toEqual([]);
	expect(state(writer)).toEqual(state(root));
	expect([...vectorOf(writer)]).toEqual([...vectorOf(root)]);
	expect(membersIn(writer).size).toBe(membersIn(root).size);
});

test("what one wrote who left is taken away, by two who stay or by one alone", async () => {
	for (const isAlone of [false, true]) {
		const { shelf, root, owner, writer, away, fresh, exchange, grant, sync, texts } = await space();
		if (isAlone) for (const one of [owner, away]) grant(root, one, "none");
		await exchange([root, writer], Never);
		// as `leave` does
		const own = valuesOf(writer, "note:").filter(({ machine }) => machine === writer.machine);
		write(
			writer,
			PROJECT_ID,
			own.map(({ id, item, field }) => ({ item, field, replaces: [id] })),
		);
		const since = headOf(writer, writer.machine).seq + 1;
		const value = { ...membersIn(writer).get(writer.machine)!.keys, role: "none", since, name: "w", person: "p" };
		write(writer, null, [{ item: `member:${writer.machine}`, field: "role", value }]);
		await sync(writer);
		const rest = isAlone ? [root] : [root, owner];
		for (let round = 0; round < 3; round++) expect(await exchange(rest, Never)).toEqual([]);
		expect(shelf.batches.get(writer.machine)).toEqual([]);
		const all = [...shelf.batches.values()].flat().map(({ bytes }) => Buffer.from(bytes).toString());
		const documents = [...shelf.documents.values()].map((bytes) => Buffer.from(bytes).toString());
		expect([...all, ...documents].join()).not.toMatch(/three|two of the writer/);
		grant(root, fresh, "writer");
		expect(await exchange([root, fresh], Never)).toEqual([]);
		expect(texts(fresh)).toEqual(texts(root));
		expect(texts(fresh)).toEqual(["one, changed"]);
	}
});
