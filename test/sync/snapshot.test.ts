import { expect, test } from "vitest";
import type { Carrier } from "../../src/sync/carrier.ts";
import { compact } from "../../src/sync/compact.ts";
import { pull, push } from "../../src/sync/exchange.ts";
import { rebuild, write } from "../../src/sync/log.ts";
import { giveKeys } from "../../src/sync/space.ts";
import { floorsOf, headOf, type Log, membersIn, valuesOf, vectorOf } from "../../src/sync/state.ts";
import { memoryCarrier, newShelf } from "../kit/sync-carrier.ts";
import { documents, Never, snapshotSpace as space, state } from "../kit/sync-snapshots.ts";
import { PROJECT_ID } from "../kit/sync-space.ts";

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

test("where snapshots stand for all, an exchange that sends nothing changes nothing there", async () => {
	const { shelf, root, writer, everybody, exchange } = await space();
	await exchange([root, writer, root, ...everybody]);
	expect(floorsOf(root).length).toBeGreaterThan(0);
	const forget = (): Promise<never> => Promise.reject(new Error("it forgets"));
	expect(await push(root, { ...memoryCarrier(shelf), forget })).toBe(0);
});

test("of two machines the second takes the first at its word no more than others do", async () => {
	for (const isTrue of [true, false]) {
		const { root, writer, owner, away, exchange, grant, sync } = await space();
		for (const one of [owner, away]) grant(root, one, "none");
		await sync(root, writer, root);
		if (!isTrue) root.rows.run("UPDATE live SET value = '\"another\"' WHERE item = 'note:3'");
		await exchange([root]);
		await exchange([writer, root, writer, root], Never);
		expect(floorsOf(writer)).toEqual(floorsOf(root));
		expect(floorsOf(writer).length > 0).toBe(isTrue);
		expect(valuesOf(writer, "note:3").map(({ value }) => value)).toEqual(["three"]);
	}
});

test("one who was removed before its first batch came makes no snapshot due again and again", async () => {
	const { shelf, root, fresh, everybody, exchange, grant, note, sync } = await space();
	grant(root, fresh, "writer");
	await sync(root, fresh);
	note(fresh, "f", "of whom nobody heard");
	await push(fresh, memoryCarrier(shelf));
	grant(root, fresh, "none");
	await exchange([...everybody, ...everybody], Never);
	expect(documents(shelf, "snapshot/")).toEqual([]);
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

test.each([false, true])(
	"two snapshots that know not of each other are put together, whichever comes first; sealed: %s",
	async (isSealed) => {
		const { shelf, carrier, root, owner, writer, fresh, away, exchange, grant, note, sync } = await space({ isSealed });
		await sync(root, owner, writer, away, root, owner, writer, away);
		const [id] = valuesOf(root, "note:1").map((one) => one.id);
		// the root and the writer on one side, the owner and who was away on the other
		const other = newShelf();
		for (const [machine, all] of shelf.batches) other.batches.set(machine, [...all]);
		const there = memoryCarrier(other);
		const beyond = async (logs: Log[]): Promise<void> => {
			for (const log of logs) {
				await pull(log, there);
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
		// who is new has both before it has the key to them
		grant(root, fresh, "writer");
		await push(root, carrier);
		expect((await pull(fresh, carrier)).problems).toEqual([]);
		giveKeys(root);
		await push(root, carrier);
		expect((await pull(fresh, carrier)).problems).toEqual([]);
		expect(valuesOf(fresh, "note:")).toHaveLength(5);
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
	},
);

test("what is written behind a snapshot has a later clock than what it holds", async () => {
	const { root, writer, away, everybody, exchange, note } = await space();
	await exchange([root, writer, root, ...everybody]);
	const { now } = away;
	away.now = () => now() - 30 * 60_000;
	await exchange([away], Never);
	note(away, "9", "the last");
	expect(
		valuesOf(away, "")
			.toSorted((a, b) => (a.clock < b.clock ? -1 : 1))
			.at(-1),
	).toMatchObject({ value: "the last" });
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
		const parts = documents(shelf, "snapshot/").map((one) => one.replace(/[^/]+$/, "head"));
		expect(
			parts.filter((head) => !shelf.documents.has(head)),
			`without a head after kill ${kill}`,
		).toEqual([]);
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
		"DELETE FROM batches; DELETE FROM base; DELETE FROM heads; DELETE FROM live; DELETE FROM facts WHERE name = 'floors'",
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
