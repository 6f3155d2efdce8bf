import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { rootCertificates } from "node:tls";
import { Client } from "pg";
// @ts-expect-error it has no types
import pgpass from "pgpass";
import { visible } from "../../core/text/invisible.ts";
import { coded, errorCode } from "../../files/system-failure.ts";

interface Server {
	/** A name, an address or the folder of a socket. */
	host: string;
	port: number;
	database: string;
	user: string;
	/** `null`: without TLS. */
	tls: { ca: string | readonly string[]; rejectUnauthorized: true } | null;
}

const FORM = "postgres://LOGIN@HOST/DATABASE, or postgres:///DATABASE?host=/FOLDER&user=LOGIN for a socket";

/**
 * Reads `postgres://…`. TLS is verified, whatever `sslmode` says, by the authorities that Bun knows or those in `sslrootcert`. A socket has none, and
 * `sslmode=disable` leaves it out on the loopback. Throws without repeating the text, which may hold a password.
 */
export function serverAt(address: string): Server {
	const url = /^postgres(?:ql)?:/.test(address) && URL.canParse(address) ? new URL(address) : null;
	if (!url) throw coded("EPLACE", `this is no address of a PostgreSQL server; write ${FORM}`);
	const option = (name: string, part = ""): string => url.searchParams.get(name) || decode(part);
	const host = option("host", url.hostname.replace(/^\[|\]$/g, ""));
	const user = option("user", url.username);
	const database = option("database", url.pathname.slice(1));
	const port = Number(option("port", url.port) || 5432);
	if (!host || !user || !database || /[\0-\x1f]/.test(host + user + database) || !(port > 0 && port < 65_536))
		throw coded("EPLACE", `the address lacks a part; write ${FORM}`);
	if (option("password", url.password))
		throw coded("EPLACE", `leave the password out of the address; ${passwordLine({ host, port, database, user })}`);
	const isPlain = option("sslmode") === "disable";
	if (isPlain && !/^(?:\/|localhost$|::1$|127(?:\.\d{1,3}){3}$)/.test(host))
		throw coded("EPLACE", "sslmode=disable is for a server on this machine; leave it out");
	if (isPlain || host.startsWith("/")) return { host, port, database, user, tls: null };
	const file = option("sslrootcert");
	if (file && !isAbsolute(file)) throw coded("EPLACE", "sslrootcert is the whole path of a file");
	// named here, since what a session's SSL_CERT_FILE or NODE_EXTRA_CA_CERTS adds would be trusted too
	const ca = file ? readFileSync(file, "utf8") : rootCertificates;
	return { host, port, database, user, tls: { ca, rejectUnauthorized: true } };
}

function decode(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		throw coded("EPLACE", "a part of the address has a % that begins no character");
	}
}

const passwordLine = ({ host, port, database, user }: Omit<Server, "tls">): string =>
	`put this line into ~/.pgpass, a file for nobody else (chmod 600): ${[host, port, database, user].map((one) => String(one).replace(/[\\:]/g, "\\$&")).join(":")}:PASSWORD`;

export interface Connection {
	/** The rows of one statement. Throws where the answer has more than `most` bytes. */
	rows(sql: string, values: readonly unknown[], most?: number): Promise<unknown[][]>;
	/** Several statements. */
	script(sql: string): Promise<void>;
	close(): Promise<void>;
}

/** Of an answer, without a document, and of what is said before. */
const FEW_BYTES = 64 * 1024;
const CLOSE_MS = 1000;

/**
 * One connection, made when the first statement is sent and again behind a failure. Nothing is kept in the server's session, so a pooler works.
 * `home` holds the password file. Errors name the server and what to do.
 */
export function openConnection(
	address: string,
	home: string,
	{ connectMs = 10_000, answerMs = 60_000 } = {},
): Connection {
	const server = serverAt(address);
	ignoreVariables(home);
	let opened: Promise<Opened> | null = null;
	const close = async (): Promise<void> => {
		const gone = opened;
		opened = null;
		await gone?.then((one) => one.end()).catch(() => {});
	};
	const send = async (sql: string, values: readonly unknown[] | undefined, most: number): Promise<unknown[][]> => {
		opened ??= connect(server, connectMs, answerMs);
		try {
			const { client, allow } = await opened;
			allow(most);
			const asked = values ? { text: sql, values: [...values], rowMode: "array" as const } : { text: sql };
			return (await client.query(asked)).rows as unknown[][];
		} catch (error) {
			await close();
			throw explain(error, server);
		}
	};
	return {
		rows: (sql, values, most = FEW_BYTES) => send(sql, values, most),
		script: (sql) => send(sql, undefined, FEW_BYTES).then(() => {}),
		close,
	};
}

/** Client and password file read the variables of a session, each by many names: none is left. */
function ignoreVariables(home: string): void {
	for (const name of Object.keys(process.env)) if (name.startsWith("PG")) delete process.env[name];
	process.env.PGPASSFILE = join(home, ".pgpass");
}

interface Opened {
	client: Client;
	/** So many bytes may come from now on. */
	allow(bytes: number): void;
	end(): Promise<void>;
}

async function connect(server: Server, connectMs: number, answerMs: number): Promise<Opened> {
	const { tls, ...where } = server;
	const client = new Client({
		...where,
		ssl: tls ? { ...tls, ca: [tls.ca].flat() } : false,
		application_name: "ccg",
		connectionTimeoutMillis: connectMs,
		query_timeout: answerMs,
		keepAlive: true,
		password: refuse,
	});
	const inside = client as unknown as { connection: Inside; password: unknown };
	// told by the statement that fails
	client.on("error", () => {});
	let isProven = false;
	inside.connection.on("message", ({ name }: { name: string }) => {
		// whatever else the server asks for, before SCRAM or in its midst, gets no password
		if (name === "authenticationSASL") inside.password = () => readPassword(where);
		else if (!name.startsWith("authenticationSASL")) inside.password = refuse;
		isProven ||= name === "authenticationSASLFinal";
	});
	let left = FEW_BYTES;
	const contain = (): void => {
		const { stream } = inside.connection;
		const emit = stream.emit.bind(stream);
		stream.emit = (name, ...given) => {
			try {
				if (name === "data") left -= (given[0] as Buffer).length;
				if (left < 0) throw coded("ETOOBIG", "it sends more than it was asked for");
				return emit(name, ...given);
			} catch (error) {
				// the client throws at what is no message, and nobody is there to catch it
				stream.destroy(error as Error);
				return true;
			}
		};
	};
	contain();
	inside.connection.on("sslconnect", contain);
	const opened: Opened = {
		client,
		allow: (bytes) => {
			left = bytes;
		},
		async end() {
			// a server that does not hang up is left
			const timer = setTimeout(() => inside.connection.stream.destroy(), CLOSE_MS);
			await client.end().catch(() => {});
			clearTimeout(timer);
		},
	};
	try {
		await client.connect();
		if (!isProven && !tls && !where.host.startsWith("/"))
			throw coded("EAUTH", "it lets everybody in, so that anybody could be it: have it ask for scram-sha-256");
		return opened;
	} catch (error) {
		await opened.end();
		throw error;
	}
}

/** What is used of the client's inside. */
interface Inside {
	on(name: string, act: (message: { name: string }) => void): void;
	stream: { emit(name: string, ...given: unknown[]): boolean; destroy(error?: Error): void };
}

async function refuse(): Promise<never> {
	throw coded(
		"EAUTH",
		"it asks for the password in clear or as MD5, which gives it away: have it ask for scram-sha-256",
	);
}

async function readPassword(where: Omit<Server, "tls">): Promise<string> {
	const found = await new Promise<string | undefined>((resolve) => pgpass(where, resolve));
	if (!found) throw coded("EPASSWORD", "it asks for a password");
	return found;
}

/** A failure in words. Of what the server says the message alone, cut short: details hold values. */
function explain(error: unknown, server: Server): Error {
	const { host, port, database, user } = server;
	const [state, said] = [errorCode(error), (error as Error | null)?.message || errorCode(error)];
	const isAway = state
		? /^(?:ECONN|EAI_|EHOST|ENET|ENOTFOUND|ETIMEDOUT|EPIPE|ENOENT|08(?!P)|57P0[1-3])/.test(state)
		: /timeout|terminated|closed|not queryable/.test(said);
	const help =
		ADVICE.find(([what]) => what.test(`${state} ${said}`))?.[1] ??
		(/^28P01|^EPASSWORD/.test(state) ? passwordLine(server) : isAway ? "is it running, and is the address right?" : "");
	const where = `${host.startsWith("/") ? host : `${host}:${port}`}, database ${database}, login ${user}`;
	const text = `PostgreSQL at ${where}: ${visible(said).slice(0, 200)}${help && `; ${help}`}`;
	return coded(isAway ? "EOFFLINE" : state || "EPOSTGRES", text, error);
}

const ADVICE: [RegExp, string][] = [
	[/CERT|UNABLE_TO_VERIFY|altname/i, "name the file of its authority: ?sslrootcert=/FILE behind the address"],
	[/support SSL/, "turn ssl on there, or write ?sslmode=disable behind the address of a server on this machine"],
	[/^28000/, "let this login in by pg_hba.conf"],
	[/^3D000/, "make the database, or correct its name in the address"],
	[/^42P01|^3F000/, "there is no table yet: ccg sync init makes it"],
	[/^42501/, "have its owner put this login into the group that may use ccg.documents"],
];
