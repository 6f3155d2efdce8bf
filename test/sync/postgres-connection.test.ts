import { chmodSync, chownSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { documentsAt } from "../../src/sync/carrier.ts";
import { openPostgres } from "../../src/sync/postgres.ts";
import { openConnection, serverAt } from "../../src/sync/postgres-connection.ts";
import { type DocumentsServer, documentsServer, homeWith } from "../kit/documents-server.ts";
import { auth, columns, done, fakePostgres, message, row, SAYS } from "../kit/fake-postgres.ts";
import { machineId } from "../kit/postgres.ts";
import { printedBy, runNow } from "../kit/process.ts";
import { REPO } from "../kit/sandbox.ts";
import { describeWith } from "../kit/with-programs.ts";
import { scratch } from "../scratch-home.ts";

test.each([
	["postgres://ada@db.example.org/team", ["db.example.org", 5432, true]],
	["postgresql://ada@db.example.org:5/team?sslmode=prefer", ["db.example.org", 5, true]],
	["postgres://ada@db.example.org/team?sslmode=require&options=-csearch_path%3Devil", ["db.example.org", 5432, true]],
	["postgres://ada@localhost/team", ["localhost", 5432, true]],
	["postgres://ada@127.0.0.1/team?sslmode=disable", ["127.0.0.1", 5432, false]],
	["postgres://ada@[::1]:6/team?sslmode=disable", ["::1", 6, false]],
	["postgres://ada@localhost.evil.org/team?sslmode=disable", ["localhost.evil.org", 5432, true]],
	["postgres:///team?host=/run/pg&user=ada&port=7", ["/run/pg", 7, false]],
	["postgres://ada@%2Frun%2Fpg/team", ["/run/pg", 5432, false]],
])("%s", (address, expected) => {
	const { host, port, database, user, ssl } = serverAt(address);
	expect([[host, port, ssl !== false], database, user]).toEqual([expected, "team", "ada"]);
	if (ssl) expect(ssl).toMatchObject({ rejectUnauthorized: true });
});

test.each([
	["http://ada:pw-1@h/d", /write postgres/],
	["postgres://ada:pw-1@h/d?port=x", /write postgres/],
	["postgres://ada:pw-1@%zz/d", /write postgres/],
	["postgres://h/d", /write postgres/],
	["postgres://ada@h", /write postgres/],
	["postgres:///d?user=ada", /write postgres/],
	["postgres://ada:pw-1@h/d", /~\/\.pgpass.*HOST:PORT:DATABASE:LOGIN:PASSWORD/],
	["postgres://ada@h/d?password=pw-1", /~\/\.pgpass/],
	["postgres://ada@h/d?sslrootcert=ca.pem", /whole path/],
	["postgres://ada@h/d?sslrootcert=/nowhere.pem", /nowhere/],
])("%s is refused, and not repeated", (address, why) => {
	let error: unknown;
	try {
		serverAt(address);
	} catch (thrown) {
		error = thrown;
	}
	expect((error as Error).message).toMatch(why);
	expect(`${error} ${JSON.stringify(error)}`).not.toContain("pw-1");
});

const HOME = () => homeWith(["*:*:*:ada:s3cret"]);

describe("who asks for a password in another way than SCRAM, or for none", () => {
	/** As whoever does not know the password can. */
	const continued = (socket: Socket, got: string) =>
		void socket.write(auth(11, `r=${/r=([^\0]+)$/.exec(got)![1]}more,s=c2FsdHNhbHQ=,i=4096`));
	const NOT_SCRAM = /in clear or as MD5.*scram-sha-256/;
	const late = (answer: Buffer) => (socket: Socket) => void setTimeout(() => socket.write(answer), 50);
	test.each([
		["in clear", [SAYS.clear], NOT_SCRAM],
		["as MD5", [SAYS.md5], NOT_SCRAM],
		["in clear behind SCRAM", [SAYS.scram, SAYS.clear], NOT_SCRAM],
		["in clear with SCRAM", [Buffer.concat([SAYS.scram, SAYS.clear, SAYS.clear])], NOT_SCRAM],
		["as MD5 behind SCRAM", [SAYS.scram, late(SAYS.md5)], NOT_SCRAM],
		["not at all", [SAYS.in], /anybody may be it.*scram-sha-256/],
		["not to its end", [SAYS.scram, SAYS.in], /anybody may be it.*scram-sha-256/],
		[
			"with a proof that is none",
			[SAYS.scram, continued, Buffer.concat([auth(12, "v=AAAA"), SAYS.in])],
			/SERVER-FINAL/,
		],
		["by Kerberos", [SAYS.other], /Unknown auth/],
		["by words that are none", [Buffer.from("R\0\0\0\x05x".repeat(9))], /is it running/],
		["never", [], /timeout.*is it running/],
		[
			"with a megabyte before it",
			[Buffer.concat([message("N", Buffer.alloc(1e6, "S")), SAYS.scram])],
			/more than was asked for/,
		],
	])("%s", async (_, answers, said) => {
		const fake = await fakePostgres(answers);
		await using carrier = openPostgres(fake.address, HOME(), { connectMs: 500 });
		const error = await carrier.put(machineId(), Buffer.from("a document")).catch((thrown) => thrown);
		expect(error.message).toMatch(/^PostgreSQL at 127\.0\.0\.1:\d+/);
		expect(error).toMatchObject({ code: "EOFFLINE", message: expect.stringMatching(said) });
		// neither the password, nor its MD5, nor anything of the document
		expect(fake.got()).not.toMatch(/s3cret|md5|document|ccg\./);
		fake.end();
	});
});

describe("a server that lies", () => {
	const text = 25;
	const bytea = 17;
	const endless =
		(some: Buffer, before: Buffer = Buffer.alloc(0)) =>
		(socket: Socket) => {
			socket.write(before);
			const more = (): void => {
				while (!socket.destroyed && socket.write(some));
			};
			socket.on("drain", more);
			more();
		};
	const listed = (count: number): Buffer =>
		Buffer.concat([columns(text, text), ...Array.from({ length: count }, () => row("a".repeat(32), "v")), done(count)]);
	test.each<[string, Buffer | ((socket: Socket) => void), unknown]>([
		["201 machines", listed(201), "ETOOBIG"],
		["100,000 machines", listed(100_000), "EOFFLINE"],
		[
			"names that are none",
			Buffer.concat([columns(text, text), row("../../etc", "v"), row("b".repeat(32), "v"), done(2)]),
			["b".repeat(32)],
		],
		["numbers for names", Buffer.concat([columns(23, 23), row("1", "2"), done(1)]), []],
		["rows without end", endless(row("x", "y"), columns(text, text)), "EOFFLINE"],
		["notices without end", endless(message("N", "Shello\0\0")), "EOFFLINE"],
		["a message of a gigabyte", endless(Buffer.concat([Buffer.from("D\x40\0\0\0"), Buffer.alloc(65_536)])), "EOFFLINE"],
		["what is no message", Buffer.from("?\0\0\0\x04".repeat(9)), "EOFFLINE"],
		["half a row", Buffer.concat([columns(text, text), message("D", 0, 9), done(1)]), "EOFFLINE"],
		["nothing", (socket: Socket) => void socket.resume(), "EOFFLINE"],
		["its end", (socket: Socket) => void socket.end(), "EOFFLINE"],
	])("%s for a list", async (_, answer, expected) => {
		const fake = await fakePostgres([SAYS.in, answer], scratch("socket"));
		await using carrier = openPostgres(fake.address, HOME(), { connectMs: 500, answerMs: 500 });
		const given = await documentsAt(carrier).then(
			(all) => [...all.keys()],
			(error) => error.code,
		);
		expect(given).toEqual(expected);
		fake.end();
	});

	test.each<[string, Buffer | ((socket: Socket) => void), unknown]>([
		[
			"a document that is too large",
			Buffer.concat([columns(bytea), row(`\\x${"00".repeat(4.1e6 * 1.1)}`)]),
			"EOFFLINE",
		],
		["a document without end", endless(row("0".repeat(65_536)), columns(bytea)), "EOFFLINE"],
		["text for bytes", Buffer.concat([columns(text), row("text"), done(1)]), null],
	])("%s", async (_, answer, expected) => {
		const fake = await fakePostgres([SAYS.in, answer], scratch("socket"));
		await using carrier = openPostgres(fake.address, HOME());
		expect(await carrier.get(machineId()).catch((error) => error.code)).toBe(expected);
		fake.end();
	});
});

describeWith("postgres", "openssl")("a real server", () => {
	let server: DocumentsServer;
	beforeAll(async () => {
		const settings = { ssl: "on", ssl_cert_file: "'../server.crt'", ssl_key_file: "'../server.key'" };
		server = await documentsServer(["ada"], settings, makeCertificates);
	}, 60_000);
	afterAll(() => server?.end());

	const place = (host: string, options = "") =>
		`postgres://ada@${host}:${server.port}/team?${options.replace("FOLDER", server.folder)}`;
	const listAt = async (address: string, home = server.home) => {
		await using carrier = openPostgres(address, home);
		return await carrier.list();
	};

	test("is known by its certificate", async () => {
		expect(await listAt(place("localhost", "sslrootcert=FOLDER/server.crt"))).toEqual([]);
	});

	test("sends no more than was asked for by TLS either", async () => {
		const { ask, close } = openConnection(place("localhost", "sslrootcert=FOLDER/server.crt"), server.home);
		await expect(ask("SELECT repeat('x', 100000)")).rejects.toThrow(/more than was asked for/);
		await expect(ask("SELECT 1")).rejects.toMatchObject({ code: "EOFFLINE" });
		await close();
	});

	test.each([
		["a certificate of nobody known", "localhost", ""],
		["nobody known, whatever sslmode says", "localhost", "sslmode=require"],
		["another name", "127.0.0.1", "sslrootcert=FOLDER/server.crt"],
		["another authority", "localhost", "sslrootcert=FOLDER/other.crt"],
	])("is refused: %s", async (_, host, options) => {
		const error = await listAt(place(host, options)).catch((thrown) => thrown);
		expect(error.message).toMatch(/sslrootcert=/);
	});

	test.each([
		["another password", "*:*:*:ada:wrong", "28P01", /~\/\.pgpass/],
		["no password", "*:*:*:bob:x", "EOFFLINE", /~\/\.pgpass/],
	])("%s is told", async (_, line, code, why) => {
		const error = await listAt(server.addressOf("ada"), homeWith([line])).catch((thrown) => thrown);
		expect([error.code, error.message]).toEqual([code, expect.stringMatching(why)]);
	});

	test("a password file that others may read is not read", async () => {
		const home = HOME();
		chmodSync(join(home, ".pgpass"), 0o644);
		await expect(listAt(server.addressOf("ada"), home)).rejects.toThrow(/asks for a password.*~\/\.pgpass/);
	});

	test("a database without the table, and one that is not there, are told", async () => {
		await expect(listAt(server.addressOf("ada").replace("team", "postgres"))).rejects.toMatchObject({
			code: "42P01",
			message: expect.stringMatching(/sync init/),
		});
		await expect(listAt(server.addressOf("ada").replace("team", "nowhere"))).rejects.toMatchObject({ code: "3D000" });
		await expect(listAt(server.addressOf("ada").replace(/:\d+/, ":1"))).rejects.toMatchObject({ code: "EOFFLINE" });
	});

	test("a session's variables change nothing", async () => {
		const script = (address: string) => `
			const { openPostgres } = await import("${REPO}/src/sync/postgres.ts");
			await using carrier = openPostgres("${address}", "${server.home}");
			await carrier.put("${machineId()}", Buffer.from("x"));
			console.log((await carrier.list()).length);`;
		const named = (prefix: string, names: string, value: string): object =>
			Object.fromEntries(names.split(" ").map((name) => [prefix + name, value]));
		const variables = {
			...named("PG", "HOST HOSTADDR PORT DATABASE USER PASSWORD PASSFILE SSLMODE SSLROOTCERT SSLCERT SSLKEY", "evil"),
			...named("PG", "SSLNEGOTIATION SERVICE APPNAME CONNECT_TIMEOUT REPLICATION BINARY CLIENT_ENCODING", "evil"),
			...named("", "http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY", "http://127.0.0.1:1"),
			...named("", "SSL_CERT_FILE NODE_EXTRA_CA_CERTS", join(server.folder, "server.crt")),
			...{ PGOPTIONS: "-c default_transaction_read_only=on", SSL_CERT_DIR: server.folder, HOME: "/nowhere" },
			...{ NODE_TLS_REJECT_UNAUTHORIZED: "0", DATABASE_URL: "postgres://evil@127.0.0.1:1/evil" },
		};
		const run = (address: string) =>
			runNow([process.execPath, "--config=/dev/null", "--no-env-file", "-e", script(address)], {
				env: { PATH: process.env.PATH, ...variables },
			});
		expect(run(server.addressOf("ada"))).toMatchObject({ code: 0, out: "1\n" });
		expect(run(place("localhost", "sslrootcert=FOLDER/server.crt"))).toMatchObject({ code: 0, out: "2\n" });
		// what a session calls an authority is none
		expect(run(place("localhost"))).toMatchObject({ code: 1, err: expect.stringMatching(/self.signed/i) });
	});

	test("one that has no TLS is not spoken to without it", async () => {
		await server.sql("ALTER SYSTEM SET ssl = off");
		await server.sql("SELECT pg_reload_conf()");
		await expect
			.poll(() => listAt(place("localhost", "sslrootcert=FOLDER/server.crt")).catch((error) => error.message))
			.toMatch(/SSL.*sslmode=disable/);
	});
});

function makeCertificates(folder: string): void {
	const how =
		"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost";
	for (const name of ["server", "other"])
		printedBy(["openssl", ...how.split(" "), "-keyout", `${name}.key`, "-out", `${name}.crt`], { cwd: folder });
	const { uid, gid } = statSync(join(folder, "data"));
	chownSync(join(folder, "server.key"), uid, gid);
}
