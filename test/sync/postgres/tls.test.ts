import { chownSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgres } from "../../../src/sync/postgres/carrier.ts";
import { targetOf } from "../../../src/sync/postgres/connection.ts";
import { type Joined, owner, postgresServer, type Server, SPACE } from "../../kit/postgres.ts";
import { printedBy } from "../../kit/process.ts";
import { describeWith } from "../../kit/with-programs.ts";

describeWith("postgres", "openssl")("TLS", () => {
	let server: Server;
	let first: Joined;
	beforeAll(async () => {
		server = await postgresServer(
			{ fsync: "off", ssl: "on", ssl_cert_file: "'../server.crt'", ssl_key_file: "'../server.key'" },
			{ before: certificates },
		);
		first = await owner(server);
	}, 60_000);
	afterAll(() => server?.end());

	const opened = async (host: string, options: string) => {
		const place = `postgres://${host}:${server.port}/team?${options.replaceAll("FOLDER", server.folder)}`;
		const carrier = await openPostgres({ ...targetOf(place, {}), login: first.login }, SPACE);
		const heads = await carrier.heads();
		await carrier.close();
		return heads.size;
	};

	test.each([
		["localhost", "sslmode=verify-full&sslrootcert=FOLDER/server.crt"],
		["localhost", "sslmode=require&sslrootcert=FOLDER/server.crt"],
		["127.0.0.1", "sslmode=verify-ca&sslrootcert=FOLDER/server.crt"],
	])("%s %s", async (host, options) => {
		expect(await opened(host, options)).toBe(0);
		const [{ ssl }] = (await server.sql("SELECT bool_or(ssl) AS ssl FROM pg_stat_ssl")) as [{ ssl: boolean }];
		expect(typeof ssl).toBe("boolean");
	});

	test.each([
		["a certificate of nobody known", "localhost", "sslmode=verify-full"],
		["a certificate of nobody known, required only", "localhost", "sslmode=require"],
		["another name", "127.0.0.1", "sslmode=verify-full&sslrootcert=FOLDER/server.crt"],
		["another authority", "localhost", "sslmode=verify-full&sslrootcert=FOLDER/other.crt"],
		["another authority, name not asked for", "localhost", "sslmode=verify-ca&sslrootcert=FOLDER/other.crt"],
	])("refused: %s", async (_, host, options) => {
		const error = await opened(host, options).catch((reason) => reason);
		expect(error.message).toMatch(/certificate|altnames/i);
		// it is there, so it is not said to be away
		expect(error.code).not.toBe("EOFFLINE");
	});

	test("a server without TLS is not spoken to where TLS is asked for", async () => {
		await server.sql("ALTER SYSTEM SET ssl = off");
		await server.sql("SELECT pg_reload_conf()");
		await new Promise((resolve) => setTimeout(resolve, 500));
		await expect(opened("localhost", "sslmode=verify-full&sslrootcert=FOLDER/server.crt")).rejects.toThrow(/SSL/);
	});
});

function certificates(folder: string): void {
	for (const name of ["server", "other"])
		printedBy(
			[
				...[
					"openssl",
					"req",
					"-x509",
					"-newkey",
					"ec",
					"-pkeyopt",
					"ec_paramgen_curve:prime256v1",
					"-nodes",
					"-days",
					"2",
				],
				...["-keyout", `${name}.key`, "-out", `${name}.crt`, "-subj", "/CN=localhost"],
				...["-addext", "subjectAltName=DNS:localhost"],
			],
			{ cwd: folder },
		);
	const { uid, gid } = statSync(join(folder, "data"));
	chownSync(join(folder, "server.key"), uid, gid);
}
