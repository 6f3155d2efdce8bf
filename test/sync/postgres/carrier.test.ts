import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { machineOf, publicOf } from "../../../src/sync/keys.ts";
import { newMachine } from "../../../src/sync/machine.ts";
import { openPostgres } from "../../../src/sync/postgres/carrier.ts";
import { targetOf } from "../../../src/sync/postgres/connection.ts";
import { postgresAt, spaceAt } from "../../../src/sync/postgres/load.ts";
import { joinSpace, makeSpace } from "../../../src/sync/postgres/members.ts";
import { SCHEMA } from "../../../src/sync/postgres/migrate.ts";
import { pgliteServer } from "../../kit/pglite.ts";
import {
	batches,
	type Joined,
	machineId,
	member,
	owner,
	PROJECTS,
	postgresServer,
	type Server,
	SPACE,
} from "../../kit/postgres.ts";
import { canRun } from "../../kit/with-programs.ts";
import { scratch } from "../../scratch-home.ts";

/** Of a login that is none any more: the server's codes, and the pooler's. */
const REFUSED = expect.stringMatching(/28P01|28000|08P01/);

const SERVERS = [
	{ name: "a real PostgreSQL", programs: ["postgres"], start: () => postgresServer({ fsync: "off" }) },
	{
		name: "one behind PgBouncer in transaction mode",
		programs: ["postgres", "pgbouncer"],
		start: () => postgresServer({ fsync: "off" }, { pooled: true }),
	},
	// roles are granted by other rules since 16
	{ name: "PostgreSQL 18 in WebAssembly", programs: [], start: () => pgliteServer(), isOne: true },
].filter(({ programs }) => canRun(...programs));

describe.each(SERVERS)("the carrier on $name", ({ start, isOne = false }) => {
	let server: Server;
	let first: Joined;
	beforeAll(async () => {
		server = await start();
		first = await owner(server);
	}, 60_000);
	afterAll(() => server?.end());

	test("what one machine appends another reads, in order, in answers of about the size asked for", async () => {
		const other = await member(server, first);
		const given = [...batches(1, 3), ...batches(4, 4, null)];
		await first.carrier.append(first.machine, given);
		expect((await other.carrier.heads()).get(first.machine)).toEqual({ from: 1, to: 4 });
		const plain = (await other.carrier.read(first.machine, 1)).map(({ seq, project, bytes }) => ({
			seq,
			project,
			bytes: Buffer.from(bytes),
		}));
		expect(plain).toEqual(given);
		expect((await other.carrier.read(first.machine, 2, 1)).map(({ seq }) => seq)).toEqual([2]);
		expect((await other.carrier.read(first.machine, 1, 10)).map(({ seq }) => seq)).toEqual([1, 2]);
		expect(await other.carrier.read(first.machine, 5)).toEqual([]);
	});

	test("of a project that is not shared with a machine it gets the hash alone", async () => {
		const one = await member(server, first);
		const some = await member(server, first, { role: "reader", projects: [PROJECTS[0]] });
		const given = [...batches(1, 1), ...batches(2, 3, PROJECTS[1]), ...batches(4, 4, null)];
		await one.carrier.append(one.machine, given);
		const hash = (index: number) => createHash("sha256").update(given[index]!.bytes).digest("hex");
		const got = await some.carrier.read(one.machine, 1);
		expect(got.map(({ bytes, ...row }) => ({ ...row, text: Buffer.from(bytes).toString() }))).toEqual([
			{ seq: 1, project: PROJECTS[0], text: "batch 1" },
			{ seq: 2, project: PROJECTS[1], text: "", hash: hash(1) },
			{ seq: 3, project: PROJECTS[1], text: "", hash: hash(2) },
			{ seq: 4, project: null, text: "batch 4" },
		]);
	});

	test("appending again changes nothing; a gap is refused as a whole", async () => {
		const one = await member(server, first);
		await one.carrier.append(one.machine, batches(1, 2));
		await one.carrier.append(one.machine, batches(1, 3, PROJECTS[0], "again"));
		const texts = async () =>
			(await first.carrier.read(one.machine, 1)).map(({ bytes }) => Buffer.from(bytes).toString());
		expect(await texts()).toEqual(["batch 1", "batch 2", "again 3"]);
		await expect(one.carrier.append(one.machine, batches(5, 6))).rejects.toMatchObject({ code: "CG001" });
		expect((await texts()).length).toBe(3);
		// two processes of one machine at once
		const other = await again(one);
		await Promise.all([one.carrier.append(one.machine, batches(4, 40)), other.append(one.machine, batches(4, 60))]);
		expect((await first.carrier.heads()).get(one.machine)).toEqual({ from: 1, to: 60 });
	});

	test("many batches go at once, and come in several answers", async () => {
		const one = await member(server, first);
		await one.carrier.append(one.machine, batches(1, 2_500));
		expect((await first.carrier.heads()).get(one.machine)).toEqual({ from: 1, to: 2_500 });
		expect((await first.carrier.read(one.machine, 1)).length).toBe(2_000);
		await one.carrier.append(one.machine, []);
	});

	test("what was forgotten is gone, and numbers go on", async () => {
		const one = await member(server, first);
		const held = async () => (await first.carrier.heads()).get(one.machine);
		await one.carrier.append(one.machine, batches(1, 5));
		await one.carrier.forget(one.machine, 3);
		expect(await held()).toEqual({ from: 4, to: 5 });
		expect((await first.carrier.read(one.machine, 4)).map(({ seq }) => seq)).toEqual([4, 5]);
		await one.carrier.append(one.machine, batches(1, 6));
		await one.carrier.forget(one.machine, 6);
		expect(await held()).toEqual({ from: 7, to: 6 });
		await one.carrier.append(one.machine, batches(7, 7));
		// what was lost, and a snapshot stands for
		await one.carrier.forget(one.machine, 99);
		await one.carrier.append(one.machine, batches(100, 100));
		expect(await held()).toEqual({ from: 100, to: 100 });
	});

	test("documents are whole or not there", async () => {
		const one = await member(server, first);
		const name = `join/${one.machine}`;
		expect(await first.carrier.get(name)).toBeNull();
		await one.carrier.put(name, Buffer.from("one"));
		await one.carrier.put(name, Buffer.alloc(3 * 1024 * 1024, 7));
		expect((await first.carrier.get(name))?.length).toBe(3 * 1024 * 1024);
		await first.carrier.put("snapshot/b-1", Buffer.from("b"));
		await first.carrier.put("snapshot/a-1", Buffer.from("a"));
		expect(await first.carrier.list("snapshot/")).toEqual(["snapshot/a-1", "snapshot/b-1"]);
		// those are an owner's to make
		await expect(one.carrier.put("snapshot/c-1", Buffer.from("c"))).rejects.toMatchObject({ code: "42501" });
		await one.carrier.remove(name);
		await one.carrier.remove(name);
		expect(await first.carrier.list("join/")).toEqual([]);
	});

	test("the server says who wrote, when and from where", async () => {
		const one = await member(server, first);
		await one.carrier.append(one.machine, batches(1, 1));
		await one.carrier.put(`join/${one.machine}`, Buffer.from("x"));
		for (const table of ["batches", "documents"]) {
			const [row] = await server.sql(
				`SELECT login, address::text, clock_timestamp() - at < '1 min' AS fresh FROM ccg.${table} WHERE machine = '${one.machine}'`,
				"team",
			);
			expect(row).toEqual({ login: one.login.user, address: "127.0.0.1/32", fresh: true });
		}
	});

	test("a lease is one machine's, is renewed, and ends by the server's clock", async () => {
		const [one, two] = [await member(server, first), await member(server, first)];
		const takes = (who: Joined, seconds: number) => who.carrier.lease("task-1", PROJECTS[0], seconds);
		const end = () => server.sql("UPDATE ccg.leases SET until = clock_timestamp()", "team");
		expect(await takes(one, 60)).toMatchObject({ machine: one.machine, mine: true });
		expect(await takes(two, 60)).toMatchObject({ machine: one.machine, mine: false });
		const until = (await takes(one, 600))!.until;
		expect(until.getTime() - Date.now()).toBeGreaterThan(300_000);
		expect(await takes(two, 60)).toMatchObject({ mine: false });
		await end();
		expect(await takes(two, 1)).toMatchObject({ machine: two.machine, mine: true });
		await end();
		expect(await takes(one, 60)).toMatchObject({ machine: one.machine, mine: true });
		// of many at once one has it
		await end();
		const others = await Promise.all(Array.from({ length: 8 }, () => member(server, first)));
		const answers = await Promise.all(others.map((who) => takes(who, 60)));
		expect(answers.filter((answer) => answer!.mine).length).toBe(1);
	});

	test("a code is good once; a login that is gone stays gone", async () => {
		const code = await first.carrier.invite({ role: "reader", projects: null });
		const join = (machine = machineId()) =>
			joinSpace(targetOf(server.place, {}), code, { machine, name: "n", person: "p" });
		// a machine's id belongs to who has it
		await expect(join(first.machine)).rejects.toMatchObject({ code: "EMEMBER" });
		const tries = await Promise.allSettled([join(), join(), join()]);
		expect(tries.filter(({ status }) => status === "fulfilled").length).toBe(1);
		await expect(join()).rejects.toMatchObject({ code: REFUSED });
		await expect(first.carrier.invite({ role: "king" as never, projects: null })).rejects.toThrow();
		// the next invitation clears the login away
		await first.carrier.invite({ role: "reader", projects: null });
		const gone = `SELECT FROM pg_roles WHERE rolname = 'ccg_${code.slice(0, 16)}'`;
		expect(await server.sql(gone)).toEqual([]);
		expect(await server.sql("SELECT FROM ccg.members WHERE name = 'n'", "team")).toHaveLength(1);
	});

	test("an old code is refused, and its login is removed", async () => {
		const code = await first.carrier.invite({ role: "reader", projects: null });
		await server.sql("UPDATE ccg.members SET until = now() - interval '1 s' WHERE joined IS NULL", "team");
		const joining = joinSpace(targetOf(server.place, {}), code, { machine: machineId(), name: "n", person: "p" });
		await expect(joining).rejects.toMatchObject({ code: "42501" });
		await first.carrier.invite({ role: "reader", projects: null });
		expect(await server.sql(`SELECT FROM pg_roles WHERE rolname = 'ccg_${code.slice(0, 16)}'`)).toEqual([]);
	});

	test("leaving takes along what this machine has there; its batches an owner takes away, and nobody else", async () => {
		const one = await member(server, first);
		await one.carrier.append(one.machine, batches(1, 3));
		await one.carrier.put(`join/${one.machine}`, Buffer.from("x"));
		await one.carrier.lease("task-9", PROJECTS[0], 60);
		await one.carrier.put(`confirm/s/${one.machine}`, Buffer.from("x"));
		await one.carrier.expel(one.machine);
		// who was away needs it
		expect(await first.carrier.list(`confirm/s/${one.machine}`)).toHaveLength(1);
		const rowsIn = (table: string) => server.sql(`SELECT FROM ccg.${table} WHERE machine = '${one.machine}'`, "team");
		expect(await first.carrier.list(`join/${one.machine}`)).toEqual([]);
		expect(await rowsIn("leases")).toEqual([]);
		await expect((await reopened(one)).heads()).rejects.toMatchObject({ code: REFUSED });
		const writer = await member(server, first);
		await writer.carrier.append(writer.machine, batches(1, 3));
		await expect(writer.carrier.forget(one.machine, 3)).rejects.toMatchObject({ code: "42501" });
		await expect(first.carrier.forget(writer.machine, 3)).rejects.toMatchObject({ code: "42501" });
		await first.carrier.forget(one.machine, 3);
		expect(await rowsIn("batches")).toEqual([]);
	});

	test("a second init changes nothing; another space is told, but one that never came to be", async () => {
		await first.carrier.put("space", Buffer.from("x"));
		const again = { machine: machineId(), name: "n", person: "p" };
		const second = await makeSpace(targetOf(server.place, {}), SPACE, again);
		expect(second.user).not.toBe(first.login.user);
		const me = { machine: machineId(), name: "n", person: "p" };
		await expect(makeSpace(targetOf(server.place, {}), "f".repeat(32), me)).rejects.toMatchObject({
			code: "ESPACE",
		});
		const target = { ...targetOf(server.place, {}), login: first.login };
		await expect(openPostgres(target, "f".repeat(32))).rejects.toMatchObject({ code: "ESPACE" });
	});

	test.skipIf(isOne)("a store keeps the login of each address, and opens it without being told more", async () => {
		const way = { root: scratch(), address: server.place.replace("boss:boss-1@", ""), env: {} };
		await expect(postgresAt(way, SPACE)).rejects.toMatchObject({ code: "ELOGIN" });
		const invitation = await first.carrier.invite({ role: "writer", projects: null });
		expect(await spaceAt({ ...way, invitation })).toBe(SPACE);
		await expect(spaceAt({ ...way, invitation: "no code" })).rejects.toMatchObject({ code: "ECODE" });
		const machine = machineOf(publicOf(newMachine(way.root, {}).keys));
		await (await postgresAt({ ...way, invitation }, SPACE)).close();
		expect(await spaceAt(way)).toBe(SPACE);
		// a code that was taken is not asked for again
		const two = await postgresAt({ ...way, invitation }, SPACE);
		await two.append(machine, batches(1, 1));
		await two.close();
		// made anew by whoever owns a database
		await server.sql("CREATE DATABASE other OWNER boss");
		const address = server.place.replace(/team$/, "other");
		const made = () => {
			const root = scratch();
			newMachine(root, {});
			return postgresAt({ root, address, env: {} }, machineId(), true);
		};
		await (await made()).close();
		const again = await made();
		await again.put("space", Buffer.from("x"));
		await again.close();
		await expect(made()).rejects.toMatchObject({ code: "ESPACE" });
		await server.sql("DROP DATABASE other WITH (FORCE)");
	});

	test.skipIf(isOne)("a space of an older schema is brought up to date with what it holds", async () => {
		await server.sql("CREATE DATABASE older OWNER boss");
		const older = { ...server, place: server.place.replace(/team$/, "older") };
		const one = await owner(older);
		await one.carrier.append(one.machine, batches(1, 1));
		(SCHEMA as string[]).push("CREATE TABLE ccg.later AS SELECT 'x' AS what; SELECT ccg.allow();");
		const two = await owner(older).finally(() => (SCHEMA as string[]).pop());
		expect((await two.carrier.read(one.machine, 1)).map(({ seq }) => seq)).toEqual([1]);
		expect(await server.sql("SELECT version FROM ccg.about", "older")).toEqual([{ version: SCHEMA.length + 1 }]);
		// its rows are nobody's where no policy says so
		const raw = await one.raw();
		expect((await raw.query("SELECT * FROM ccg.later")).rows).toEqual([]);
		await Promise.all([raw.end(), two.carrier.close()]);
		// what a newer ccg asks of a schema that lacks it
		await server.sql("DROP FUNCTION ccg.search", "older");
		await expect(one.carrier.search("old", null, 10)).rejects.toThrow(/older than this ccg/);
		await one.carrier.close();
	});

	test("a newer schema is read where it says so, and else the reason is told", async () => {
		const say = (values: string) => server.sql(`UPDATE ccg.about SET ${values}`, "team");
		const [{ version }] = (await server.sql("SELECT version FROM ccg.about", "team")) as [{ version: number }];
		await say("version = 99, readers = 1, writers = 1");
		await (await again(first)).put(`join/${first.machine}`, Buffer.from("x"));
		await say("writers = 99");
		const reading = await again(first);
		expect(await reading.heads()).toBeInstanceOf(Map);
		await expect(reading.append(first.machine, batches(9, 9))).rejects.toMatchObject({ code: "ENEWER" });
		await expect(reading.put("space", Buffer.from("x"))).rejects.toThrow(/update ccg/);
		await say("readers = 99");
		await expect(again(first)).rejects.toMatchObject({ code: "ENEWER" });
		await say(`version = ${version}, readers = 1, writers = 1`);
	});

	/** One more connection of the same machine. */
	const again = ({ login }: Joined) => openPostgres({ ...targetOf(server.place, {}), login }, SPACE);
	const reopened = async (one: Joined) => {
		await one.carrier.close();
		return one.carrier;
	};
});
