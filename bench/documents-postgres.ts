import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { newSigningKey, packDocument } from "../src/sync/bytes.ts";
import type { Value } from "../src/sync/document.ts";
import { documentsServer } from "../test/kit/documents-server.ts";
import { machineId } from "../test/kit/postgres.ts";
import { median } from "./latency/timed.ts";

const ROUNDS = 9;
export const GOAL = 0.7;

/**
 * What a document costs in PostgreSQL: puts a second of 100 and 10,000 values, by 1 and 10 machines at once, beside bare UPDATEs of the same
 * rows on the same server in the same run, in turns. The bare table has no rights, checks or computed columns. `asks/s`: exchanges without
 * news, each by a connection of its own.
 */
export async function measurePostgres(seconds = 4) {
	const logins = Array.from({ length: 10 }, (_, index) => `member_${index}`);
	const server = await documentsServer(logins, { fsync: "on", shared_buffers: "256MB" });
	await server.sql(
		`CREATE TABLE bare (login name, slot smallint, machine text PRIMARY KEY, version uuid, bytes bytea, at timestamptz);
		GRANT ALL ON bare TO PUBLIC`,
		"team",
	);
	const machines = await Promise.all(
		logins.map(async (user) => {
			const bare = new Client({ host: "127.0.0.1", port: server.port, user, password: `pw-${user}`, database: "team" });
			await bare.connect();
			return { login: user, id: machineId(), carrier: server.open(user), bare };
		}),
	);
	const ask = async ({ login }: (typeof machines)[0]): Promise<void> => {
		await using carrier = server.open(login);
		await carrier.list();
	};
	const figures = [];
	for (const values of [100, 10_000]) {
		const bytes = await documentOf(values);
		for (const { id, carrier } of machines) await carrier.put(id, bytes);
		await server.sql(
			"TRUNCATE bare; INSERT INTO bare SELECT login, slot, machine, version, bytes, at FROM ccg.documents",
			"team",
		);
		for (const count of [1, 10]) {
			const some = machines.slice(0, count);
			const ways = {
				carrier: (one: (typeof some)[0]) => one.carrier.put(one.id, bytes),
				bare: (one: (typeof some)[0]) =>
					one.bare.query("UPDATE bare SET version = $2, bytes = $3, at = clock_timestamp() WHERE machine = $1", [
						one.id,
						machineId(),
						bytes,
					]),
			};
			const rates = { carrier: [] as number[], bare: [] as number[] };
			for (let round = 0; round < ROUNDS; round++)
				for (const way of round % 2 === 0 ? (["carrier", "bare"] as const) : (["bare", "carrier"] as const))
					rates[way].push(await rateOf(some, ways[way], (seconds * 1000) / ROUNDS / 2));
			const [carrier, bare] = [median(rates.carrier), median(rates.bare)];
			figures.push({
				values,
				KB: Math.round(bytes.length / 1024),
				machines: count,
				"puts/s": Math.round(carrier),
				"bare UPDATE": Math.round(bare),
				ratio: Math.round((carrier / bare) * 100) / 100,
				"asks/s": Math.round(await rateOf(some, ask, 1000)),
			});
		}
	}
	for (const { carrier, bare } of machines) await Promise.all([carrier[Symbol.asyncDispose](), bare.end()]);
	await server.end();
	return figures;
}

/** How often a second all of them together do it. */
async function rateOf<T>(all: T[], act: (one: T) => Promise<unknown>, ms: number): Promise<number> {
	const started = performance.now();
	let done = 0;
	await Promise.all(
		all.map(async (one) => {
			for (; performance.now() - started < ms; done++) await act(one);
		}),
	);
	return (done / (performance.now() - started)) * 1000;
}

const WORDS = readFileSync(join(import.meta.dirname, "../docs/guide.md"), "utf8").split(/\s+/);

/** As it is sent: notes of a sentence or two, of the guide's words. */
function documentOf(count: number): Promise<Uint8Array> {
	const machine = machineId();
	const values = Array.from({ length: count }, (_, index): Value => {
		const text = Array.from({ length: 24 }, () => WORDS[Math.floor(Math.random() * WORDS.length)]).join(" ");
		const id = `${machine}-1-${index.toString(16).padStart(8, "0")}`;
		const item = `note:${machineId().slice(0, 20)}`;
		const at = new Date(1.7e12 + index * 1_000).toISOString();
		return { id, item, kind: "note", project: "0".repeat(32), text, at, replaces: [] };
	});
	const document = {
		space: machineId(),
		machine,
		version: 1,
		name: "ada on desk",
		...{ seen: {}, members: {}, removed: [], letIn: {}, ask: "", values },
	};
	return packDocument(document, { sign: newSigningKey() }, []);
}
