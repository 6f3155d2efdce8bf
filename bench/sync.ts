/**
 * What sharing memory through PostgreSQL costs: 1, 10 and 100 machines that push batches at once, beside bare INSERTs of the same rows in
 * the same statements on the same server in the same run, in turns. Prints operations per second of both, their ratio, and bytes per
 * operation as sent and on the disk. Ends 1 where a ratio is below 0.5. A server of its own, on the loopback, with fsync; ends by itself.
 *
 *   npm run bench:sync [-- --machines 1,10,100,1000] [--seconds N] [--batches N] [--operations N] [--filled OPERATIONS] [--pooled] [--json]
 *
 * `--filled` first puts so many operations there, and tells what pulling them takes.
 */
import { parseArgs } from "node:util";
import type { Client } from "pg";
import type { Carried } from "../src/sync/carrier.ts";
import { openPostgres } from "../src/sync/postgres/carrier.ts";
import { targetOf } from "../src/sync/postgres/connection.ts";
import { type Joined, member, owner, PROJECTS, postgresServer, type Server, SPACE } from "../test/kit/postgres.ts";
import { median } from "./latency/timed.ts";

const { values: options } = parseArgs({
	options: {
		machines: { type: "string", default: "1,10,100" },
		seconds: { type: "string", default: "4" },
		// a turn of a session leaves a few notes and states
		batches: { type: "string", default: "4" },
		operations: { type: "string", default: "5" },
		filled: { type: "string", default: "0" },
		pooled: { type: "boolean", default: false },
		json: { type: "boolean", default: false },
	},
});
const COUNTS = options.machines.split(",").map(Number);
const [SECONDS, BATCHES, OPERATIONS, FILLED] = [
	options.seconds,
	options.batches,
	options.operations,
	options.filled,
].map(Number) as [number, number, number, number];
const GOAL = 0.5;
/** Turns of one and the other. */
const ROUNDS = 5;

/** A machine with both ways to write. */
interface Machine extends Joined {
	bare: Client;
	seq: number;
}

async function compare(machines: Machine[]) {
	const rates: { carrier: number[]; bare: number[] } = { carrier: [], bare: [] };
	const turnMs = (SECONDS * 1000) / ROUNDS / 2;
	for (let round = 0; round < ROUNDS; round++)
		for (const way of round % 2 === 0 ? (["carrier", "bare"] as const) : (["bare", "carrier"] as const))
			rates[way].push(await rateOf(machines, way, turnMs));
	const [carrier, bare] = [median(rates.carrier), median(rates.bare)];
	return {
		"operations/s": Math.round(carrier),
		"bare INSERT": Math.round(bare),
		ratio: Math.round((carrier / bare) * 100) / 100,
	};
}

/** Operations per second of machines that all write at once. */
async function rateOf(machines: Machine[], way: "carrier" | "bare", ms: number): Promise<number> {
	const started = performance.now();
	let done = 0;
	await Promise.all(
		machines.map(async (one) => {
			while (performance.now() - started < ms) {
				const batches = batchesFrom(one.seq + 1);
				await (way === "carrier" ? one.carrier.append(one.machine, batches) : insert(one.bare, one.machine, batches));
				if (way === "carrier") one.seq += BATCHES;
				done += BATCHES * OPERATIONS;
			}
		}),
	);
	return (done / (performance.now() - started)) * 1000;
}

let bareSeq = 0;
const insert = (bare: Client, machine: string, batches: Carried[]): Promise<unknown> =>
	bare.query(
		`INSERT INTO bare (machine, seq, project, bytes) VALUES ${batches.map((_, index) => `($${index * 4 + 1}, $${index * 4 + 2}, $${index * 4 + 3}, $${index * 4 + 4})`)}`,
		batches.flatMap(({ project, bytes }) => [machine, ++bareSeq, project, bytes]),
	);

const WORDS = "the tests of the parser pass only with the old grammar so keep it until the port is done".split(" ");

/** Batches as large as those that are sent: notes of a sentence or two with ids, signed. */
function batchesFrom(seq: number): Carried[] {
	return Array.from({ length: BATCHES }, (_, index) => {
		const ops = Array.from({ length: OPERATIONS }, (_, at) => ({
			item: `note:${random(32)}`,
			field: "text",
			value: Array.from({ length: 24 }, () => WORDS[Math.floor(Math.random() * WORDS.length)]).join(" "),
			replaces: at % 3 === 0 ? [`${random(32)}:${seq}:0`] : [],
		}));
		const batch = { v: 1, machine: random(32), seq: seq + index, prev: random(64), seen: { [random(32)]: 7 }, ops };
		return { seq: seq + index, project: PROJECTS[0], bytes: Buffer.from(`${JSON.stringify(batch)} ${random(88)}`) };
	});
}

function random(length: number): string {
	let text = "";
	while (text.length < length) text += Math.random().toString(16).slice(2);
	return text.slice(0, length);
}

/** So many operations of others, put there by the server itself; then a machine pulls all of it. */
async function fill({ sql }: Server, reader: Joined): Promise<void> {
	const [each, at] = [100, Math.ceil(FILLED / 100 / 100)];
	const started = performance.now();
	for (let machine = 0; machine < 100; machine++)
		await sql(
			`INSERT INTO ccg.members (login, machine, role, until, first, last) VALUES ('filled_${machine}', lpad('${machine}', 32, '0'), 'writer', now(), 1, ${at});
			INSERT INTO ccg.batches (machine, seq, project, bytes) SELECT lpad('${machine}', 32, '0'), seq, '${PROJECTS[0]}',
			convert_to((SELECT string_agg(md5(seq::text || part) || ' words of a note that was saved', ',') FROM generate_series(1, ${each}) part), 'UTF8')
			FROM generate_series(1, ${at}) seq`,
			"team",
		);
	const filledMs = performance.now() - started;
	await sql("ANALYZE ccg.batches", "team");
	const before = performance.now();
	const heads = await reader.carrier.heads();
	const headsMs = performance.now() - before;
	let rows = 0;
	let size = 0;
	for (const [machine, { to }] of heads)
		for (let seq = 1; seq <= to; ) {
			const read = await reader.carrier.read(machine, seq);
			rows += read.length;
			for (const { bytes } of read) size += bytes.length;
			seq = read.at(-1)!.seq + 1;
		}
	const seconds = (performance.now() - before) / 1000;
	tell({
		filled: rows * each,
		"filled in s": Math.round(filledMs / 1000),
		"heads in ms": Math.round(headsMs * 10) / 10,
		"pulled operations/s": Math.round((rows * each) / seconds),
		MB: Math.round(size / 1e6),
	});
}

function tell(figures: Record<string, number>): void {
	if (options.json) console.log(JSON.stringify(figures));
	else
		console.log(
			Object.entries(figures)
				.map(([name, value]) => `${name} ${value.toLocaleString("en")}`)
				.join(" · "),
		);
}

const server = await postgresServer(
	{ max_connections: String(Math.max(...COUNTS) * 2 + 20), shared_buffers: "256MB" },
	{ pooled: options.pooled },
);
let isSlow = false;
try {
	const first = await owner(server);
	// the columns and the key of the real one, and nothing else
	await server.sql(
		`CREATE TABLE bare (machine text NOT NULL, seq bigint NOT NULL, project text, bytes bytea NOT NULL, login name NOT NULL DEFAULT session_user,
		at timestamptz NOT NULL DEFAULT clock_timestamp(), address inet DEFAULT inet_client_addr(), PRIMARY KEY (machine, seq));
		GRANT INSERT ON bare TO PUBLIC`,
		"team",
	);
	if (FILLED > 0) await fill(server, first);
	const machines: Machine[] = [];
	for (const count of COUNTS) {
		while (machines.length < count) {
			const one = await member(server, first);
			machines.push({ ...one, bare: await one.raw(), seq: 0 });
		}
		const figures = await compare(machines.slice(0, count));
		isSlow ||= figures.ratio < GOAL;
		tell({ machines: count, ...figures });
	}
	const pushes: number[] = [];
	for (let times = 0; times < 20; times++) {
		const { machine, login } = machines[0]!;
		const before = performance.now();
		const carrier = await openPostgres({ ...targetOf(server.place, {}), login }, SPACE);
		await carrier.heads();
		await carrier.append(machine, batchesFrom(machines[0]!.seq + 1));
		await carrier.close();
		machines[0]!.seq += BATCHES;
		pushes.push(performance.now() - before);
	}
	tell({ "one push with its connection, ms": Math.round(median(pushes) * 10) / 10 });
	const [size] = await server.sql(
		`SELECT sum(octet_length(bytes))::int8 AS carried, count(*)::int8 AS rows,
		(pg_total_relation_size('ccg.batches') + pg_total_relation_size('ccg.members'))::int8 AS disk FROM ccg.batches`,
		"team",
	);
	const operations = FILLED > 0 ? null : Number(size!.rows) * OPERATIONS;
	if (operations)
		tell({
			"bytes per operation, sent": Math.round(Number(size!.carried) / operations),
			"on the disk": Math.round(Number(size!.disk) / operations),
		});
	for (const { carrier, bare } of machines) await Promise.all([carrier.close(), bare.end()]);
	await first.carrier.close();
} finally {
	await server.end();
}
process.exit(isSlow ? 1 : 0);
