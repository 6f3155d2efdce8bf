import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redactSecrets } from "../../src/core/redact/secrets.ts";
import { openPostgres } from "../../src/sync/postgres/carrier.ts";
import { targetOf } from "../../src/sync/postgres/connection.ts";
import { pgliteServer } from "../kit/pglite.ts";
import { batches, type Joined, member, owner, PROJECTS, postgresServer, type Server, SPACE } from "../kit/postgres.ts";
import { canRun } from "../kit/with-programs.ts";
import { type Aim, reading, writing } from "./postgres-attacks.ts";

const [SHARED, CLOSED] = PROJECTS;
/** What a snapshot holds of a project. */
const PART = `snapshot/s/${CLOSED}-0`;
/** Words that stand in what is not for everybody. */
const IN = { space: "MARK-SPACE", shared: "MARK-SHARED", closed: "MARK-CLOSED", snapshot: "MARK-SNAPSHOT" };
const ALL = Object.values(IN);

interface Attacker {
	name: string;
	raw: Client;
	client: Joined["carrier"] | null;
	login: string;
	machine: string;
	/** What it may not see. */
	hidden: string[];
}

const LOGGED = { fsync: "off", log_statement: "all", log_min_duration_statement: "0" };
const SERVERS = [
	{ name: "a real PostgreSQL", programs: ["postgres"], start: () => postgresServer(LOGGED) },
	// what has to do with vectors, and with roles, whose rules are others since 16; not that statement by which anybody is somebody else there
	{
		name: "PostgreSQL 18 with pgvector",
		programs: [],
		start: () => pgliteServer(),
		only: /^(?!.*SESSION AUTHORIZATION).*(?:vector|near|embed|texts|role|grant|revoke)/is,
	},
].filter(({ programs }) => canRun(...programs));

describe.each(SERVERS)("rights on $name", ({ start, only }) => {
	let server: Server;
	let first: Joined;
	let victim: Joined;
	let attackers: Attacker[];
	let watcher: Pick<Client, "query">;
	let tried = 0;

	beforeAll(async () => {
		server = await start();
		const client = new Client({ host: server.folder, port: server.port, user: "admin", database: "team" });
		client.on("error", () => {});
		if (!only) await client.connect();
		const asked = async (sql: string) => ({ rows: await server.sql(sql) });
		watcher = only ? ({ query: asked } as unknown as Client) : client;
		first = await owner(server);
		victim = await member(server, first);
		await first.carrier.put("space", Buffer.from(IN.space));
		await first.carrier.put(PART, Buffer.from(IN.snapshot));
		await victim.carrier.put(`join/${victim.machine}`, Buffer.from("join"));
		await victim.carrier.append(victim.machine, [
			...batches(1, 1, null, IN.space),
			...batches(2, 20, SHARED, IN.shared),
			...batches(21, 40, CLOSED, IN.closed),
		]);
		await victim.carrier.lease("task-1", CLOSED, 3600);
		const texts = [SHARED, CLOSED].map((project, index) => ({
			item: `note:${index}`,
			project,
			text: redactSecrets(project === CLOSED ? IN.closed : IN.shared),
			clock: "1",
		}));
		await victim.carrier.tell(texts);
		const near = texts.map(({ item, clock }) => ({ item, clock, vector: Float32Array.of(0, 1) }));
		await victim.carrier.embed("m", near);
		await server.sql("ANALYZE", "team");

		const of = async (name: string, one: Joined, hidden: string[]): Promise<Attacker> => ({
			name,
			raw: await one.raw(),
			client: one.carrier,
			login: one.login.user,
			machine: one.machine,
			hidden,
		});
		const removed = await of("removed", await member(server, first), ALL);
		// a connection that was open before
		await removed.client!.heads();
		await removed.raw.query("SELECT * FROM ccg.batches");
		const limited = { projects: [SHARED] };
		await server.sql("CREATE ROLE stranger LOGIN PASSWORD 'stranger-1'");
		const login = { user: "stranger", password: "stranger-1" };
		const code = await first.carrier.invite({ role: "owner", projects: null });
		const invited = { user: `ccg_${code.slice(0, 16)}`, password: code.slice(17) };
		attackers = [
			await of("reader", await member(server, first, { role: "reader" }), []),
			await of("reader of one project", await member(server, first, { role: "reader", ...limited }), [
				IN.closed,
				IN.snapshot,
			]),
			await of("writer of one project", await member(server, first, limited), [IN.closed, IN.snapshot]),
			removed,
			{ name: "stranger", raw: await rawAs(login), client: null, login: login.user, machine: "", hidden: ALL },
			{ name: "invited", raw: await rawAs(invited), client: null, login: invited.user, machine: "", hidden: ALL },
		];
		// (the next invitation drops its role)
		await first.carrier.expel(removed.machine);
	}, 60_000);
	afterAll(() => server?.end());

	const rawAs = async (login: { user: string; password: string }) => {
		const client = new Client({ ...targetOf(server.place, {}), ...login, ssl: false });
		client.on("error", () => {});
		await client.connect();
		return client;
	};

	/** All that is stored, rights and roles. */
	const state = async (): Promise<string> => {
		const tables = ["about", "members", "batches", "documents", "leases", "history", "texts"];
		const rows = tables.map((name) => `SELECT '${name}' || t::text AS line FROM ccg.${name} t`);
		const found = await watcher.query(
			`SELECT md5(string_agg(line, '|' ORDER BY line)) FROM (${rows.join(" UNION ALL ")}
			UNION ALL SELECT rolname || rolsuper || rolcreaterole || rolbypassrls || rolcanlogin || coalesce(rolpassword, '') FROM pg_authid
			UNION ALL SELECT roleid::regrole || ' ' || member::regrole || admin_option FROM pg_auth_members
			UNION ALL SELECT relname || relowner || relrowsecurity || coalesce(relacl::text, '') FROM pg_class WHERE relnamespace IN ('ccg'::regnamespace, 'public'::regnamespace)
			UNION ALL SELECT proname || proowner || prosrc || prosecdef || coalesce(proacl::text, '') FROM pg_proc WHERE pronamespace = 'ccg'::regnamespace
			UNION ALL SELECT nspname || nspowner FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp'
			UNION ALL SELECT p::text FROM pg_policies p UNION ALL SELECT tgname FROM pg_trigger
			UNION ALL SELECT datname || datdba FROM pg_database UNION ALL SELECT s::text FROM pg_db_role_setting s
			UNION ALL SELECT pubname FROM pg_publication UNION ALL SELECT extname FROM pg_extension) AS all_lines`,
		);
		return found.rows[0].md5;
	};

	const aimOf = async ({ login }: Attacker): Promise<Aim> => {
		const [{ members }] = (await server.sql("SELECT members FROM ccg.about", "team")) as [{ members: string }];
		return { self: login, login: victim.login.user, machine: victim.machine, project: CLOSED, members };
	};

	/** Runs one attempt in a session as new, and gives all that came back. */
	const attempt = async (raw: Client, sql: string): Promise<string> => {
		tried++;
		let heard = "";
		const hear = (notice: { message?: string | undefined }) => {
			heard += ` ${notice.message}`;
		};
		raw.on("notice", hear);
		const words = (value: unknown) =>
			JSON.stringify(value, (_, one) => (one?.type === "Buffer" ? Buffer.from(one.data).toString("latin1") : one));
		await raw.query(sql).then(
			(answer) => {
				heard += words([answer].flat().map(({ rows }) => rows));
			},
			(error) => {
				heard += `${error.message} ${words(error)}`;
			},
		);
		await raw.query("ROLLBACK").catch(() => {});
		await raw.query("DISCARD ALL");
		raw.off("notice", hear);
		// also as hex
		return (
			heard +
			(heard.match(/(?:[0-9a-f]{2}){6,}/g) ?? []).map((hex) => Buffer.from(hex, "hex").toString("latin1")).join(" ")
		);
	};

	test("nobody reads beyond their rights by raw SQL", async () => {
		const seen: string[] = [];
		for (const attacker of attackers)
			for (const sql of reading(await aimOf(attacker)).filter((one) => only?.test(one) ?? true)) {
				const heard = await attempt(attacker.raw, sql);
				for (const mark of attacker.hidden) if (heard.includes(mark)) seen.push(`${attacker.name}: ${sql}`);
				if (/SCRAM-SHA-256\$|root:x/.test(heard)) seen.push(`${attacker.name}: ${sql}`);
				if (attacker.hidden === ALL && heard.includes(victim.machine)) seen.push(`${attacker.name}: ${sql}`);
			}
		expect(seen).toEqual([]);
		// else the marks prove nothing
		expect(await attempt(attackers[0]!.raw, "SELECT * FROM ccg.batches")).toContain(IN.closed);
		expect(await attempt(attackers[1]!.raw, "SELECT * FROM ccg.batches")).toContain(IN.shared);
		const near = await attempt(attackers[0]!.raw, "SELECT * FROM ccg.search('x', NULL, 100, 'm', '{0,1}')");
		expect(near.includes(IN.closed)).toBe(only !== undefined);
	}, 120_000);

	test("nobody writes beyond their rights by raw SQL", async () => {
		const changed: string[] = [];
		for (const attacker of attackers) {
			let before = await state();
			for (const sql of writing(await aimOf(attacker))) {
				// what an invited machine may do, once
				if ((attacker.name === "invited" && sql.includes("ccg.redeem")) || only?.test(sql) === false) continue;
				await attempt(attacker.raw, sql);
				const after = await state();
				if (after !== before) changed.push(`${attacker.name}: ${sql}`);
				before = after;
			}
		}
		expect(changed).toEqual([]);
		expect(tried).toBeGreaterThan(only ? 300 : 1_000);
	}, 120_000);

	test("nor through the client", async () => {
		const before = await state();
		for (const { name, client, machine, hidden } of attackers) {
			if (!client) continue;
			const writes: (() => Promise<unknown>)[] = [
				() => client.append(victim.machine, batches(41, 41)),
				() => client.append(machine, batches(1, 1, CLOSED)),
				() => client.put("space", Buffer.from("x")),
				() => client.put(PART, Buffer.from("x")),
				() => client.put(`join/${victim.machine}`, Buffer.from("x")),
				() => client.remove("space"),
				() => client.remove(`join/${victim.machine}`),
				() => client.expel(victim.machine),
				() => client.changeMember(machine, "owner", null),
				() => client.invite({ role: "owner", projects: null }),
				() => client.lease("task-1", CLOSED, 60),
			];
			for (const write of writes)
				await expect(write(), `${name}: ${write}`).rejects.toMatchObject({ code: expect.any(String) });
			await client.forget(victim.machine, 99).catch(() => {});
			const read = await client.read(victim.machine, 1).catch(() => []);
			const snapshot = await client.get(PART).catch(() => null);
			const words = [...read.map(({ bytes }) => Buffer.from(bytes).toString()), Buffer.from(snapshot ?? []).toString()];
			for (const mark of hidden) expect(words.join(), name).not.toContain(mark);
		}
		expect(await state()).toBe(before);
	});

	test("a removed member's login opens nothing, and a writer's rights are what they were changed to", async () => {
		const target = { ...targetOf(server.place, {}), login: { user: attackers[3]!.login, password: "whatever" } };
		await expect(openPostgres(target, SPACE)).rejects.toMatchObject({ code: expect.stringMatching(/^28/) });
		const one = await member(server, first);
		await one.carrier.append(one.machine, batches(1, 1));
		await first.carrier.changeMember(one.machine, "reader", [SHARED]);
		await expect(one.carrier.append(one.machine, batches(2, 2))).rejects.toMatchObject({ code: "42501" });
		expect(await one.carrier.get(PART)).toBeNull();
	});

	test.skipIf(only)("no password is in a statement, a row, a message or the server's log", async () => {
		const code = await first.carrier.invite({ role: "writer", projects: null });
		const seen = await server.sql(
			"SELECT m::text FROM ccg.members m UNION ALL SELECT h::text FROM ccg.history h UNION ALL SELECT query FROM pg_stat_activity",
			"team",
		);
		const log = readFileSync(join(server.folder, "log"), "utf8");
		expect(log).toContain("ccg.invite(");
		for (const secret of [code.slice(17), first.login.password, victim.login.password])
			expect(JSON.stringify(seen) + log).not.toContain(secret);
		const wrong = { ...targetOf(server.place, {}), login: { user: first.login.user, password: "wrong-pass-1" } };
		const error = await openPostgres(wrong, SPACE).catch((reason) => reason);
		expect(`${error.message} ${JSON.stringify(error)} ${error.stack}`).not.toContain("wrong-pass-1");
		expect(error.cause).toBeUndefined();
	});
});
