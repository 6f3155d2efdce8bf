import { chmodSync, chownSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listDocuments } from "../../src/sync/carrier.ts";
import { normaliseAddress } from "../../src/sync/carriers.ts";
import { openPostgres } from "../../src/sync/postgres.ts";
import { openConnection, parseServer } from "../../src/sync/postgres-connection.ts";
import { type DocumentsServer, documentsServer, homeWith } from "../kit/documents-server.ts";
import { auth, columns, done, fakePostgres, message, row, SAYS } from "../kit/fake-postgres.ts";
import { machineId } from "../kit/postgres.ts";
import { printedBy, runNow } from "../kit/process.ts";
import { REPO } from "../kit/sandbox.ts";
import { describeWith } from "../kit/with-programs.ts";
import { scratch } from "../scratch-home.ts";
import ADDRESSES from "./addresses.json";

test.each(ADDRESSES.servers as [string, unknown[]][])("%s", (address, expected) => {
	const { host, port, database, user, ssl } = parseServer(address);
	expect([[host, port, ssl !== false], database, user]).toEqual([expected, "team", "ada"]);
	if (ssl) expect(ssl).toMatchObject({ rejectUnauthorized: true });
});

test.each(ADDRESSES.kept as [string, string][])("%s is kept as %s", (typed, kept) =>
	expect(normaliseAddress(typed, "/home/me")).toBe(kept),
);

test.each(ADDRESSES.refused as [string, string][])("%s is refused, and not repeated", (address, why) => {
	const refuse = () => normaliseAddress(address, "/home/me");
	expect(refuse).toThrow(why);
	expect(refuse).not.toThrow("pw-1");
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
		["with a wrong proof", [SAYS.scram, continued, Buffer.concat([auth(12, "v=AAAA"), SAYS.in])], /SERVER-FINAL/],
		["by Kerberos", [SAYS.other], /Unknown auth/],
		["by words that are none", [Buffer.from("R\0\0\0\x05x".repeat(9))], /is it running/],
		["never", [], /timeout.*is it running/],
		["behind a megabyte", [Buffer.concat([message("N", "S".repeat(1e6)), SAYS.scram])], /more than was asked for/],
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
	const listed = (count: number): Buffer => listing(...Array.from({ length: count }, () => row("a".repeat(32), "v")));
	const listing = (...rows: Buffer[]): Buffer => Buffer.concat([columns(text, text), ...rows, done(rows.length)]);
	const giving = (type: number, said: string): Buffer => Buffer.concat([columns(type), row(said), done(1)]);
	test.each<["list" | "get", string, Buffer | ((socket: Socket) => void), unknown]>([
		["list", "201 machines", listed(201), "ETOOBIG"],
		["list", "100,000 machines", listed(100_000), "EOFFLINE"],
		["list", "names that are none", listing(row("../../etc", "v"), row("b".repeat(32), "v")), ["b".repeat(32)]],
		["list", "numbers for names", Buffer.concat([columns(23, 23), row("1", "2"), done(1)]), []],
		["list", "rows without end", endless(row("x", "y"), columns(text, text)), "EOFFLINE"],
		["list", "notices without end", endless(message("N", "Shello\0\0")), "EOFFLINE"],
		["list", "a message of a gigabyte", endless(Buffer.from(`D\x40\0\0\0${"\0".repeat(65_536)}`)), "EOFFLINE"],
		["list", "what is no message", Buffer.from("?\0\0\0\x04".repeat(9)), "EOFFLINE"],
		["list", "half a row", Buffer.concat([columns(text, text), message("D", 0, 9), done(1)]), "EOFFLINE"],
		["list", "nothing", (socket: Socket) => void socket.resume(), "EOFFLINE"],
		["list", "its end", (socket: Socket) => void socket.end(), "EOFFLINE"],
		["get", "a document that is too large", giving(bytea, `\\x${"00".repeat(4.5e6)}`), "EOFFLINE"],
		["get", "a document without end", endless(row("0".repeat(65_536)), columns(bytea)), "EOFFLINE"],
		["get", "text for bytes", giving(text, "text"), null],
	])("%s: %s", async (method, _, answer, expected) => {
		const fake = await fakePostgres([SAYS.in, answer], scratch("socket"));
		await using carrier = openPostgres(fake.address, HOME(), { connectMs: 500, answerMs: 500 });
		const asked =
			method === "get" ? carrier.get(machineId()) : listDocuments(carrier, "").then((all) => [...all.keys()]);
		expect(await asked.catch((error) => error.code)).toEqual(expected);
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

	const place = (address: string): string =>
		address.replace("PORT", String(server.port)).replace("FOLDER", server.folder);
	const PLAIN = "postgres://ada@localhost:PORT/team";
	const KNOWN = `${PLAIN}?sslrootcert=FOLDER/server.crt`;
	const listAt = async (address: string, home = server.home) => {
		await using carrier = openPostgres(address, home);
		return await carrier.list();
	};

	test("is known by its certificate", async () => {
		expect(await listAt(place(KNOWN))).toEqual([]);
	});

	test("sends no more than was asked for by TLS either", async () => {
		const { ask, close } = openConnection(place(KNOWN), server.home);
		await expect(ask("SELECT repeat('x', 100000)")).rejects.toThrow(/more than was asked for/);
		await expect(ask("SELECT 1")).rejects.toMatchObject({ code: "EOFFLINE" });
		await close();
	});

	test.each(ADDRESSES.told as string[][])("%s is told", async (_, address, password, code, why) => {
		const asked = listAt(place(address!), homeWith([`*:*:*:ada:${password}`]));
		await expect(asked).rejects.toMatchObject({ message: expect.stringContaining(why!), code });
	});

	test("a password file that others may read is not read", async () => {
		const home = HOME();
		chmodSync(join(home, ".pgpass"), 0o644);
		await expect(listAt(server.addressOf("ada"), home)).rejects.toThrow(/asks for a password.*~\/\.pgpass/);
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
		expect(run(place(KNOWN))).toMatchObject({ code: 0, out: "2\n" });
		// what a session calls an authority is none
		expect(run(place(PLAIN))).toMatchObject({ code: 1, err: expect.stringMatching(/self.signed/i) });
	});

	test("one that has no TLS is not spoken to without it", async () => {
		await server.sql("ALTER SYSTEM SET ssl = off");
		await server.sql("SELECT pg_reload_conf()");
		await expect.poll(() => listAt(place(KNOWN)).catch((error) => error.message)).toMatch(/SSL.*sslmode=disable/);
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
