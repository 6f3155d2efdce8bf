import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Carrier } from "../../src/sync/carrier.ts";
import { createSql } from "../../src/sync/postgres.ts";
import { testCarrier } from "../kit/document-carrier.ts";
import { type DocumentsServer, documentsServer, GROUP } from "../kit/documents-server.ts";
import { machineId } from "../kit/postgres.ts";
import { describeWith } from "../kit/with-programs.ts";

const LOGINS = ["ada", "bob", "eve"];

const started = (...how: [object?, object?]) => {
	const at = {} as { server: DocumentsServer };
	beforeAll(async () => {
		at.server = await documentsServer(LOGINS, ...(how as [Record<string, string>?]));
		await at.server.sql("CREATE ROLE stranger LOGIN PASSWORD 'pw-stranger'");
	}, 60_000);
	afterAll(() => at.server?.end());
	return at;
};

/** So many documents of as many logins as they need. */
const FILL = `INSERT INTO ccg.documents (login, slot, machine, bytes)
	SELECT 'filled_' || n, 1, md5(n::text), 'x' FROM generate_series(1, COUNT) n`;

describe.each([
	["the server", {}],
	["PgBouncer in transaction mode", { pooled: true }],
])("a carrier on %s", (_, more) => {
	describeWith("postgres", "pooled" in more ? "pgbouncer" : "postgres")("does what each does", () => {
		const at = started({}, more);
		testCarrier(async () => {
			await at.server.sql("TRUNCATE ccg.documents", "team");
			let next = 0;
			return {
				open: () => at.server.open(LOGINS[next++ % LOGINS.length]!),
				fill: async (count) => void (await at.server.sql(FILL.replace("COUNT", String(count)), "team")),
			};
		});
	});
});

describeWith("postgres")("rights", () => {
	const at = started();
	const [adas, bobs] = [machineId(), machineId()];
	let bob: Carrier;
	beforeAll(async () => {
		bob = at.server.open("bob");
		const ada = at.server.open("ada");
		await ada.put(adas, Buffer.from("ada's"));
		await bob.put(bobs, Buffer.from("bob's"));
		await ada.close();
		await at.server.sql("CREATE SCHEMA payroll; CREATE TABLE payroll.salaries (sum int)", "team");
	}, 60_000);
	afterAll(() => bob?.close());

	const denied = /permission denied|must be owner|violates row-level security/;
	const [twice, unfit] = [/duplicate key/, /check constraint/];
	const add = "INSERT INTO ccg.documents (slot, machine, bytes)";
	const change = "UPDATE ccg.documents SET bytes = 'x'";
	test.each<[string, string, RegExp | []]>([
		["changes another's", `${change} WHERE machine = '${adas}' RETURNING 1`, []],
		["changes all", `${change}, version = DEFAULT WHERE login <> 'eve' RETURNING 1`, []],
		["frees another's", "UPDATE ccg.documents SET machine = NULL, bytes = NULL WHERE login <> 'eve' RETURNING 1", []],
		["locks another's", "SELECT 1 FROM ccg.documents WHERE login = 'ada' FOR UPDATE", []],
		["writes as another", "INSERT INTO ccg.documents (login, slot) VALUES ('ada', 2)", denied],
		["gives its own away", "UPDATE ccg.documents SET login = 'ada'", denied],
		["deletes", "DELETE FROM ccg.documents", denied],
		["empties", "TRUNCATE ccg.documents", denied],
		["takes the id", `${add} VALUES (1, '${adas}', 'x')`, twice],
		["takes it by conflict", `${add} VALUES (1, '${adas}', 'x') ON CONFLICT (machine) DO UPDATE SET slot = 1`, denied],
		[
			"takes it by a change",
			`${add} VALUES (1, md5('1'), 'x'); ${change}, machine = '${adas}' WHERE login = 'eve'`,
			twice,
		],
		["becomes another", "SET ROLE ada", denied],
		["becomes another for good", "SET SESSION AUTHORIZATION ada", denied],
		["becomes the owner", "SET ROLE boss", denied],
		["becomes the group", `SET ROLE ${GROUP}; ${change} WHERE login = 'ada' RETURNING 1`, []],
		["lets others into the group", `GRANT ${GROUP} TO stranger`, /admin option|denied/],
		["gives rights on", "GRANT SELECT ON ccg.documents TO stranger; SET ROLE stranger", denied],
		["drops the policies", "ALTER TABLE ccg.documents DISABLE ROW LEVEL SECURITY", denied],
		["adds a policy", "CREATE POLICY mine ON ccg.documents USING (true)", denied],
		[
			"adds a trigger",
			"CREATE TRIGGER mine AFTER INSERT ON ccg.documents EXECUTE FUNCTION tsvector_update_trigger()",
			denied,
		],
		["makes something beside it", "CREATE TABLE ccg.other (one int)", denied],
		["reads another schema", "SELECT * FROM payroll.salaries", denied],
		["locks all out", "BEGIN; LOCK TABLE ccg.documents IN ACCESS EXCLUSIVE MODE", denied],
		["puts what is too large", `${add} VALUES (1, md5('1'), convert_to(repeat('a', 4194305), 'UTF8'))`, unfit],
		["takes a ninth place", `${add} SELECT n, md5(n::text), 'x' FROM generate_series(1, 9) n`, unfit],
		["takes a place twice", `${add} SELECT 1, md5(n::text), 'x' FROM generate_series(1, 2) n`, twice],
		["has no id", `${add} VALUES (1, '../../etc', 'x')`, unfit],
		["has an id of two lines", `${add} VALUES (1, md5('1') || E'\n', 'x')`, unfit],
	])("a hostile member %s", async (_, sql, expected) => {
		const said = await at.server.tryAs("eve", sql);
		if (Array.isArray(expected)) expect(said).toEqual(expected);
		else expect(said).toMatch(expected);
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
		await expect(bob.put(adas, Buffer.from("x"))).rejects.toMatchObject({
			code: "23505",
			message: expect.stringMatching(/another login.*delete it/),
		});
		await bob.put(adas, null);
		expect(String(await bob.get(adas))).toBe("ada's");
	});

	test("a login has eight places, and what is taken away makes room", async () => {
		const eve = at.server.open("eve");
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
		await eve.close();
	});

	test("of two machines that come at once to a login's last place one is told that it is full", async () => {
		const eve = at.server.open("eve");
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
		await eve.close();
	});

	test("where it is made, or a schema of that name is another's, it is not made", async () => {
		const sql = createSql(at.server.addressOf("boss"));
		await expect(at.server.sql(`SET ROLE boss; ${sql}`, "team")).rejects.toThrow(/"ccg" already exists/);
		expect(String(await bob.get(adas))).toBe("ada's");
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
	expect(createSql(`postgres://ada@h/${database}`)).toContain(`CREATE ROLE ${group} NOLOGIN;`);
});

test("PostgreSQL 18 takes the same statements, by a login that is no superuser", async () => {
	const db = await PGlite.create();
	const as = (login: string, sql: string) =>
		db.exec(`SET SESSION AUTHORIZATION postgres; SET SESSION AUTHORIZATION ${login}; ${sql}`);
	await db.exec("CREATE ROLE boss LOGIN CREATEROLE; CREATE ROLE ada LOGIN; CREATE ROLE eve LOGIN");
	await db.exec("GRANT CREATE ON DATABASE postgres TO boss");
	await as("boss", createSql("postgres://boss@h/team"));
	await as("boss", `GRANT ${GROUP} TO ada, eve`);
	const add = "INSERT INTO ccg.documents (slot, machine, bytes) VALUES (1";
	await as("ada", `${add}, md5('1'), 'x')`);
	const changed = await as("eve", "UPDATE ccg.documents SET bytes = 'y' RETURNING 1; SELECT login FROM ccg.documents");
	expect(changed.slice(-2).map(({ rows }) => rows)).toEqual([[], [{ login: "ada" }]]);
	await expect(as("eve", `${add}, md5('1'), 'x')`)).rejects.toThrow(/duplicate key/);
	await db.close();
}, 60_000);

describeWith("postgres")("a server that is killed", () => {
	const at = started({ fsync: "on" });

	test("keeps what was put, and takes a document whole or not at all", async () => {
		let carrier = at.server.open("ada");
		const machine = machineId();
		const put: Buffer[] = [randomBytes(4_000_000)];
		await carrier.put(machine, put[0]!);
		for (const afterMs of [0, 40]) {
			put.push(randomBytes(4_000_000));
			const [ended] = await Promise.all([
				Promise.allSettled([carrier.put(machine, put.at(-1)!)]),
				sleep(afterMs).then(at.server.kill),
			]);
			await expect(carrier.list()).rejects.toThrow(/127\.0\.0\.1:\d+.*is it running/);
			await at.server.start();
			await carrier.close();
			carrier = at.server.open("ada");
			const kept = (await carrier.get(machine))!;
			// what was said to be there, is
			const could = ended[0].status === "rejected" ? put : put.slice(-1);
			expect(could.some((one) => one.equals(kept))).toBe(true);
		}
		await carrier.close();
	}, 60_000);
});
