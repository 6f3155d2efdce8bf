import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pull, push } from "../../../src/sync/exchange.ts";
import { newKeys, publicOf } from "../../../src/sync/keys.ts";
import { write } from "../../../src/sync/log.ts";
import { openPostgres, type PostgresCarrier } from "../../../src/sync/postgres/carrier.ts";
import { targetOf } from "../../../src/sync/postgres/connection.ts";
import { joinSpace, makeSpace } from "../../../src/sync/postgres/members.ts";
import { logOf, valuesOf } from "../../../src/sync/state.ts";
import { openSync } from "../../../src/sync/tables.ts";
import { PROJECTS, postgresServer, type Server } from "../../kit/postgres.ts";
import { coreWith } from "../../kit/sync-core.ts";
import { histories } from "../../kit/sync-histories.ts";
import { type MakeWay, SPACE } from "../../kit/sync-ways.ts";
import { describeWith } from "../../kit/with-programs.ts";
import { scratch } from "../../scratch-home.ts";

/** `npm test` runs 10. */
const RUNS = Number(process.env.CCG_TEST_HISTORIES ?? (process.env.CCG_TEST_SHORT ? 10 : 200));

describeWith("postgres")("machines that share a PostgreSQL", () => {
	let server: Server;
	beforeAll(async () => {
		// it loses what nobody asked it to keep
		server = await postgresServer({ fsync: "off", synchronous_commit: "off", wal_writer_delay: "10s" });
	}, 60_000);
	afterAll(() => server?.end());

	test("a machine that shares one project follows the others across what is not for it", async () => {
		await server.sql("CREATE DATABASE part OWNER boss");
		const target = targetOf(server.place.replace(/team$/, "part"), {});
		const [root, other] = [newKeys(), newKeys()];
		const space = { id: "5".repeat(32), root: publicOf(root), nonce: "" };
		let ms = Date.parse("2026-11-24T10:00:00Z");
		const logOfOne = (keys: typeof root, name: string) =>
			logOf(openSync(join(scratch("some"), `${name}.sqlite`), true)!.rows, space, keys, () => ++ms);
		const [one, two] = [logOfOne(root, "one"), logOfOne(other, "two")];
		const first = await makeSpace(target, space.id, { machine: one.machine, name: "a", person: "p" });
		const carrier = await openPostgres({ ...target, login: first }, space.id);
		const code = await carrier.invite({ role: "writer", projects: [PROJECTS[0]] });
		const login = await joinSpace(target, code, { machine: two.machine, name: "m", person: "p" });
		const value = { ...publicOf(two.keys), role: "writer", since: -1, name: "m", person: "p" };
		write(one, null, [{ item: `member:${two.machine}`, field: "role", value }]);
		for (const [index, project] of [PROJECTS[0], PROJECTS[1], PROJECTS[1], PROJECTS[0]].entries())
			write(one, project, [{ item: `note:${index}`, field: "text", value: `text ${index}`, replaces: [] }]);
		await push(one, carrier);
		const limited = await openPostgres({ ...target, login }, space.id);
		expect((await pull(two, limited)).problems).toEqual([]);
		expect(valuesOf(two, "note:").map((note) => note.value)).toEqual(["text 0", "text 3"]);
		write(two, PROJECTS[0], [{ item: "note:9", field: "text", value: "mine", replaces: [] }]);
		await push(two, limited);
		expect((await pull(one, carrier)).problems).toEqual([]);
		expect(valuesOf(one, "note:9").map((note) => note.value)).toEqual(["mine"]);
		await Promise.all([carrier.close(), limited.close()]);
	});

	/** Each history has a database of its own, which all its machines reach. */
	let number = 0;
	const byPostgres: MakeWay = async (_, __, machines) => {
		const database = `history_${++number}`;
		await server.sql(`CREATE DATABASE ${database} OWNER boss`);
		const target = targetOf(server.place.replace(/team$/, database), {});
		const [first, ...others] = machines.map((machine) => ({ machine, name: "m", person: "p" }));
		const logins = [await makeSpace(target, SPACE, first!)];
		const opened = new Map<number, PostgresCarrier>();
		const open = async (i: number): Promise<PostgresCarrier> => {
			const carrier = await openPostgres({ ...target, login: logins[i]! }, SPACE);
			opened.set(i, carrier);
			return carrier;
		};
		const root = await open(0);
		for (const other of others) {
			const code = await root.invite({ role: "owner", projects: null });
			logins.push(await joinSpace(target, code, other));
		}
		await root.close();
		return {
			open,
			bury: (i) => opened.get(i)?.close(),
			async crash() {
				await server.kill();
				await server.start();
			},
			end: async () => void (await server.sql(`DROP DATABASE ${database} WITH (FORCE)`)),
		};
	};

	test("are equal in the end, and nothing is lost, whatever dies on the way", { timeout: 3_600_000 }, async () => {
		const found = await histories(await coreWith(), byPostgres, RUNS, 20);
		expect(found.failed, `${found.errorInstance}\n${fc.defaultReportMessage(found)}`).toBe(false);
		expect(found.numRuns).toBe(RUNS);
	});
});
