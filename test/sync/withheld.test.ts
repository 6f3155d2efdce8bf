import { expect, test } from "vitest";
import { exact } from "../../src/core/redact/secrets.ts";
import { sha256 } from "../../src/store/gate.ts";
import { carriedOf } from "../../src/sync/batch.ts";
import type { Carrier } from "../../src/sync/carrier.ts";
import { compact } from "../../src/sync/compact.ts";
import { pull, push } from "../../src/sync/exchange.ts";
import { rebuild, receive } from "../../src/sync/log.ts";
import { grantOf } from "../../src/sync/space.ts";
import { floorsOf, headOf, type Log, membersIn, valuesOf } from "../../src/sync/state.ts";
import { memoryCarrier } from "../kit/sync-carrier.ts";
import { PROJECT_ID, spaceOf } from "../kit/sync-space.ts";
import { scratch } from "../scratch-home.ts";

/** Two who write and one to whom the carrier, like a server, gives of the project the hashes alone until `share`. */
async function limited() {
	const made = spaceOf(scratch("withheld"), ["root", "bob", "cy"]);
	const [root, bob, cy] = made.logs as [Log, Log, Log];
	made.grant(root, bob, "writer");
	made.grant(root, cy, "writer");
	let sees: string[] | null = [];
	let change = (bytes: Uint8Array): Uint8Array => bytes;
	const carrier: Carrier = {
		...made.carrier,
		sees: async () => sees,
		read: async (...asked) =>
			(await made.carrier.read(...asked)).map((one) =>
				one.project === null || sees === null || sees.includes(one.project)
					? { ...one, bytes: change(one.bytes) }
					: { ...one, bytes: new Uint8Array(), hash: sha256(one.bytes) },
			),
	};
	await made.sync(root, bob);
	const [base] = [made.note(root, "1", "first"), made.note(root, "2", "of root")];
	await made.sync(root, bob);
	made.note(bob, "1", "second", [base]);
	await made.sync(bob, root);
	await pull(cy, carrier);
	return {
		...{ ...made, root, bob, cy, carrier, base },
		share: (some: string[] | null): void => {
			sees = some;
		},
		alter: (how: typeof change): void => {
			change = how;
		},
	};
}

test("what was withheld is read once its project is shared, whatever came first", async () => {
	const { root, cy, carrier, share, texts, note, sync } = await limited();
	expect(texts(cy)).toEqual([]);
	expect(() => note(cy, "9", "mine")).toThrow(/does not share this project/);
	share([PROJECT_ID]);
	expect((await pull(cy, carrier)).problems).toEqual([]);
	expect(texts(cy)).toEqual(texts(root));
	// nothing is asked twice
	await pull(cy, { ...carrier, read: () => Promise.reject(new Error("it reads")) });
	rebuild(cy);
	expect(texts(cy)).toEqual(texts(root));
	note(cy, "9", "mine");
	await push(cy, carrier);
	await sync(root);
	expect(texts(root)).toContain("mine");
});

test("cut short, it goes on; the replaced text does not come back", async () => {
	for (const first of ["root", "bob"]) {
		const { root, bob, cy, carrier, share, texts } = await limited();
		share(null);
		const stop = first === "root" ? bob : root;
		const read: Carrier["read"] = (machine, ...asked) =>
			machine === stop.machine ? Promise.reject(new Error("killed")) : carrier.read(machine, ...asked);
		await expect(pull(cy, { ...carrier, read })).rejects.toThrow("killed");
		rebuild(cy);
		await pull(cy, carrier);
		expect(texts(cy), first).toEqual(texts(root));
	}
});

test("other bytes than the withheld ones are refused and told, then read again", async () => {
	const { root, bob, cy, carrier, share, alter, texts, keys } = await limited();
	share([PROJECT_ID]);
	alter((bytes) => Uint8Array.from(bytes, (one, i) => (i === bytes.length - 5 ? one ^ 1 : one)));
	expect((await pull(cy, carrier)).problems.length).toBeGreaterThan(0);
	expect(texts(cy)).toEqual([]);
	// signed by the same key, and another one than was withheld: which of the two is true is not known
	const { seq } = headOf(bob, bob.machine);
	const place = { v: 1, space: bob.space.id, machine: bob.machine, seq, prev: "", project: PROJECT_ID } as const;
	const ops = [{ item: "note:1", field: "text", value: "another" }];
	const other = carriedOf({ ...place, clock: "0".repeat(16), seen: {}, ops }, keys[1]!);
	expect(receive(cy, bob.machine, other)).toMatchObject({ why: expect.stringContaining("said otherwise") });
	expect(texts(cy)).toEqual([]);
	alter((bytes) => bytes);
	expect((await pull(cy, carrier)).problems).toEqual([]);
	expect(texts(cy)).toEqual(texts(root));
	expect(valuesOf(cy, "note:1").map(({ value }) => value)).toEqual(["second"]);
});

test("what a snapshot holds of a project is read once that one is shared", async () => {
	const { root, bob, cy, carrier, share, texts, note, shelf } = await limited();
	const whole = memoryCarrier(shelf);
	for (const log of [root, bob, root, bob]) {
		await pull(log, whole);
		await compact(log, whole, log === root ? 1 : Number.POSITIVE_INFINITY);
	}
	note(bob, "2", "behind it");
	await push(bob, whole);
	expect((await pull(cy, carrier)).problems).toEqual([]);
	expect(texts(cy)).toEqual([]);
	expect(floorsOf(cy)).toEqual(floorsOf(root));
	share([PROJECT_ID]);
	expect((await pull(cy, carrier)).problems).toEqual([]);
	await pull(root, whole);
	expect(texts(cy)).toEqual(texts(root));
	expect(texts(cy)).toContain("behind it");
	rebuild(cy);
	expect(texts(cy)).toEqual(texts(root));
});

test("what was here of a project that is withheld from now on stands until a snapshot of it can be read", async () => {
	const { root, bob, cy, carrier, share, texts, note, sync, shelf } = await limited();
	share(null);
	await pull(cy, carrier);
	note(cy, "3", "of cy");
	await push(cy, carrier);
	await sync(root, bob, root);
	share([]);
	const before = texts(cy);
	const whole = memoryCarrier(shelf);
	for (const log of [root, bob, root, bob]) await compact(log, whole, log === root ? 1 : Number.POSITIVE_INFINITY);
	expect((await pull(cy, carrier)).problems).toEqual([]);
	expect(floorsOf(cy)).toEqual(floorsOf(root));
	// (notes that stand no more go from cy's file)
	expect(texts(cy)).toEqual(before);
	rebuild(cy);
	expect(texts(cy)).toEqual(before);
	note(bob, "3", "of bob", [valuesOf(bob, "note:3")[0]!.id]);
	await sync(bob, root);
	await pull(cy, carrier);
	share([PROJECT_ID]);
	expect((await pull(cy, carrier)).problems).toEqual([]);
	expect(texts(cy)).toEqual(texts(root));
});

const invented = (seq: number) => ({ seq, project: PROJECT_ID, bytes: new Uint8Array(), hash: "ab".repeat(32) });

test("what a server makes up as withheld stops no chain, and nobody's own", async () => {
	const { root, bob, cy, carrier, note, sync, texts, share } = await limited();
	share(null);
	await pull(cy, carrier);
	const made = headOf(cy, bob.machine).seq;
	for (const seq of [made + 1, made + 2]) expect(receive(cy, bob.machine, invented(seq))).toBe("new");
	expect(receive(bob, bob.machine, invented(made + 1))).toMatchObject({ why: expect.stringContaining("its writer") });
	for (const id of ["3", "4", "5"]) note(bob, id, `later ${id}`);
	await sync(bob, root);
	expect((await pull(cy, carrier)).problems).toMatchObject([{ why: expect.stringContaining("said otherwise") }]);
	expect((await pull(cy, carrier)).problems).toEqual([]);
	expect([texts(cy), headOf(cy, bob.machine)]).toEqual([texts(root), headOf(bob, bob.machine)]);
});

test("what a server makes up as withheld is vouched for by nobody, and lets no removed one write on", async () => {
	const { root, bob, cy, carrier, note, share } = await limited();
	share(null);
	await pull(cy, carrier);
	const made = headOf(cy, bob.machine).seq;
	for (const log of [root, cy])
		for (const seq of [made + 1, made + 2]) expect(receive(log, bob.machine, invented(seq))).toBe("new");
	note(cy, "7", "of cy");
	await push(cy, carrier);
	await pull(bob, carrier);
	note(bob, "8", "bob goes on");
	const { keys, ...named } = membersIn(root).get(bob.machine)!;
	expect(grantOf(root, { ...named, ...keys }, "none").value.since).toBe(made);
});

test("a snapshot takes the place of what a server made up as withheld", async () => {
	const { root, bob, cy, carrier, note, sync, share, texts, shelf } = await limited();
	share(null);
	await pull(cy, carrier);
	const made = headOf(cy, bob.machine).seq;
	for (const seq of [made + 1, made + 2]) expect(receive(cy, bob.machine, invented(seq))).toBe("new");
	note(bob, "3", "later");
	await sync(bob, root, bob);
	const whole = memoryCarrier(shelf);
	for (const log of [root, bob, root, bob]) {
		await pull(log, whole);
		await compact(log, whole, log === root ? 1 : Number.POSITIVE_INFINITY);
	}
	expect((await pull(cy, carrier)).problems).toEqual([]);
	expect([texts(cy), headOf(cy, bob.machine)]).toEqual([texts(root), headOf(bob, bob.machine)]);
});

test("whoever lost the end of its chain, and may not read it any more, writes no other", async () => {
	const { bob, carrier, share } = await limited();
	share([]);
	const { seq, hash } = headOf(bob, bob.machine);
	bob.rows.query("DELETE FROM batches WHERE machine = ? AND seq >= ?").run(exact(bob.machine), seq);
	rebuild(bob);
	expect(headOf(bob, bob.machine).hash).not.toBe(hash);
	expect((await pull(bob, carrier)).problems).toMatchObject([{ machine: bob.machine, isFork: true }]);
});
