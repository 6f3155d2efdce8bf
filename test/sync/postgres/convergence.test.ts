import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pull, push } from "../../../src/sync/exchange.ts";
import { newKeys, publicOf } from "../../../src/sync/keys.ts";
import { write } from "../../../src/sync/log.ts";
import { openPostgres, type PostgresCarrier } from "../../../src/sync/postgres/carrier.ts";
import { type Login, targetOf } from "../../../src/sync/postgres/connection.ts";
import { joinSpace, makeSpace } from "../../../src/sync/postgres/members.ts";
import { type Log, logOf, valuesOf, vectorOf } from "../../../src/sync/state.ts";
import { openSync } from "../../../src/sync/tables.ts";
import { PROJECTS, postgresServer, type Server } from "../../kit/postgres.ts";
import { describeWith } from "../../kit/with-programs.ts";
import { scratch } from "../../scratch-home.ts";

/** `npm test` runs 10. */
const RUNS = Number(process.env.CCG_TEST_HISTORIES ?? (process.env.CCG_TEST_SHORT ? 10 : 200));
const DAY = 24 * 60 * 60_000;
const NAMES = ["a", "b", "c"];

const who = fc.nat(NAMES.length - 1);
const STEP = fc.oneof(
	{ weight: 12, arbitrary: fc.record({ do: fc.constant("change" as const), who, note: fc.nat(2), mask: fc.nat(3) }) },
	{
		weight: 12,
		arbitrary: fc.record({ do: fc.constant("sync" as const), who, killAt: fc.oneof(fc.constant(-1), fc.nat(6)) }),
	},
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("together" as const), who }) },
	{
		weight: 1,
		arbitrary: fc.record({ do: fc.constant("clock" as const), who, offset: fc.integer({ min: -DAY, max: DAY }) }),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const), who }) },
);
const HISTORY = fc.array(STEP, { minLength: 15, maxLength: 40 });

class Killed extends Error {}

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
		const first = await makeSpace(target, {}, space.id, { machine: one.machine, name: "a", person: "p" });
		const carrier = await openPostgres({ ...target, login: first }, {}, space.id);
		const code = await carrier.invite({ role: "writer", projects: [PROJECTS[0]], hours: 1 });
		const login = await joinSpace(target, {}, code, { machine: two.machine, name: "m", person: "p" });
		const value = { ...publicOf(two.keys), role: "writer", since: -1, name: "m", person: "p" };
		write(one, null, [{ item: `member:${two.machine}`, field: "role", value }]);
		for (const [index, project] of [PROJECTS[0], PROJECTS[1], PROJECTS[1], PROJECTS[0]].entries())
			write(one, project, [{ item: `note:${index}`, field: "text", value: `text ${index}`, replaces: [] }]);
		await push(one, carrier);
		const limited = await openPostgres({ ...target, login }, {}, space.id);
		expect((await pull(two, limited)).problems).toEqual([]);
		expect(valuesOf(two, "note:").map((note) => note.value)).toEqual(["text 0", "text 3"]);
		write(two, PROJECTS[0], [{ item: "note:9", field: "text", value: "mine", replaces: [] }]);
		await push(two, limited);
		expect((await pull(one, carrier)).problems).toEqual([]);
		expect(valuesOf(one, "note:9").map((note) => note.value)).toEqual(["mine"]);
		await Promise.all([carrier.close(), limited.close()]);
	});

	test("are equal in the end, and nothing is lost, whatever dies on the way", { timeout: 1_300_000 }, async () => {
		let number = 0;
		const run = async (steps: typeof HISTORY extends fc.Arbitrary<infer T> ? T : never): Promise<void> => {
			const database = `history_${++number}`;
			await server.sql(`CREATE DATABASE ${database} OWNER boss`);
			const target = targetOf(server.place.replace(/team$/, database), {});
			const folder = scratch("history");
			let ms = Date.parse("2026-11-24T10:00:00Z");
			const keys = NAMES.map(newKeys);
			const space = { id: "5".repeat(32), root: publicOf(keys[0]!), nonce: "" };
			const offsets = NAMES.map(() => 0);
			const logs: Log[] = NAMES.map((name, i) =>
				logOf(openSync(join(folder, `${name}.sqlite`), true)!.rows, space, keys[i]!, () => ++ms + offsets[i]!),
			);
			const logins: Login[] = [];
			const first = await makeSpace(target, {}, space.id, { machine: logs[0]!.machine, name: "a", person: "p" });
			logins.push(first);
			const root = await openPostgres({ ...target, login: first }, {}, space.id);
			for (const log of logs.slice(1)) {
				const code = await root.invite({ role: "writer", projects: null, hours: 1 });
				logins.push(await joinSpace(target, {}, code, { machine: log.machine, name: "m", person: "p" }));
				const value = { ...publicOf(log.keys), role: "writer", since: -1, name: "m", person: "p" };
				write(logs[0]!, null, [{ item: `member:${log.machine}`, field: "role", value }]);
			}
			await root.close();
			const sync = async (i: number, kill = -1): Promise<void> => {
				const carrier = await openPostgres({ ...target, login: logins[i]! }, {}, space.id);
				try {
					const given = dying(carrier, kill);
					if (kill % 2 === 0) await push(logs[i]!, given);
					const { problems } = await pull(logs[i]!, given);
					expect(problems).toEqual([]);
					await push(logs[i]!, given);
				} catch (error) {
					if (!(error instanceof Killed)) throw error;
				} finally {
					await carrier.close();
				}
			};
			for (const i of NAMES.keys()) await sync(i);
			const written: string[] = [];
			for (const [n, step] of steps.entries()) {
				ms += 60_000;
				if (step.do === "clock") offsets[step.who] = step.offset;
				if (step.do === "sync") await sync(step.who, step.killAt);
				if (step.do === "together") await Promise.all(NAMES.map((_, i) => sync(i)));
				if (step.do === "crash") {
					const dying = sync(step.who).catch(() => {});
					await server.kill();
					await dying;
					await server.start();
				}
				if (step.do === "change") {
					const [log, item] = [logs[step.who]!, `note:${step.note}`];
					const there = valuesOf(log, item).filter((one) => one.item === item);
					const replaces = there.filter((_, i) => (step.mask >> i) & 1).map(({ id }) => id);
					written.push(
						...write(log, PROJECTS[step.note % 2]!, [{ item, field: "text", value: `${n} of ${step.who}`, replaces }]),
					);
				}
			}
			for (let round = 0; round < 3; round++) for (const i of NAMES.keys()) await sync(i);
			const states = logs.map((log) => [
				[...vectorOf(log)].sort(),
				valuesOf(log, "")
					.map((one) => `${one.id} ${one.item} ${JSON.stringify(one.value)}`)
					.sort(),
			]);
			for (const state of states) expect(state).toEqual(states[0]);
			const seen = new Map(vectorOf(logs[0]!));
			for (const id of written) {
				const [machine = "", seq] = id.split(":");
				expect(seen.get(machine) ?? 0, id).toBeGreaterThanOrEqual(Number(seq));
			}
			await server.sql(`DROP DATABASE ${database} WITH (FORCE)`);
		};
		const found = await fc.check(fc.asyncProperty(HISTORY, run), {
			numRuns: RUNS,
			endOnFailure: true,
			interruptAfterTimeLimit: 1_200_000,
		});
		expect(found.failed, fc.defaultReportMessage(found) ?? "").toBe(false);
	});
});

/** The carrier, until a step of it at which the machine is killed: before it, or behind it. */
function dying(carrier: PostgresCarrier, killAt: number): PostgresCarrier {
	let left = killAt;
	const step = (): void => {
		if (left-- === 0) throw new Killed();
	};
	return new Proxy(carrier, {
		get(target, name: keyof PostgresCarrier) {
			const act = target[name];
			if (typeof act !== "function") return act;
			return async (...given: never[]) => {
				step();
				const answer = await (act as (...given: never[]) => Promise<unknown>)(...given);
				step();
				return answer;
			};
		},
	});
}
