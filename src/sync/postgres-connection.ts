import type { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { rootCertificates } from "node:tls";
import { Client, type QueryArrayResult } from "pg";
// @ts-expect-error it has no types
import pgpass from "pgpass";
import { stripInvisible } from "../core/text/invisible.ts";
import { oneLine } from "../core/text/text.ts";
import { tryOrUndefined } from "../files/quietly.ts";
import { codedError, errorCode } from "../files/system-failure.ts";

const PASSWORD = "write it into ~/.pgpass (chmod 600), in a line HOST:PORT:DATABASE:LOGIN:PASSWORD";

/**
 * Parses the address `postgres://…`. Only a socket's folder as host, and the loopback with `sslmode=disable`, go without TLS. It is verified by
 * the authorities that Bun knows or those in the file `sslrootcert`. An error does not repeat the address, which may hold a password.
 */
export function parseServer(address: string) {
	const url = /^postgres(?:ql)?:/.test(address) ? URL.parse(address) : null;
	const option = (name: string, part = ""): string =>
		url?.searchParams.get(name) || tryOrUndefined(() => decodeURIComponent(part)) || "";
	const host = option("host", url?.hostname.replace(/^\[|\]$/g, ""));
	const port = Number(option("port", url?.port) || 5432);
	const [user, database] = [option("user", url?.username), option("database", url?.pathname.slice(1))];
	if (!host || !port || !user || !database)
		throw codedError("EPLACE", "this is no address of a server; write postgres://LOGIN@HOST/DATABASE");
	if (option("password", url?.password)) throw codedError("EPLACE", `an address holds no password: ${PASSWORD}`);
	const server = { host, port, user, database };
	const isLoopback = /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/.test(host);
	if (host.startsWith("/") || (isLoopback && option("sslmode") === "disable")) return { ...server, ssl: false };
	const file = option("sslrootcert");
	if (file && !file.startsWith("/")) throw codedError("EPLACE", "sslrootcert is the whole path of a file");
	// named here, since what a session's SSL_CERT_FILE or NODE_EXTRA_CA_CERTS adds would be trusted too
	return {
		...server,
		ssl: { ca: file ? readFileSync(file, "utf8") : [...rootCertificates], rejectUnauthorized: true },
	};
}

/** So many bytes may come before the first statement, and in an answer that holds no document. */
const FEW_BYTES = 64 * 1024;

/**
 * Gives a connection, made when the first statement is sent; one statement at a time. Nothing is kept in the server's session.
 * `home` holds the password file. Errors name the server and what to do; with code `EOFFLINE` no more can be asked.
 */
export function openConnection(address: string, home: string, { connectMs = 10_000, answerMs = 60_000 } = {}) {
	const { ssl, ...server } = parseServer(address);
	const name = `PostgreSQL at ${server.host}:${server.port}, database ${server.database}, login ${server.user}`;
	// client and password file read a session's variables, each by many names: none is left
	for (const key of Object.keys(process.env)) if (key.startsWith("PG")) delete process.env[key];
	process.env.PGPASSFILE = join(home, ".pgpass");
	const times = { connectionTimeoutMillis: connectMs, query_timeout: answerMs };
	const client = new Client({ ...server, ...times, ssl, password: () => readPassword(server) });
	// (the statement that fails throws the same error)
	client.on("error", () => {});
	const { connection } = client as unknown as { connection: EventEmitter & { stream: Duplex } };
	const refuseUnsafe = () => connection.emit("error", new Error("it asks for the password in clear or as MD5"));
	for (const request of ["authenticationCleartextPassword", "authenticationMD5Password"])
		connection.removeAllListeners(request).on(request, refuseUnsafe);
	// the server is known by its certificate, its local socket, or since it proved (SCRAM) that it knows the password
	let isServerProven = ssl || server.host.startsWith("/");
	connection.on("authenticationSASLFinal", () => (isServerProven = true));
	let bytesLeft = FEW_BYTES;
	/** Ends the connection where more bytes come than were asked for, or bytes that make the client throw where nobody catches. */
	const guardStream = (stream: Duplex): void => {
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
	guardStream(connection.stream);
	connection.on("sslconnect", () => guardStream(connection.stream));
	let connected: Promise<unknown> | null = null;
	return {
		name,
		/** Sends a statement with its values, or several without. Throws where the answer has more than `maxBytes`. */
		async ask(text: string, values: unknown[] = [], maxBytes = FEW_BYTES): Promise<QueryArrayResult<unknown[]>> {
			try {
				connected ??= client.connect();
				await connected;
				if (!isServerProven) throw new Error("it lets everybody in, so anybody may be it");
				bytesLeft = maxBytes;
				return await client.query({ text, values, rowMode: "array" });
			} catch (error) {
				throw serverError(error, name);
			}
		},
		close: async () => void connection.stream.destroy(),
	};
}

/** Reads the password for a server from the file `.pgpass`. Throws where that has none. */
async function readPassword(server: object): Promise<string> {
	const password = await new Promise<string | undefined>((resolve) => pgpass(server, resolve));
	return password || Promise.reject(new Error("it asks for a password"));
}

/** Makes an error that names the server and says what to do. Of what the server says only the message, cut short: its details hold values. */
function serverError(error: unknown, name: string): Error {
	const [code, { message, severity }] = [errorCode(error), error as { message: string; severity?: string }];
	const advice = ADVICE.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1];
	const text = `${name}: ${oneLine(stripInvisible(message || code)).slice(0, 200)}; ${advice}`;
	return codedError(severity ? code : "EOFFLINE", text, error);
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
