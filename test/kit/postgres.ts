import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client as PgClient } from "pg";
import { tryOrUndefined } from "../../src/files/quietly.ts";
import { printedBy } from "./process.ts";

/** Debian keeps the server's programs out of PATH. */
const VERSIONS = tryOrUndefined(() => readdirSync("/usr/lib/postgresql")) ?? [];
const PLACES = [...(process.env.PATH ?? "").split(":"), ...VERSIONS.map((one) => `/usr/lib/postgresql/${one}/bin`)];
export const programAt = (name: string): string | undefined =>
	PLACES.map((place) => join(place, name)).find((path) => existsSync(path));

/** PostgreSQL does not run as root. */
const isRoot = process.getuid?.() === 0;
const AS = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
/** What a test that is killed started ends with it. */
const BOUND = existsSync("/usr/bin/setpriv") ? [...(isRoot ? AS : ["setpriv"]), "--pdeathsig=INT"] : AS;

/** A real server on the loopback and a socket, with the database `team` of `boss`, who is no superuser. `settings` are lines of its configuration. */
export async function postgresServer(settings: Record<string, string> = {}, before = (_folder: string) => {}) {
	// a folder that the server's user may use; the test's own is closed to it
	const folder = mkdtempSync("/tmp/ccg-pg-");
	if (isRoot) printedBy(["chown", "postgres:postgres", folder]);
	const data = join(folder, "data");
	const port = freePort();
	const how = ["-U", "admin", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"];
	printedBy([...AS, programAt("initdb")!, "-D", data, ...how], { cwd: folder });
	const place = { port: String(port), listen_addresses: "'127.0.0.1'", unix_socket_directories: `'${folder}'` };
	const lines = Object.entries({ ...place, ...settings }).map(([name, value]) => `${name} = ${value}\n`);
	writeFileSync(join(data, "postgresql.auto.conf"), lines.join(""));
	// members give their password, on each way
	writeFileSync(
		join(data, "pg_hba.conf"),
		"local all admin trust\nlocal all all scram-sha-256\nhost all admin 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n",
	);
	before(folder);
	let child: ChildProcess | null = null;
	/** As superuser. */
	const sql = async (text: string, database = "postgres"): Promise<Record<string, unknown>[]> => {
		const client = new PgClient({ host: folder, port, user: "admin", database });
		client.on("error", () => {});
		await client.connect();
		return client
			.query(text)
			.then(({ rows }) => rows)
			.finally(() => client.end());
	};
	const start = async (): Promise<void> => {
		for (let tries = 0; tries < 200; tries++) {
			if (!child || child.exitCode !== null || child.signalCode !== null)
				child = startProgram("postgres", ["-D", data], folder);
			// (behind a kill its own processes may live on for a moment)
			if (await sql("SELECT 1").catch(() => null)) return;
			await sleep(100);
		}
		throw new Error("PostgreSQL does not start");
	};
	await start();
	await sql("CREATE ROLE boss LOGIN CREATEROLE PASSWORD 'boss-1'");
	await sql("CREATE DATABASE team OWNER boss");
	return {
		...{ folder, port, sql, start },
		/** Kills the server as it is, at once. */
		async kill() {
			// its processes would answer for a moment more
			const own = readFileSync(`/proc/${child!.pid}/task/${child!.pid}/children`, "utf8").trim().split(" ").map(Number);
			await endProgram(child, "SIGKILL");
			for (const pid of own) tryOrUndefined(() => process.kill(pid, "SIGKILL"));
			while (own.some((pid) => existsSync(`/proc/${pid}`))) await sleep(10);
		},
		/** Ends it and removes all. */
		async end() {
			await endProgram(child, "SIGINT");
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

const startProgram = (name: string, args: string[], cwd: string): ChildProcess => {
	const [program, ...rest] = [...BOUND, programAt(name)!, ...args];
	const log = openSync(join(cwd, "log"), "a");
	return spawn(program!, rest, { cwd, stdio: ["ignore", "ignore", log] });
};

async function endProgram(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
	if (!child || child.exitCode !== null || child.signalCode !== null) return;
	const ended = new Promise((resolve) => child.once("exit", resolve));
	child.kill(signal);
	await ended;
}

function freePort(): number {
	const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
	server.stop(true);
	return server.port;
}

export const machineId = (): string => randomBytes(16).toString("hex");
