import { afterAll, beforeAll, expect, test } from "vitest";
import { redactSecrets } from "../../../src/core/redact/secrets.ts";
import { type Joined, member, owner, PROJECTS, postgresServer, type Server } from "../../kit/postgres.ts";
import { describeWith } from "../../kit/with-programs.ts";

const [A, B] = PROJECTS;

describeWith("postgres")("a team's search", () => {
	let server: Server;
	let one: Joined;
	let two: Joined;
	beforeAll(async () => {
		server = await postgresServer({ fsync: "off" });
		one = await owner(server);
		two = await member(server, one);
		await tell(one, "note:1", "The parser port keeps the old grammar until the tests pass", "1");
		await tell(one, "note:2", "Deployments are frozen on Fridays", "1", B);
		await tell(one, "note:3", "文法の移植はテストが通るまで待つ", "1");
		await tell(one, "note:4", "for all: call the parser once", "1", null);
	}, 60_000);
	afterAll(() => server?.end());

	const tell = (who: Joined, item: string, text: string | null, clock: string, project: string | null = A) =>
		who.carrier.tell([{ item, project, text: text === null ? null : redactSecrets(text), clock }]);
	const items = async (query: string, projects: string[] | null = null, who = two) =>
		(await who.carrier.search(query, projects, 10)).map(({ item }) => item);

	test("finds any of the words in other forms, best first, and says whose they are", async () => {
		expect(await items("grammars of parsers")).toEqual(["note:1", "note:4"]);
		const [hit] = await two.carrier.search("frozen deployment", null, 10);
		expect(hit).toMatchObject({ project: B, machine: one.machine, name: "first", person: "Ada", at: expect.any(Date) });
		expect(await items("parser", [A])).toEqual(["note:1"]);
		expect(await items("移植")).toEqual(["note:3"]);
		expect(await items("nowhere")).toEqual([]);
		for (const odd of ["", "'", "& | !", "%", "\\", "a".repeat(100_000)])
			expect(await items(odd), odd.slice(0, 9)).toEqual([]);
	});

	test("of an item the latest stands, whoever wrote it; an older one changes nothing", async () => {
		await tell(two, "note:1", "The port is done", "2");
		expect(await items("grammar")).toEqual([]);
		expect(await items("port done")).toEqual(["note:1"]);
		await tell(two, "note:1", "The grammar again", "1");
		expect(await items("grammar")).toEqual([]);
		await tell(one, "note:1", null, "3");
		expect(await items("port")).toEqual([]);
	});

	test("a project that is not shared is not found, nor can its items be covered from another", async () => {
		const some = await member(server, one, { projects: [A] });
		expect(await items("frozen", null, some)).toEqual([]);
		expect(await items("frozen", [B], some)).toEqual([]);
		await tell(some, "note:2", null, "9", A);
		expect(await items("frozen")).toEqual(["note:2"]);
		await expect(tell(some, "note:2", "x", "9", B)).rejects.toMatchObject({ code: "42501" });
	});

	test("what is left is not found", async () => {
		const some = await member(server, one);
		await tell(some, "note:9", "a zebra crossing", "1");
		expect(await items("zebra")).toEqual(["note:9"]);
		await some.carrier.expel(some.machine);
		expect(await items("zebra")).toEqual([]);
	});
});
