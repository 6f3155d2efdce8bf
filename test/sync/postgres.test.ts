import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MAX_DOCUMENT } from "../../src/sync/carrier.ts";
import { documentsTableSql } from "../../src/sync/postgres.ts";
import { type DocumentsServer, documentsServer } from "../kit/documents-server.ts";
import { machineId } from "../kit/postgres.ts";
import { describeWith } from "../kit/with-programs.ts";
import HOSTILE from "./hostile-member.json";

const started = (settings?: Record<string, string>) => {
	const at = {} as { server: DocumentsServer };
	beforeAll(async () => {
		at.server = await documentsServer(["ada", "bob", "eve"], settings);
		await at.server.sql("CREATE ROLE stranger LOGIN PASSWORD 'pw-stranger'");
	}, 60_000);
	afterAll(() => at.server?.end());
	return at;
};

describeWith("postgres")("a carrier", () => {
	const at = started();
	const [one, other] = [machineId(), machineId()];

	test("gives to all what each puts, byte for byte, with a version that changes when the bytes do", async () => {
		await using mine = at.server.open("ada");
		await using theirs = at.server.open("bob");
		expect([await theirs.list(), await theirs.get(one)]).toEqual([[], null]);
		const versions = new Set<unknown>();
		for (const bytes of [randomBytes(1024), new Uint8Array([0]), new Uint8Array(0), randomBytes(MAX_DOCUMENT)]) {
			await mine.put(one, bytes);
			expect(Buffer.compare((await theirs.get(one))!, bytes)).toBe(0);
			versions.add((await theirs.list())[0]?.version).add((await theirs.list())[0]?.version);
		}
		expect(versions.size).toBe(4);
		await theirs.put(other, Buffer.from("stays"));
		for (const text of ["first", "again"]) {
			await mine.put(one, Buffer.from(text));
			expect(String(await theirs.get(one))).toBe(text);
			for (const _ of [1, 2]) await mine.put(one, null);
			expect([await theirs.get(one), (await theirs.list()).map(({ machine }) => machine)]).toEqual([null, [other]]);
		}
	});

	test("a document that is too large is refused, and the one before it stays; of too many machines one more is listed", async () => {
		await using carrier = at.server.open("ada");
		await carrier.put(one, Buffer.from("before"));
		await expect(carrier.put(one, randomBytes(MAX_DOCUMENT + 1))).rejects.toThrow(/check constraint/);
		await expect(carrier.put("../../etc", Buffer.from("x"))).rejects.toThrow(/check constraint/);
		expect(String(await carrier.get(one))).toBe("before");
		const fill = `INSERT INTO ccg.documents (login, slot, machine, bytes)
			SELECT 'filled_' || n, 1, md5(n::text), 'x' FROM generate_series(1, 300) n`;
		await at.server.sql(fill, "team");
		expect(await carrier.list()).toHaveLength(201);
	});
});

describeWith("postgres")("rights", () => {
	const at = started();
	const [adas, bobs] = [machineId(), machineId()];
	beforeAll(async () => {
		await using ada = at.server.open("ada");
		await ada.put(adas, Buffer.from("ada's"));
		await using bob = at.server.open("bob");
		await bob.put(bobs, Buffer.from("bob's"));
		await at.server.sql("CREATE SCHEMA payroll; CREATE TABLE payroll.salaries (sum int)", "team");
	}, 60_000);

	const denied = /permission denied|must be owner|violates row-level security|admin option/;
	const SAID: Record<string, unknown> = {
		nothing: [],
		denied: expect.stringMatching(denied),
		...{ twice: expect.stringMatching(/duplicate key/), unfit: expect.stringMatching(/check constraint/) },
	};
	test.each(HOSTILE as [string, string, string][])("a hostile member %s", async (_, typed, expected) => {
		const sql = typed
			.replace("ADD", "INSERT INTO ccg.documents (slot, machine, bytes)")
			.replace("CHANGE", "UPDATE ccg.documents SET bytes = 'x'")
			.replaceAll("ADAS", adas);
		expect(await at.server.tryAs("eve", sql)).toEqual(SAID[expected]);
		// nothing of it stays
		const left = "SELECT string_agg(convert_from(bytes, 'UTF8'), ' ' ORDER BY login) AS texts FROM ccg.documents";
		expect(await at.server.sql(left, "team")).toEqual([{ texts: "ada's bob's" }]);
	});

	test("who is not in the group may nothing", async () => {
		expect(await at.server.tryAs("stranger", "SELECT * FROM ccg.documents")).toMatch(denied);
		await at.server.sql("GRANT USAGE ON SCHEMA ccg TO stranger; GRANT ALL ON ccg.documents TO stranger", "team");
		expect(await at.server.tryAs("stranger", "SELECT * FROM ccg.documents")).toEqual([]);
	});

	test("a machine id that another login has is told, and nothing is changed", async () => {
		await using bob = at.server.open("bob");
		await expect(bob.put(adas, Buffer.from("x"))).rejects.toMatchObject({
			code: "23505",
			message: expect.stringMatching(/another login.*delete it/),
		});
		await bob.put(adas, null);
		expect(String(await bob.get(adas))).toBe("ada's");
	});

	test("a login has eight places, and what is taken away makes room", async () => {
		await using eve = at.server.open("eve");
		const machines = Array.from({ length: 8 }, machineId);
		for (const machine of machines) await eve.put(machine, Buffer.from(machine));
		const ninth = machineId();
		await expect(eve.put(ninth, Buffer.from("x"))).rejects.toMatchObject({ code: "EFULL" });
		await eve.put(machines[3]!, null);
		await eve.put(ninth, Buffer.from("x"));
		await eve.put(machines[7]!, Buffer.from("again"));
		expect((await eve.list()).map(({ machine }) => machine).sort()).toEqual(
			[adas, bobs, ninth, ...machines.filter((one) => one !== machines[3])].sort(),
		);
		for (const machine of [ninth, ...machines]) await eve.put(machine, null);
	});

	test("of two machines that come at once to a login's last place one is told that it is full", async () => {
		await using eve = at.server.open("eve");
		const put = (from: number, to: number): string =>
			`INSERT INTO ccg.documents (slot, machine, bytes) SELECT n, md5(n::text), 'x' FROM generate_series(${from}, ${to}) n
			ON CONFLICT (login, slot) DO UPDATE SET machine = excluded.machine, bytes = excluded.bytes`;
		await at.server.tryAs("eve", put(2, 8));
		const first = at.server.tryAs("eve", `BEGIN; ${put(1, 1)}; SELECT pg_sleep(0.5); COMMIT`);
		await sleep(200);
		await expect(eve.put(machineId(), Buffer.from("other"))).rejects.toMatchObject({ code: "EFULL" });
		await first;
		expect(await eve.list()).toHaveLength(10);
		await at.server.tryAs("eve", "UPDATE ccg.documents SET machine = NULL, bytes = NULL");
	});

	test("where it is made, or a schema of that name is another's, it is not made", async () => {
		const sql = documentsTableSql(at.server.addressOf("boss"));
		await expect(at.server.sql(`SET ROLE boss; ${sql}`, "team")).rejects.toThrow(/"ccg" already exists/);
		expect(await at.server.tryAs("eve", sql)).toMatch(denied);
		await at.server.sql("CREATE DATABASE trap");
		const trap =
			"GRANT CREATE ON DATABASE trap TO eve, boss; SET ROLE eve; CREATE SCHEMA ccg; RESET ROLE; SET ROLE boss";
		await expect(at.server.sql(`${trap}; ${sql}`, "trap")).rejects.toThrow(/"ccg" already exists/);
	});
});

test.each([
	["My%20team", "ccg_my_team"],
	["a%22%3B%20DROP%24%24", "ccg_a___drop__"],
	["x".repeat(80), `ccg_${"x".repeat(59)}`],
])("the group of database %s is %s", (database, group) => {
	expect(documentsTableSql(`postgres://ada@h/${database}`)).toContain(`CREATE ROLE ${group} NOLOGIN;`);
});

describeWith("postgres")("a server that is killed", () => {
	const at = started({ fsync: "on" });

	test("keeps what was put, and takes a document whole or not at all", async () => {
		const machine = machineId();
		const put: Buffer[] = [randomBytes(4_000_000)];
		await using first = at.server.open("ada");
		await first.put(machine, put[0]!);
		for (const afterMs of [0, 40]) {
			await using carrier = at.server.open("ada");
			await carrier.list();
			put.push(randomBytes(4_000_000));
			const [ended] = await Promise.all([
				Promise.allSettled([carrier.put(machine, put.at(-1)!)]),
				sleep(afterMs).then(at.server.kill),
			]);
			await expect(carrier.list()).rejects.toThrow(/127\.0\.0\.1:\d+.*is it running/);
			await at.server.start();
			await using again = at.server.open("ada");
			const kept = (await again.get(machine))!;
			// what was said to be there, is
			const could = ended[0].status === "rejected" ? put : put.slice(-1);
			expect(could.some((one) => one.equals(kept))).toBe(true);
		}
	}, 60_000);
});
