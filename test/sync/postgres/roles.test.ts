import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pgliteServer } from "../../kit/pglite.ts";
import { member, owner, postgresServer, type Server } from "../../kit/postgres.ts";
import { canRun } from "../../kit/with-programs.ts";

const SERVERS = [
	{ name: "PostgreSQL as it is installed here", programs: ["postgres"], start: () => postgresServer({ fsync: "off" }) },
	{ name: "PostgreSQL 18", programs: [], start: () => pgliteServer(), isNew: true },
].filter(({ programs }) => canRun(...programs));

// the owner of the database has CREATEROLE and is no superuser
describe.each(SERVERS)("roles of a space on $name", ({ start, isNew = false }) => {
	let server: Server;
	beforeAll(async () => {
		server = await start();
	}, 60_000);
	afterAll(() => server?.end());

	const roles = async (what: string) =>
		(await server.sql(`SELECT rolname FROM pg_roles r WHERE rolname ~ '^ccg_' AND ${what}`, "team")).length;

	test("the owner may give and end each of them, also when the server is upgraded", async () => {
		const first = await owner(server);
		const [one, two] = [await member(server, first), await member(server, first, { role: "reader" })];
		await first.carrier.invite({ role: "writer", projects: null });
		// the role of all, three members, the invitation; those that were taken are gone
		expect(await roles("true")).toBe(5);
		const managed = `EXISTS (SELECT FROM pg_auth_members m WHERE m.roleid = r.oid AND m.member = 'boss'::regrole AND m.admin_option)`;
		expect(await roles(`NOT ${managed}`)).toBe(0);
		// an upgrade to 16 keeps who is in a role, and not who gave it
		const [{ members }] = (await server.sql("SELECT members FROM ccg.about", "team")) as [{ members: string }];
		for (const { login } of isNew ? [one, two] : [])
			await server.sql(
				`REVOKE ${members} FROM ${login.user} GRANTED BY boss; GRANT ${members} TO ${login.user} GRANTED BY CURRENT_USER`,
				"team",
			);
		await first.carrier.expel(one.machine);
		expect(await one.carrier.members().catch(() => [])).toEqual([]);
		await two.carrier.expel(two.machine);
		expect(await roles("rolcanlogin")).toBe(2);
		await first.carrier.invite({ role: "writer", projects: null });
		expect(await roles("true")).toBe(4);
		expect(await roles(`NOT ${managed}`)).toBe(0);
	});
});
