import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { type Carrier, MAX_DOCUMENT, MAX_MACHINES } from "../../src/sync/carrier.ts";
import { machineId } from "./postgres.ts";

/** A place, empty at first. */
export interface Place {
	/** Opens it as one more machine does. */
	open(): Promise<Carrier> | Carrier;
	/** Puts so many other documents there, past whatever one machine may put. */
	fill(count: number): Promise<void>;
}

/** What each carrier does, as tests. A carrier is opened on a place of its own for each. */
export function testCarrier(make: () => Promise<Place>): void {
	const opened = async (count: number) => {
		const place = await make();
		return { place, all: await Promise.all(Array.from({ length: count }, () => place.open())) };
	};
	const [one, other] = [machineId(), machineId()];

	test("nothing is there at first", async () => {
		const [carrier] = (await opened(1)).all as [Carrier];
		expect([await carrier.list(), await carrier.get(one)]).toEqual([[], null]);
		await carrier.put(one, null);
		expect(await carrier.list()).toEqual([]);
		await carrier.close();
	});

	test("what a machine puts the others get, byte for byte", async () => {
		const [mine, theirs] = (await opened(2)).all as [Carrier, Carrier];
		const every = Uint8Array.from({ length: 1024 }, (_, index) => index);
		for (const bytes of [every, new Uint8Array([0]), new Uint8Array(0), randomBytes(MAX_DOCUMENT)]) {
			await mine.put(one, bytes);
			expect(Buffer.compare((await theirs.get(one))!, bytes)).toBe(0);
		}
		await theirs.put(other, every);
		expect((await mine.list()).map(({ machine }) => machine).sort()).toEqual([one, other].sort());
		expect(await mine.get(machineId())).toBeNull();
		await Promise.all([mine.close(), theirs.close()]);
	});

	test("a version changes when the bytes do", async () => {
		const [mine, theirs] = (await opened(2)).all as [Carrier, Carrier];
		const version = async () => (await theirs.list())[0]?.version;
		await mine.put(one, Buffer.from("first"));
		const first = await version();
		expect(first).toBe(await version());
		await mine.put(one, Buffer.from("other"));
		expect(await version()).not.toBe(first);
		await Promise.all([mine.close(), theirs.close()]);
	});

	test("what is taken away is gone, and may come again", async () => {
		const [mine, theirs] = (await opened(2)).all as [Carrier, Carrier];
		await theirs.put(other, Buffer.from("stays"));
		for (const text of ["first", "again"]) {
			await mine.put(one, Buffer.from(text));
			expect(String(await theirs.get(one))).toBe(text);
			for (const _ of [1, 2]) await mine.put(one, null);
			expect([await theirs.get(one), (await theirs.list()).map(({ machine }) => machine)]).toEqual([null, [other]]);
		}
		await Promise.all([mine.close(), theirs.close()]);
	});

	test("a document that is too large is refused, and the one before it stays", async () => {
		const [carrier] = (await opened(1)).all as [Carrier];
		await carrier.put(one, Buffer.from("before"));
		await expect(carrier.put(one, randomBytes(MAX_DOCUMENT + 1))).rejects.toMatchObject({ code: "ETOOBIG" });
		expect(String(await carrier.get(one))).toBe("before");
		await expect(carrier.put("../../etc", Buffer.from("x"))).rejects.toThrow();
		await carrier.close();
	});

	test(`${MAX_MACHINES} documents are listed, and one more is too many`, async () => {
		const { place, all } = await opened(1);
		await place.fill(MAX_MACHINES);
		expect((await all[0]!.list()).length).toBe(MAX_MACHINES);
		await all[0]!.put(one, Buffer.from("one more"));
		await expect(all[0]!.list()).rejects.toMatchObject({ code: "ETOOBIG" });
		await all[0]!.close();
	});
}
