import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redactSecrets } from "../../../src/core/redact/secrets.ts";
import { embeddingServer, honest } from "../../kit/embedding-server.ts";
import { pgliteServer } from "../../kit/pglite.ts";
import { type Joined, member, owner, PROJECTS, postgresServer, type Server } from "../../kit/postgres.ts";
import { type Home, homeAt, joinsFor } from "../../kit/sync-commands.ts";
import { canRun } from "../../kit/with-programs.ts";
import { scratch } from "../../scratch-home.ts";

const [A, B] = PROJECTS;
const SERVERS = [
	{ name: "PostgreSQL 18 with pgvector", programs: [], start: () => pgliteServer(), isThere: true },
	{ name: "PostgreSQL 18 that has pgvector to install", programs: [], start: () => pgliteServer({ extension: false }) },
	{ name: "a real PostgreSQL without it", programs: ["postgres"], start: () => postgresServer({ fsync: "off" }) },
].filter(({ programs }) => canRun(...programs));

/** Of ships, of food, or of neither. */
const model = (text: string): number[] =>
	[/ship|vessel|sail/i, /bread|meal|eat/i, /^/].map((about) => +about.test(text));
const meant = (text: string, of = "m") => ({ model: of, vector: Float32Array.from(model(text)) });

describe.each(SERVERS)("a team's search by meaning on $name", { timeout: 60_000 }, ({ start, isThere = false }) => {
	let server: Server;
	let [one, two, limited]: Joined[] = [];
	beforeAll(async () => {
		server = await start();
		one = await owner(server);
		two = await member(server, one);
		limited = await member(server, one, { role: "reader", projects: [A] });
	}, 60_000);
	afterAll(() => server?.end());

	const tell = async (who: Joined, item: string, text: string, clock = "1", project = A, of = "m") => {
		await who.carrier.tell([{ item, project, text: redactSecrets(text), clock }]);
		await who.carrier.embed(of, [{ item, clock, vector: meant(text).vector }]);
	};
	const items = async (who: Joined, query: string, about = query, of = "m", projects: string[] | null = null) =>
		(await who.carrier.search(query, projects, 10, meant(about, of))).map(({ item }) => item);
	const withExtension = (found: string[], without: string[] = []) => (isThere ? found : without);

	test("joins what holds the words with what is near, the same model's alone", async () => {
		await tell(one!, "note:1", "the vessel leaves at dawn");
		await tell(one!, "note:2", "bread is for all");
		await tell(two!, "note:3", "a ship of the dawn patrol", "1", B);
		await tell(two!, "note:4", "sail away", "1", B, "another");
		expect(await items(one!, "ships")).toEqual(withExtension(["note:3", "note:1", "note:2"], ["note:3"]));
		expect((await items(one!, "dawn", "eat")).at(-1)).toBe(withExtension(["note:2"], ["note:3"])[0]);
		expect(await items(one!, "sailing ships", "sail", "another")).toEqual(["note:4", "note:3"]);
		expect(await items(one!, "zebra", "sail", "nobody's")).toEqual([]);
		expect(await items(one!, "zebra", "sail", "m", [A])).toEqual(withExtension(["note:1", "note:2"]));
		// a query of another length, one that is no direction
		const of = (...numbers: number[]) =>
			one!.carrier.search("dawn", null, 10, { model: "m", vector: Float32Array.from(numbers) });
		for (const odd of [of(1), of(Number.NaN, 1, 1), of(0, 0, 0), of()])
			expect((await odd).map(({ item }) => item)).toEqual(expect.arrayContaining(["note:1", "note:3"]));
	});

	test("nobody finds beyond their rights, and a hostile vector hurts nobody", async () => {
		await tell(two!, "note:closed", "a ship that is secret", "1", B);
		expect(await items(limited!, "ship")).toEqual(withExtension(["note:1", "note:2"]));
		expect(await items(limited!, "zebra", "ship", "m", [B])).toEqual([]);
		const gone = await member(server, one!);
		await tell(gone, "note:gone", "a vessel of who left");
		await one!.carrier.expel(gone.machine);
		for (const who of [gone, limited!]) {
			expect(await who.carrier.search("ship", [B], 10, meant("ship")).catch(() => [])).toEqual([]);
			await expect(who.carrier.embed("m", [])).rejects.toMatchObject({ code: "42501" });
			expect(await who.carrier.unembedded(two!.machine, "m", 9).catch(() => [])).toEqual([]);
			const raw = await who.raw().catch(() => null);
			for (const sql of [
				"UPDATE ccg.texts SET numbers = NULL",
				"SELECT ccg.acting('{owner}')",
				"DELETE FROM ccg.texts",
			])
				if (raw) await expect(raw.query(sql), sql).rejects.toMatchObject({ code: "42501" });
			await raw?.end();
		}
		const put = (vector: string, item = "note:3") =>
			server.sql(
				`UPDATE ccg.texts SET model = 'm', numbers = ${vector} WHERE machine = '${two!.machine}' AND item = '${item}'`,
				"team",
			);
		for (const odd of [
			"'{NaN,1,1}'",
			"'{1,Infinity,1}'",
			"'{1,NULL,1}'",
			"'{{1,1,1}}'",
			"array_fill(1::real, '{4097}')",
		])
			await expect(put(odd), odd).rejects.toMatchObject({ code: "23514" });
		await put("'{0,0,0}'");
		const found = await items(one!, "zebra", "ship");
		expect(found.slice(0, 3).sort()).toEqual(withExtension(["note:1", "note:closed", "note:gone"]));
		expect(found.slice(3)).toEqual(withExtension(["note:2", "note:3"]));
		// a vector of no text of one's own says nothing
		await two!.carrier.embed("m", [{ item: "note:1", clock: "1", vector: meant("ship").vector }]);
		expect(
			await server.sql(`SELECT FROM ccg.texts WHERE item = 'note:1' AND machine = '${two!.machine}'`, "team"),
		).toEqual([]);
	});

	test("a vector is of the text it was made of, and goes with it", async () => {
		const lacking = async () => (await two!.carrier.unembedded(two!.machine, "m", 100)).map(({ item }) => item);
		expect(await lacking()).toEqual(withExtension(["note:4"]));
		await two!.carrier.tell([{ item: "note:closed", project: B, text: redactSecrets("bread"), clock: "2" }]);
		expect(await lacking()).toEqual(withExtension(["note:closed", "note:4"]));
		expect(await items(one!, "zebra", "ship")).not.toContain("note:closed");
		// one that the model refuses, and one that came too late
		const late = { item: "note:closed", clock: "1", vector: meant("ship").vector };
		await two!.carrier.embed("m", [{ item: "note:4", clock: "1", vector: null }, late]);
		expect(await lacking()).toEqual(withExtension(["note:closed"]));
		expect(await items(one!, "zebra", "ship")).not.toContain("note:4");
		await two!.carrier.expel(two!.machine);
		expect(await server.sql(`SELECT FROM ccg.texts WHERE machine = '${two!.machine}'`, "team")).toEqual([]);
	});

	test.runIf(isThere)("the extension may go, come and lie anywhere; where it fails, words are found", async () => {
		const near = () => items(one!, "leaves", "eat");
		expect(await near()).toContain("note:2");
		await server.sql("DROP EXTENSION vector");
		expect(await near()).toEqual(["note:1"]);
		expect(await one!.carrier.unembedded(one!.machine, "other", 9)).toEqual([]);
		await server.sql("CREATE SCHEMA other; CREATE EXTENSION vector SCHEMA other");
		expect(await near()).toEqual(["note:1"]);
		await server.sql("GRANT USAGE ON SCHEMA other TO boss");
		expect(await near()).toContain("note:2");
		await server.sql(`REVOKE EXECUTE ON FUNCTION other.cosine_distance(other.vector, other.vector) FROM PUBLIC`);
		expect(await near()).toEqual(["note:1"]);
		await server.sql("GRANT EXECUTE ON FUNCTION other.cosine_distance(other.vector, other.vector) TO PUBLIC");
		await server.sql("ALTER EXTENSION vector SET SCHEMA public");
		expect(await near()).toContain("note:2");
	});
});

const COMMANDS = SERVERS.filter(({ isThere, programs }) => isThere || programs.length > 0);
describe.each(COMMANDS)(
	"recall --team by meaning, by commands, on $name",
	{ timeout: 120_000 },
	({ start, isThere = false }) => {
		let server: Server;
		let [ann, bob]: Home[] = [];
		const [DIM, REFUSED] = ["dimly", "unspeakable"];
		let answer: (texts: string[]) => Response | Promise<Response> = honest(model);
		const endpoint = embeddingServer((texts) => answer(texts));
		const asked = (): string[] => endpoint.received.splice(0).flatMap(({ body }) => JSON.parse(body).input);
		const configure = (home: Home) => {
			mkdirSync(home.store, { recursive: true });
			const embeddings = { url: endpoint.url, model: "m" };
			writeFileSync(join(home.store, "config.json"), JSON.stringify({ embeddings }), { mode: 0o600 });
		};
		const texts = async (home: Home, ...words: string[]): Promise<string[]> =>
			(await home.json("recall", "--team", ...words)).map(({ text }: { text: string }) => text);
		const vectors = async (): Promise<number> =>
			(await server.sql("SELECT FROM ccg.texts WHERE numbers IS NOT NULL", "team")).length;

		beforeAll(async () => {
			server = await start();
			[ann, bob] = ["ann", "bob"].map((name) => homeAt(scratch("meaning"), name));
			await ann!.ccg("memory", "save", "the vessel leaves at dawn");
			const id = await ann!.init(server.place);
			await joinsFor(id, ann!, bob!, "--role", "writer");
			await bob!.ccg("memory", "save", "bread is for all");
			await bob!.ccg("sync", "now");
		}, 120_000);
		afterAll(() => server?.end());

		test("a machine that gets an endpoint fills in a bounded number of earlier texts with each exchange", async () => {
			expect(await vectors()).toBe(0);
			const key = `sk-ant-api03-${"a1B2".repeat(24)}`;
			for (let i = 0; i < 35; i++)
				await ann!.ccg(
					"memory",
					"save",
					i === 0 ? `${REFUSED}: the key ${key} ${DIM} ${"of it ".repeat(1_000)}` : `${DIM} ${i}`,
				);
			await ann!.ccg("sync", "now");
			expect(asked()).toEqual([]);
			configure(ann!);
			answer = (all) => (all.join().includes(REFUSED) ? new Response("", { status: 422 }) : honest(model)(all));
			const sent: string[][] = [];
			for (let i = 0; i < 3; i++) {
				expect(await ann!.ccg("sync", "now")).toMatchObject({ code: 0, err: "" });
				sent.push(asked());
			}
			// one is refused, and not asked for again
			expect(sent.map(({ length }) => length)).toEqual(isThere ? [32, 4, 0] : [0, 0, 0]);
			expect(await vectors()).toBe(isThere ? 35 : 0);
			expect(sent.join()).not.toContain("sk-ant-api03");
			expect(Math.max(0, ...sent.flat().map(({ length }) => length))).toBe(isThere ? 4_000 : 0);
		});

		test("what is near is found by who has the endpoint, whoever wrote it", async () => {
			configure(bob!);
			await bob!.ccg("sync", "now");
			asked();
			expect((await texts(ann!, "when do ships go")).slice(0, isThere ? 1 : 9)).toEqual(
				isThere ? ["the vessel leaves at dawn"] : [],
			);
			expect(asked()).toEqual(["when do ships go"]);
			expect((await texts(ann!, "who eats"))[0]).toBe(isThere ? "bread is for all" : undefined);
			const { out, err } = await bob!.ccg("recall", "--team", "zebras", "eat");
			expect(err).toBe("");
			expect(out).toMatch(
				isThere ? /^Found in .*, best first, none with these words; .*\nnote by `bob/s : /^Nothing found/,
			);
			expect((await bob!.ccg("recall", "--team", "bread")).out).toMatch(/best first; behind/);
		});

		test("an endpoint that fails or is slow fails nothing, and says so", async () => {
			answer = () => new Response("", { status: 503 });
			await ann!.ccg("memory", "save", "one more meal");
			expect(await ann!.ccg("sync", "now")).toMatchObject({ code: 0, err: "" });
			expect(await ann!.ccg("recall", "--team", "meal")).toMatchObject({
				code: 0,
				err: expect.stringContaining("semantic search answered HTTP 503: text alone"),
				out: expect.stringContaining("one more meal"),
			});
			answer = (all) => sleep(2_000).then(() => honest(model)(all));
			const slow = await ann!.ccg("recall", "--team", "meal");
			expect(slow).toMatchObject({ code: 0, err: expect.stringContaining("within 300 ms") });
			expect(slow.out).toContain("one more meal");
			const before = await vectors();
			answer = honest(model);
			await ann!.ccg("sync", "now");
			expect(await vectors()).toBe(before + (isThere ? 1 : 0));
			// what is no more has no vector
			await ann!.ccg("memory", "delete", "one more meal", "--yes");
			await ann!.ccg("sync", "now");
			expect(await texts(ann!, "who eats")).not.toContain("one more meal");
		});
	},
);

describe("an encrypted space", () => {
	test("tells no vector, and asks no endpoint", { timeout: 60_000 }, async () => {
		const server = await pgliteServer();
		const endpoint = embeddingServer(honest(model));
		const ann = homeAt(scratch("meaning"), "ann");
		mkdirSync(ann.store, { recursive: true });
		const embeddings = { url: endpoint.url, model: "m" };
		writeFileSync(join(ann.store, "config.json"), JSON.stringify({ embeddings }), { mode: 0o600 });
		await ann.init(server.place, "--encrypt");
		await ann.ccg("memory", "save", "a secret vessel");
		expect(await ann.ccg("sync", "now")).toMatchObject({ code: 0, err: "" });
		expect((await ann.ccg("recall", "--team", "ships")).err).toContain("is encrypted");
		expect(endpoint.received).toEqual([]);
		expect(await server.sql("SELECT FROM ccg.texts")).toEqual([]);
		await server.end();
	});
});
