import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { rootCertificates } from "node:tls";
import { Client, type QueryArrayResult } from "pg";
// @ts-expect-error it has no types
import pgpass from "pgpass";
import { visible } from "../core/text/invisible.ts";
import { quietly } from "../files/quietly.ts";
import { coded, errorCode } from "../files/system-failure.ts";

/** `host` is a name, a number or the folder of a socket. */
type Where = Record<"host" | "user" | "database", string> & { port: number };

/**
 * Reads `postgres://…`. TLS is verified, whatever `sslmode` says, by the authorities that Bun knows or those in the file `sslrootcert`. A
 * socket has no TLS; `sslmode=disable` leaves it out on the loopback. Throws without repeating the text, which may hold a password.
 */
export function serverAt(address: string): Where & { ssl: false | object } {
	const url = /^postgres(?:ql)?:/.test(address) && URL.canParse(address) ? new URL(address) : null;
	const option = (name: string, part = ""): string =>
		url?.searchParams.get(name) || quietly(() => decodeURIComponent(part)) || "";
	const host = option("host", url?.hostname.replace(/^\[|\]$/g, ""));
	const [user, database] = [option("user", url?.username), option("database", url?.pathname.slice(1))];
	const port = Number(option("port", url?.port) || 5432);
	if (!host || !user || !database || !(port > 0 && port < 65_536))
		throw coded("EPLACE", "this is no address of a server; write postgres://LOGIN@HOST/DATABASE");
	const where = { host, port, database, user };
	if (option("password", url?.password)) throw coded("EPLACE", `no password in an address: ${passwordLine(where)}`);
	const isPlain = option("sslmode") === "disable";
	if (isPlain && !/^(?:\/|localhost$|::1$|127(?:\.\d{1,3}){3}$)/.test(host))
		throw coded("EPLACE", "sslmode=disable is for a server on this machine; leave it out");
	if (isPlain || host.startsWith("/")) return { ...where, ssl: false };
	const file = option("sslrootcert");
	if (file && !file.startsWith("/")) throw coded("EPLACE", "sslrootcert is the whole path of a file");
	// named here, since what a session's SSL_CERT_FILE or NODE_EXTRA_CA_CERTS adds would be trusted too
	return { ...where, ssl: { ca: file ? readFileSync(file, "utf8") : [...rootCertificates], rejectUnauthorized: true } };
}

function passwordLine({ host, port, database, user }: Where): string {
	const fields = [host, port, database, user].map((one) => String(one).replace(/[\\:]/g, "\\$&"));
	return `put this line into ~/.pgpass, a file for nobody else (chmod 600): ${fields.join(":")}:PASSWORD`;
}

export type Connection = ReturnType<typeof openConnection>;

/** Of what is said before the first statement, and of an answer that holds no document. */
const FEW_BYTES = 64 * 1024;

/**
 * One connection, made when the first statement is sent and again behind a failure; one statement at a time. Nothing is kept in the server's
 * session, so a pooler works. `home` holds the password file. Errors name the server and what to do.
 */
export function openConnection(address: string, home: string, { connectMs = 10_000, answerMs = 60_000 } = {}) {
	const { ssl, ...where } = serverAt(address);
	// client and password file read a session's variables, each by many names: none is left
	for (const name of Object.keys(process.env)) if (name.startsWith("PG")) delete process.env[name];
	process.env.PGPASSFILE = join(home, ".pgpass");
	const name = `PostgreSQL at ${where.host}:${where.port}, database ${where.database}, login ${where.user}`;
	let opened: Promise<Client> | null = null;
	let stream: Duplex | null = null;
	let bytesLeft = 0;

	async function connect(): Promise<Client> {
		const times = { connectionTimeoutMillis: connectMs, query_timeout: answerMs };
		const client = new Client({ ...where, ssl, ...times, application_name: "ccg", password: refuse });
		const inside = client as unknown as { password: unknown; connection: Pick<Duplex, "on"> & { stream: Duplex } };
		// told by the statement that fails
		client.on("error", () => {});
		let isProven = false;
		inside.connection.on("message", ({ name }: { name: string }) => {
			// whatever else it asks for, before SCRAM or in its midst, gets no password
			if (name === "authenticationSASL") inside.password = () => readPassword(where);
			else if (!name.startsWith("authenticationSASL")) inside.password = refuse;
			isProven ||= name === "authenticationSASLFinal";
		});
		bytesLeft = FEW_BYTES;
		contain(inside.connection.stream);
		inside.connection.on("sslconnect", () => contain(inside.connection.stream));
		await client.connect();
		if (isProven || ssl || where.host.startsWith("/")) return client;
		throw coded("EAUTH", "it lets everybody in, so anybody may be it: have it ask for scram-sha-256");
	}
	/** Ends the connection where more comes than was asked for, or what is no message: the client throws at it, and nobody is there to catch. */
	function contain(one: Duplex): void {
		stream = one;
		const emit = one.emit.bind(one) as (name: string | symbol, ...given: unknown[]) => boolean;
		one.emit = (name: string | symbol, ...given: unknown[]) => {
			try {
				if (name === "data") bytesLeft -= (given[0] as Buffer).length;
				if (name === "data" && bytesLeft < 0) throw coded("ETOOBIG", "it sends more than was asked for");
				return emit(name, ...given);
			} catch (error) {
				return one.destroy(error as Error) === one;
			}
		};
	}
	async function close(): Promise<void> {
		const client = await opened?.catch(() => null);
		opened = null;
		// a server that does not hang up is left
		if (client) await Promise.race([client.end().catch(() => {}), sleep(1000, null, { ref: false })]);
		stream?.destroy();
	}
	return {
		name,
		/** Asks one statement; without values it may be several. Throws where the answer has more than `most` bytes. */
		async ask(sql: string, values?: unknown[], most = FEW_BYTES): Promise<QueryArrayResult<unknown[]>> {
			opened ??= connect();
			try {
				const client = await opened;
				bytesLeft = most;
				return await client.query({ text: sql, rowMode: "array", ...(values && { values }) });
			} catch (error) {
				await close();
				throw explain(error, name, where);
			}
		},
		close,
	};
}

async function refuse(): Promise<never> {
	throw coded("EAUTH", "it asks for the password in clear or as MD5, not by SCRAM: have it ask for scram-sha-256");
}

async function readPassword(where: object): Promise<string> {
	const found = await new Promise<string | undefined>((resolve) => pgpass(where, resolve));
	if (!found) throw coded("EPASSWORD", "it asks for a password");
	return found;
}

/** A failure in words. Of what the server says the message alone, cut short: details hold values. */
function explain(error: unknown, name: string, where: Where): Error {
	const [state, said] = [errorCode(error), (error as Error).message || errorCode(error)];
	const advice = ADVICE.find(([what]) => what.test(`${state} ${said}`))?.[1](where);
	const text = `${name}: ${visible(said).slice(0, 200)}${advice ? `; ${advice}` : ""}`;
	return coded(AWAY.test(`${state} ${said}`) ? "EOFFLINE" : state || "EPOSTGRES", text, error);
}

/** The system's codes, those of a server that stops or starts, and what the client says without a code. */
const AWAY =
	/^(?:ECONN|EAI_|EHOST|ENET|ENOTFOUND|ETIMEDOUT|EPIPE|ENOENT|08(?!P)|57P0[1-3]| (?:timeout|Query read timeout|Connection terminated|Client (?:has|was)))/;

const ADVICE: [RegExp, (where: Where) => string][] = [
	[/^(?:28P01|EPASSWORD)/, passwordLine],
	[/CERT|UNABLE_TO_VERIFY/, () => "name the file of its authority: ?sslrootcert=/FILE behind the address"],
	[/support SSL/, () => "turn ssl on there; for a server on this machine write ?sslmode=disable behind the address"],
	[/^08P01/, () => "the pooler in front of it refuses: see its log, and that it knows this login"],
	[/^42P01/, () => "there is no table yet: ccg sync init makes it"],
	[/^42501/, () => "have the database's owner put this login into the group that shares"],
	[AWAY, () => "is it running, and is the address right?"],
];
