import { afterAll, beforeAll, expect, test } from "vitest";
import { batches, type Joined, member, owner, postgresServer, type Server } from "../kit/postgres.ts";
import { describeWith } from "../kit/with-programs.ts";

/** A server whose own transactions may be lost: commits return before they are on the disk, and nothing is written for ten seconds. */
const LOSING = { synchronous_commit: "off", wal_writer_delay: "10s", wal_writer_flush_after: "1GB", fsync: "off" };

describeWith("postgres", "pgbouncer")("a server that is killed", () => {
	let server: Server;
	let first: Joined;
	let other: Joined;
	beforeAll(async () => {
		server = await postgresServer(LOSING);
		first = await owner(server);
		other = await member(server, first);
		await server.sql("CREATE TABLE lost (number int)", "team");
		await server.sql("CHECKPOINT");
	}, 60_000);
	afterAll(() => server?.end());

	test("loses its own last transactions, and nothing that the carrier has acknowledged", async () => {
		let lost = 0;
		let acknowledged = 0;
		for (let round = 1; round <= 4; round++) {
			await first.carrier.append(first.machine, batches(acknowledged + 1, acknowledged + 50));
			acknowledged += 50;
			await first.carrier.put("snapshot/s-1", Buffer.from(`round ${round}`));
			expect(await first.carrier.lease("task-1", "p", 600)).toMatchObject({ mine: true });
			await server.sql(`INSERT INTO lost VALUES (${round})`, "team");
			await server.kill();
			await expect(first.carrier.heads()).rejects.toMatchObject({ code: "EOFFLINE" });
			await server.start();
			// (the connection is made anew)
			expect((await first.carrier.heads()).get(first.machine)).toEqual({ from: 1, to: acknowledged });
			expect(Buffer.from((await first.carrier.get("snapshot/s-1"))!).toString()).toBe(`round ${round}`);
			expect(await other.carrier.lease("task-1", "p", 600)).toMatchObject({ machine: first.machine, mine: false });
			lost += (await server.sql(`SELECT FROM lost WHERE number = ${round}`, "team")).length === 0 ? 1 : 0;
		}
		// else the attack proves nothing
		expect(lost).toBeGreaterThan(0);
		expect((await other.carrier.read(first.machine, 1)).map(({ seq }) => seq)).toEqual(
			Array.from({ length: acknowledged }, (_, index) => index + 1),
		);
	});

	test("while it takes batches keeps a beginning of them, each whole; offering them again completes it", async () => {
		const one = await member(server, first);
		let acknowledged = 0;
		for (let round = 0; round < 5; round++) {
			const writing = (async () => {
				for (;;) {
					await one.carrier.append(one.machine, batches(acknowledged + 1, acknowledged + 20));
					acknowledged += 20;
				}
			})().catch((error) => error);
			await new Promise((resolve) => setTimeout(resolve, 20 + 40 * round));
			await server.kill();
			expect(await writing).toMatchObject({ code: "EOFFLINE" });
			await server.start();
			const head = (await one.carrier.heads()).get(one.machine);
			expect(head?.to ?? 0).toBeGreaterThanOrEqual(acknowledged);
			// what was not acknowledged may be there: all 20 of it or none
			expect((head?.to ?? 0) % 20).toBe(0);
			await one.carrier.append(one.machine, batches(acknowledged + 1, acknowledged + 20));
			acknowledged = (await one.carrier.heads()).get(one.machine)!.to;
		}
		const all = [];
		for (let seq = 1; seq <= acknowledged; seq = all.length + 1)
			all.push(...(await other.carrier.read(one.machine, seq)));
		expect(all.map(({ seq, bytes }) => [seq, Buffer.from(bytes).toString()])).toEqual(
			batches(1, acknowledged).map(({ seq, bytes }) => [seq, Buffer.from(bytes).toString()]),
		);
	});

	test("behind a pooler is told as away, and is spoken to again when it is back", async () => {
		const pooled = await postgresServer({ fsync: "off" }, { pooled: true });
		const one = await owner(pooled);
		await pooled.kill();
		for (let times = 0; times < 2; times++)
			await expect(one.carrier.heads()).rejects.toMatchObject({ code: "EOFFLINE" });
		await pooled.start();
		// (the pooler tries again when it likes)
		const isBack = () =>
			one.carrier.heads().then(
				() => true,
				() => false,
			);
		await expect.poll(isBack, { timeout: 40_000, interval: 500 }).toBe(true);
		await one.carrier.close();
		await pooled.end();
	});

	test("that stopped in the middle of making the schema has none of it", async () => {
		await server.sql("CREATE DATABASE half OWNER boss");
		const place = server.place.replace(/team$/, "half");
		const half = { ...server, place };
		await server.sql("ALTER ROLE boss NOCREATEROLE");
		await expect(owner(half)).rejects.toMatchObject({ code: "42501" });
		expect(await server.sql("SELECT FROM pg_namespace WHERE nspname = 'ccg'", "half")).toEqual([]);
		await server.sql("ALTER ROLE boss CREATEROLE");
		const one = await owner(half);
		expect(await one.carrier.heads()).toEqual(new Map());
		await one.carrier.close();
	});
});
