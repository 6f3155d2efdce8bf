import type { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { rootCertificates } from "node:tls";
import { Client, type QueryArrayResult } from "pg";
// @ts-expect-error it has no types
import pgpass from "pgpass";
import { visible } from "../core/text/invisible.ts";
import { oneLine } from "../core/text/text.ts";
import { quietly } from "../files/quietly.ts";
import { coded, errorCode } from "../files/system-failure.ts";

const PASSWORD = "write it into ~/.pgpass (chmod 600), in a line HOST:PORT:DATABASE:LOGIN:PASSWORD";

/**
 * Reads `postgres://…`. A socket's folder as host has no TLS, and `sslmode=disable` leaves it out on the loopback. Elsewhere it is verified, by
 * the authorities that Bun knows or those in the file `sslrootcert`. Throws without repeating the text, which may hold a password.
 */
export function serverAt(address: string) {
	const url = /^postgres(?:ql)?:/.test(address) ? URL.parse(address) : null;
	const option = (name: string, part = ""): string =>
		url?.searchParams.get(name) || quietly(() => decodeURIComponent(part)) || "";
	const host = option("host", url?.hostname.replace(/^\[|\]$/g, ""));
	const port = Number(option("port", url?.port) || 5432);
	const [user, database] = [option("user", url?.username), option("database", url?.pathname.slice(1))];
	if (!host || !port || !user || !database)
		throw coded("EPLACE", "this is no address of a server; write postgres://LOGIN@HOST/DATABASE");
	if (option("password", url?.password)) throw coded("EPLACE", `an address holds no password: ${PASSWORD}`);
	const where = { host, port, user, database };
	const isLoopback = /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/.test(host);
	if (host.startsWith("/") || (isLoopback && option("sslmode") === "disable")) return { ...where, ssl: false };
	const file = option("sslrootcert");
	if (file && !file.startsWith("/")) throw coded("EPLACE", "sslrootcert is the whole path of a file");
	// named here, since what a session's SSL_CERT_FILE or NODE_EXTRA_CA_CERTS adds would be trusted too
	return { ...where, ssl: { ca: file ? readFileSync(file, "utf8") : [...rootCertificates], rejectUnauthorized: true } };
}

/** So many bytes may come before the first statement, and in an answer that holds no document. */
const FEW_BYTES = 64 * 1024;

/**
 * Gives a connection, made when the first statement is sent; one statement at a time. Nothing is kept in the server's session.
 * `home` holds the password file. Errors name the server and what to do; with code `EOFFLINE` no more can be asked.
 */
export function openConnection(address: string, home: string, { connectMs = 10_000, answerMs = 60_000 } = {}) {
	const { ssl, ...where } = serverAt(address);
	const name = `PostgreSQL at ${where.host}:${where.port}, database ${where.database}, login ${where.user}`;
	// client and password file read a session's variables, each by many names: none is left
	for (const key of Object.keys(process.env)) if (key.startsWith("PG")) delete process.env[key];
	process.env.PGPASSFILE = join(home, ".pgpass");
	const times = { connectionTimeoutMillis: connectMs, query_timeout: answerMs };
	const client = new Client({ ...where, ...times, ssl, password: () => readPassword(where) });
	// told by the statement that fails
	client.on("error", () => {});
	const { connection } = client as unknown as { connection: EventEmitter & { stream: Duplex } };
	const refuse = () => connection.emit("error", new Error("it asks for the password in clear or as MD5"));
	for (const clear of ["authenticationCleartextPassword", "authenticationMD5Password"])
		connection.removeAllListeners(clear).on(clear, refuse);
	let isProven = ssl || where.host.startsWith("/");
	connection.on("authenticationSASLFinal", () => (isProven = true));
	let bytesLeft = FEW_BYTES;
	/** Ends the connection where more bytes come than were asked for, or bytes that make the client throw where nobody catches. */
	const contain = (stream: Duplex): void => {
		const emit = stream.emit.bind(stream) as (name: unknown, ...given: unknown[]) => boolean;
		stream.emit = (name: unknown, ...given: unknown[]) => {
			try {
				if (name === "data") bytesLeft -= (given[0] as Buffer).length;
				if (name === "data" && bytesLeft < 0) throw new Error("it sends more than was asked for");
				return emit(name, ...given);
			} catch (error) {
				return stream.destroy(error as Error).destroyed;
			}
		};
	};
	contain(connection.stream);
	connection.on("sslconnect", () => contain(connection.stream));
	let opened: Promise<unknown> | null = null;
	return {
		name,
		/** Sends a statement with its values, or several without. Throws where the answer has more than `maxBytes`. */
		async ask(text: string, values: unknown[] = [], maxBytes = FEW_BYTES): Promise<QueryArrayResult<unknown[]>> {
			try {
				opened ??= client.connect();
				await opened;
				if (!isProven) throw new Error("it lets everybody in, so anybody may be it");
				bytesLeft = maxBytes;
				return await client.query({ text, values, rowMode: "array" });
			} catch (error) {
				throw explain(error, name);
			}
		},
		close: async () => void connection.stream.destroy(),
	};
}

async function readPassword(where: object): Promise<string> {
	const password = await new Promise<string | undefined>((resolve) => pgpass(where, resolve));
	return password || Promise.reject(new Error("it asks for a password"));
}

/** Puts a failure into words, with what to do. Of what the server says only the message, cut short: its details hold values. */
function explain(error: unknown, name: string): Error {
	const [code, { message, severity }] = [errorCode(error), error as { message: string; severity?: string }];
	const advice = ADVICE.find(([what]) => what.test(`${code} ${message}`))?.[1];
	const text = `${name}: ${oneLine(visible(message || code)).slice(0, 200)}; ${advice}`;
	return coded(severity ? code : "EOFFLINE", text, error);
}

const ADVICE: [RegExp, string][] = [
	[/^28P01|it asks for a password/, PASSWORD],
	[/ it (?:asks for the password in|lets everybody)/, "have it ask for scram-sha-256"],
	[/CERT|UNABLE_TO_VERIFY/, "name the file of its authority: ?sslrootcert=/FILE behind the address"],
	[/support SSL/, "turn ssl on there; for a server on this machine write ?sslmode=disable behind the address"],
	[/^42/, "its owner makes the table and grants its group: what ccg sync init --dry-run shows does that"],
	[/^23505/, "another login keeps a document of this machine; have its owner delete it"],
	[/^/, "is it running, and is the address right? its log may say more"],
];
