import { userInfo } from "node:os";
import { Client, types } from "pg";
// @ts-expect-error it has no types
import pgpass from "pgpass";
import { visible } from "../../core/text/invisible.ts";
import { coded, errorCode, whyOf } from "../../files/system-failure.ts";
import { type Target, tlsOf } from "./connection.ts";

// (all of ours are exact as numbers)
types.setTypeParser(types.builtins.INT8, Number);

const CONNECT_MS = 10_000;
const ANSWER_MS = 60_000;
/** Of one answer: a server that sends without end is left. */
const ANSWER_BYTES = 128 * 1024 * 1024;
const LOOK_MS = 250;

export type Session = ReturnType<typeof openSession>;

/**
 * One connection, made when the first statement is sent, and once more where it was lost. Nothing is kept in the server's session. The
 * next statement is sent when the one before was answered.
 */
export function openSession(target: Target) {
	let client: Promise<Client> | null = null;
	const drop = async (): Promise<void> => {
		const gone = client;
		client = null;
		await gone?.then((one) => one.end()).catch(() => {});
	};
	const send = async <R extends object>(sql: string, values?: readonly unknown[]): Promise<R[]> => {
		client ??= connect(target);
		try {
			const one = await client;
			// (with values it is the protocol's unnamed statement; without them it may be several)
			const asked = one.query<R>(values ? { text: sql, values: [...values] } : sql);
			return (await bounded(one, asked)).rows;
		} catch (error) {
			// what a script began is not to stay open
			if (!values || isLost(error)) await drop();
			throw error;
		}
	};
	const inWords = (error: unknown): never => {
		throw said(error, target);
	};
	return {
		/**
		 * The rows of one statement, which is a transaction by itself. Sent again after a lost connection, so that running it twice must be
		 * the same as once; `once` says it is not.
		 */
		rows: <R extends object>(sql: string, values: readonly unknown[] = [], { once = false } = {}): Promise<R[]> =>
			send<R>(sql, values)
				.catch((error) => {
					if (once || !isLost(error)) throw error;
					return send<R>(sql, values);
				})
				.catch(inWords),
		/** Several statements without values in one go; one transaction, unless they say otherwise. Never sent twice. */
		script: (sql: string): Promise<void> => send(sql).then(() => {}, inWords),
		close: drop,
	};
}

async function connect(target: Target): Promise<Client> {
	const { host, port, database, login } = target;
	const user = login.user || userInfo().username;
	const client = new Client({
		host,
		port,
		database,
		user,
		password: async () => login.password || (await fromFile({ host, port, database, user })) || "",
		ssl: tlsOf(target),
		// a pooler knows this one, and no other setting that is sent with the start
		application_name: "ccg",
		connectionTimeoutMillis: CONNECT_MS,
		query_timeout: ANSWER_MS,
		keepAlive: true,
	});
	// told by the statement that fails
	client.on("error", () => {});
	try {
		await client.connect();
	} catch (error) {
		client.end().catch(() => {});
		throw error;
	}
	return client;
}

/** The password for a server in the user's password file (PGPASSFILE, ~/.pgpass), if it is the user's alone. */
const fromFile = (server: object): Promise<string | undefined> => new Promise((resolve) => pgpass(server, resolve));

/** Ends the connection where an answer has no end. */
async function bounded<T>(client: Client, answer: Promise<T>): Promise<T> {
	const { stream } = (client as unknown as { connection: { stream: { bytesRead: number; destroy(): void } } })
		.connection;
	const before = stream.bytesRead;
	const look = setInterval(() => {
		if (stream.bytesRead - before > ANSWER_BYTES) stream.destroy();
	}, LOOK_MS);
	try {
		return await answer;
	} finally {
		clearInterval(look);
	}
}

/** (`EPIPE` is the system's.) */
const SQLSTATE = /^[0-9A-Z]{4}[0-9]$|^[0-9A-Z]{2}[0-9][0-9A-Z]{2}$/;
/** The connection, or the server itself, went away: class 08, and the codes of a server that stops or starts. */
const GONE = /^(?:08|57P0[1-3])/;
/** Of what a pooler says (all of it 08P01), and of TLS: somebody is there, and refuses. */
const REFUSED = /no such user|login failed|password|authentication|certificate|CERT|TLS|SSL/;

const isLost = (error: unknown): boolean => {
	const code = errorCode(error);
	// what has no code of PostgreSQL's came from the socket, TLS or the client
	return SQLSTATE.test(code) ? GONE.test(code) : true;
};

const MEANING: Record<string, string> = {
	"08P01": "the pooler in front of it refuses",
	"28P01":
		"it refuses this login: the password is wrong, the code was used or is too old, or the machine is no member any more",
	"28000": "it refuses this login: the machine is no member any more, or pg_hba.conf lets it in nowhere",
	"42501": "not permitted",
	EPASSWORD: "it asks for a password, and none is given: PGPASSWORD, or ~/.pgpass",
	"42P01": "there is no space in this database; ccg sync init makes one",
	"42883": "its schema is older than this ccg; whoever owns the database runs ccg sync init once more",
	"53300": "it has too many connections",
};

/** A failure in words. Of what the server says the message alone, cut short: details hold values. Its code stays, `EOFFLINE` where nobody answers. */
function said(error: unknown, { host, port, login }: Target): Error {
	const state = /client password must be/.test(whyOf(error)) ? "EPASSWORD" : errorCode(error);
	const where = host.startsWith("/") ? host : `${host}:${port}`;
	const raw = (error as Error | null)?.message || state || "no answer";
	const text = visible(login.password ? raw.replaceAll(login.password, "…") : raw).slice(0, 200);
	const code = isLost(error) && !REFUSED.test(`${state} ${text}`) ? "EOFFLINE" : state || "EPOSTGRES";
	return coded(code, `PostgreSQL at ${where}: ${MEANING[state] ? `${MEANING[state]} (${text})` : text}`);
}
