import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
	chownSync,
	existsSync,
	mkdtempSync,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client as PgClient } from "pg";
import { quietly } from "../../src/files/quietly.ts";
import { printedBy, runNow } from "./process.ts";

/** Debian keeps the server's programs out of PATH. */
const PLACES = [
	...(process.env.PATH ?? "").split(":"),
	...(existsSync("/usr/lib/postgresql")
		? readdirSync("/usr/lib/postgresql").map((version) => `/usr/lib/postgresql/${version}/bin`)
		: []),
	"/usr/sbin",
];
export const programAt = (name: string): string | undefined =>
	PLACES.map((place) => join(place, name)).find((path) => existsSync(path));

/** PostgreSQL does not run as root. */
const isRoot = process.getuid?.() === 0;
const [UID, GID] = isRoot ? ["postgres", "nobody"].map(idsOf).find((ids) => ids[0])! : [];
function idsOf(user: string): (number | undefined)[] {
	return ["-u", "-g"].map((what) => Number(runNow(["id", what, user]).out) || undefined);
}
const AS = isRoot ? ["setpriv", `--reuid=${UID}`, `--regid=${GID}`, "--clear-groups"] : [];
/** What a test that is killed started ends with it. */
const BOUND = isRoot
	? [...AS, "--pdeathsig=INT"]
	: existsSync("/usr/bin/setpriv")
		? ["setpriv", "--pdeathsig=INT"]
		: [];

export interface Server {
	folder: string;
	port: number;
	/** The database `team` as its owner, who is no superuser. */
	place: string;
	/** As superuser. */
	sql(text: string, database?: string): Promise<Record<string, unknown>[]>;
	start(): Promise<void>;
	/** Kills the server as it is, at once. */
	kill(): Promise<void>;
	/** Ends it and removes all. */
	end(): Promise<void>;
}

/** A folder that the server's user may use. Not in the test's own folder, which is closed to it. */
export function serverFolder(): string {
	const folder = mkdtempSync("/tmp/ccg-pg-");
	if (UID && GID) chownSync(folder, UID, GID);
	return folder;
}

/** A real server on the loopback and a socket. `settings` are lines of its configuration. */
export async function postgresServer(
	settings: Record<string, string> = {},
	{ pooled = false, before = (_folder: string) => {} } = {},
): Promise<Server> {
	const folder = serverFolder();
	const data = join(folder, "data");
	const port = await freePort();
	printedBy([...AS, programAt("initdb")!, "-D", data, "-U", "admin", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"], {
		cwd: folder,
	});
	const lines = {
		port: String(port),
		listen_addresses: "'127.0.0.1'",
		unix_socket_directories: `'${folder}'`,
		...settings,
	};
	writeFileSync(
		join(data, "postgresql.auto.conf"),
		Object.entries(lines)
			.map(([name, value]) => `${name} = ${value}\n`)
			.join(""),
	);
	// members give their password, on each way
	writeFileSync(
		join(data, "pg_hba.conf"),
		"local all admin trust\nlocal all all scram-sha-256\nhost all admin 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n",
	);
	before(folder);
	let child: ChildProcess | null = null;
	const sql = async (text: string, database = "postgres") => {
		const client = new PgClient({ host: folder, port, user: "admin", database });
		client.on("error", () => {});
		await client.connect();
		try {
			return (await client.query(text)).rows;
		} finally {
			await client.end();
		}
	};
	const start = async (): Promise<void> => {
		for (let tries = 0; tries < 200; tries++) {
			if (!child || child.exitCode !== null || child.signalCode !== null)
				child = startProgram("postgres", ["-D", data], folder);
			// (behind a kill its own processes may live on for a moment)
			if (
				await sql("SELECT 1").then(
					() => true,
					() => false,
				)
			)
				return;
			await sleep(100);
		}
		throw new Error("PostgreSQL does not start");
	};
	const stop = (signal: "SIGKILL" | "SIGINT") => endProgram(child, signal);
	await start();
	await sql("CREATE ROLE boss LOGIN CREATEROLE PASSWORD 'boss-1'");
	await sql("CREATE DATABASE team OWNER boss");
	const pooler = pooled ? await startPooler(folder, port) : null;
	return {
		folder,
		port,
		place: `postgres://boss:boss-1@127.0.0.1:${pooler?.port ?? port}/team`,
		sql,
		start,
		async kill() {
			// its processes would answer for a moment more
			const own = readFileSync(`/proc/${child!.pid}/task/${child!.pid}/children`, "utf8").trim().split(" ").map(Number);
			await stop("SIGKILL");
			for (const pid of own) quietly(() => process.kill(pid, "SIGKILL"));
			while (own.some((pid) => existsSync(`/proc/${pid}`))) await sleep(10);
		},
		async end() {
			await endProgram(pooler?.child ?? null, "SIGKILL");
			await stop("SIGINT");
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** PgBouncer in transaction mode with one connection for each member, which lets nothing through but what it knows. */
async function startPooler(folder: string, server: number): Promise<{ child: ChildProcess; port: number }> {
	const port = await freePort();
	writeFileSync(join(folder, "users"), '"admin" ""\n');
	writeFileSync(
		join(folder, "pgbouncer.ini"),
		`[databases]
* = host=127.0.0.1 port=${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${folder}/users
auth_user = admin
pool_mode = transaction
default_pool_size = 1
query_wait_timeout = 2
max_client_conn = 5000
`,
	);
	const child = startProgram("pgbouncer", [join(folder, "pgbouncer.ini")], folder);
	for (let tries = 0; tries < 100 && !(await answers(port)); tries++) await sleep(50);
	return { child, port };
}

const answers = (port: number): Promise<boolean> =>
	new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
		socket.on("connect", () => socket.destroy());
	});

export const startProgram = (name: string, args: string[], cwd: string): ChildProcess => {
	const [program, ...rest] = [...BOUND, programAt(name)!, ...args];
	const log = openSync(join(cwd, "log"), "a");
	return spawn(program!, rest, { cwd, stdio: ["ignore", "ignore", log] });
};

export async function endProgram(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
	if (!child || child.exitCode !== null || child.signalCode !== null) return;
	const ended = new Promise((resolve) => child.once("exit", resolve));
	child.kill(signal);
	await ended;
}

export const freePort = (): Promise<number> =>
	new Promise((resolve) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port } = server.address() as { port: number };
			server.close(() => resolve(port));
		});
	});

export const machineId = (): string => randomBytes(16).toString("hex");
