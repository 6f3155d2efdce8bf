/**
 * The session context beside the least its work could cost: a bare read and JSON.parse, a bare JSON.stringify, write and
 * rename of the same bytes, in one run, A B, B A, A B …, as medians; and how the cost grows with the history.
 *
 *   npx bun bench/context.ts [--runs 200] [--json] [--check]
 */

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { applier } from "../src/core/context/apply.ts";
import { compact } from "../src/core/context/compact.ts";
import { DOCUMENT_RULES } from "../src/core/context/compaction-rules.ts";
import { sessionContext } from "../src/core/context/project.ts";
import type { SessionRecord } from "../src/core/context/record.ts";
import { emptySnapshot, type HistoryEntry, type SessionSnapshot } from "../src/core/context/session-context.ts";
import { sessionPaths } from "../src/store/paths.ts";
import { appendOnce, appendRecords } from "../src/store/session/event-log.ts";
import { loadSnapshot, saveSnapshot, updateSnapshot } from "../src/store/session/session-snapshot.ts";
import { sessionAt } from "../src/store/session-handle.ts";
import { storeAt } from "../test/kit/store.ts";

const NOW = new Date("2026-03-01T10:00:00Z");
const SECONDS = NOW.getTime() / 1000;
const WORDS = "the parser reads one line at a time and keeps the offset of the last one that was whole ".repeat(30);
/** Highest ratios to the bare work, and of cost per entry from 100 to 10,000 entries. */
const LIMITS: Record<string, number> = {
	"load, 100 KB": 6,
	"save, 100 KB": 6,
	"compaction, 51 entries": 6,
	"compaction, 10,000 entries": 1,
};
const FLAT = 3;
const LINEAR = 3;

const { values } = parseArgs({
	options: { runs: { type: "string", default: "200" }, json: { type: "boolean" }, check: { type: "boolean" } },
});
const runs = Number(values.runs);
const folder = mkdtempSync(join(tmpdir(), "ccg-bench-context-"));
try {
	const rows = [...fileRows(), ...compactionRows()];
	const growth = growthRows();
	if (values.json) console.log(JSON.stringify({ rows, growth }, null, 2));
	else print(rows, growth);
	const slow = rows.filter(({ name, ratio }) => ratio > (LIMITS[name] ?? Number.POSITIVE_INFINITY));
	const steep = growth.filter(({ growth: grown, limit }) => grown > limit);
	if (values.check && slow.length + steep.length > 0) {
		console.error(`over the limit: ${[...slow, ...steep].map(({ name }) => name).join(", ")}`);
		process.exitCode = 1;
	}
} finally {
	rmSync(folder, { recursive: true, force: true });
}

interface Row {
	name: string;
	beside: string;
	ms: number;
	baseMs: number;
	ratio: number;
	/** The document's own figure for it, on its own machine. */
	document: string;
}

interface Growth {
	name: string;
	/** Milliseconds at each size. */
	ms: Record<string, number>;
	/** How much the cost (per entry, where it is linear) grew from the smallest to the largest. */
	growth: number;
	per: "per call" | "per entry";
	limit: number;
}

function fileRows(): Row[] {
	const root = join(folder, "store");
	const context = snapshotOf(50, 1_750);
	saveSnapshot(sessionAt(storeAt(root), "s"), context);
	const path = sessionPaths(root, "s").state;
	const bytes = readFileSync(path, "utf8");
	const bare = join(folder, "bare.json");
	writeFileSync(bare, bytes);
	const bareRead = () => JSON.parse(readFileSync(bare, "utf8"));
	const bareWrite = () => {
		writeFileSync(`${bare}.tmp`, JSON.stringify(context));
		renameSync(`${bare}.tmp`, bare);
	};
	const size = `${Math.round(bytes.length / 1024)} KB`;
	return [
		row(
			"load, 100 KB",
			`read + JSON.parse of the same ${size}`,
			"~1 ms for 10-100 KB",
			() => loadSnapshot(sessionAt(storeAt(root), "s"), NOW),
			bareRead,
		),
		row(
			"save, 100 KB",
			`JSON.stringify + write + rename of the same ${size}`,
			"~1 ms with atomic writes",
			() => saveSnapshot(sessionAt(storeAt(root), "s"), context),
			bareWrite,
		),
		row(
			"load, change and save under the lock, 100 KB",
			"both of these",
			"not told",
			() => updateSnapshot(sessionAt(storeAt(root), "s"), NOW, () => {}),
			() => {
				bareRead();
				bareWrite();
			},
		),
	];
}

function compactionRows(): Row[] {
	return [51, 10_000].map((count) => {
		const context = sessionContext(snapshotOf(count, count === 51 ? 1_750 : 300));
		const text = JSON.stringify(context);
		const name = `compaction, ${count === 51 ? "51" : "10,000"} entries`;
		const summarised = compact(context, DOCUMENT_RULES, SECONDS).entries.length;
		if (summarised < 20) throw new Error(`${name}: summarised ${summarised}`);
		const told = count === 51 ? "<10 ms for 50+ entries" : "tested with 10k+ entries, no time told";
		return row(
			name,
			`JSON.parse of the same ${Math.round(text.length / 1024)} KB`,
			told,
			() => compact(context, DOCUMENT_RULES, SECONDS),
			() => JSON.parse(text),
		);
	});
}

function growthRows(): Growth[] {
	const sizes = [100, 1_000, 10_000];
	const append: Record<string, number> = {};
	const again: Record<string, number> = {};
	const applied: Record<string, number> = {};
	const shrink: Record<string, number> = {};
	for (const size of sizes) {
		const root = join(folder, `grown-${size}`);
		mkdirSync(root);
		appendRecords(
			sessionAt(storeAt(root), "s"),
			Array.from({ length: size }, (_, n) => recordOf(n)),
		);
		let next = size;
		append[size] = time(() => appendRecords(sessionAt(storeAt(root), "s"), [recordOf(next++), recordOf(next++)]));
		again[size] = time(() => appendOnce(sessionAt(storeAt(root), "s"), [recordOf(next++), recordOf(next++)]));
		const lines = Array.from({ length: size }, (_, n) => ({
			pos: n * 500,
			uuid: `u${n}`,
			events: [
				{
					kind: "message" as const,
					at: NOW.toISOString(),
					text: `${n} ${WORDS.slice(0, 400)}`,
					source: "typed" as const,
				},
			],
		}));
		const empty = emptySnapshot("s", SECONDS);
		applied[size] = time(() => lines.map(applier(structuredClone(empty))), Math.max(5, Math.round(2_000 / size)));
		const context = sessionContext(snapshotOf(size, 300));
		shrink[size] = time(() => compact(context, DOCUMENT_RULES, SECONDS));
	}
	const from = sizes[0]!;
	const to = sizes.at(-1)!;
	const flat = (ms: Record<string, number>) => ms[to]! / ms[from]!;
	const perEntry = (ms: Record<string, number>) => ms[to]! / to / (ms[from]! / from);
	return [
		{ name: "append 2 records to the event log", ms: append, growth: flat(append), per: "per call", limit: FLAT },
		// reads the event log's end, 512 KB at most
		{
			name: "append 2 records, after a look at the event log's end",
			ms: again,
			growth: flat(again),
			per: "per call",
			limit: Number.POSITIVE_INFINITY,
		},
		{ name: "apply that many messages", ms: applied, growth: perEntry(applied), per: "per entry", limit: LINEAR },
		{ name: "compact that many entries", ms: shrink, growth: perEntry(shrink), per: "per entry", limit: LINEAR },
	];
}

function snapshotOf(count: number, chars: number): SessionSnapshot {
	const roles = ["user", "assistant", "tool"] as const;
	const history = Array.from(
		{ length: count },
		(_, n): HistoryEntry => ({
			timestamp: SECONDS - count + n,
			role: roles[n % 3]!,
			content: `${n} ${WORDS.slice(0, chars)}`,
			token_count: Math.ceil(chars / 4),
			id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}.0`,
			...(n % 3 === 2 && { tool: "Bash" }),
		}),
	);
	return {
		...emptySnapshot("s", SECONDS),
		recent_history: history,
		facts: Array.from({ length: 60 }, (_, n) => `fact ${n} ${WORDS.slice(0, 60)}`),
	};
}

function recordOf(n: number): SessionRecord {
	return {
		v: 1,
		at: NOW.toISOString(),
		id: `u${n}.0`,
		pos: n,
		kind: "message",
		role: "user",
		text: WORDS.slice(0, 300),
		tokens: 75,
	};
}

function row(name: string, beside: string, document: string, act: () => unknown, base: () => unknown): Row {
	const [own, other]: [number[], number[]] = [[], []];
	for (let n = -10; n < runs; n++) {
		const order = n % 2 === 0 ? [act, base] : [base, act];
		for (const one of order) {
			const start = performance.now();
			one();
			const ms = performance.now() - start;
			if (n >= 0) (one === act ? own : other).push(ms);
		}
	}
	const ms = median(own);
	const baseMs = median(other);
	return { name, beside, ms, baseMs, ratio: ms / baseMs, document };
}

function time(act: () => unknown, times = runs): number {
	const seen: number[] = [];
	for (let n = -5; n < times; n++) {
		const start = performance.now();
		act();
		if (n >= 0) seen.push(performance.now() - start);
	}
	return median(seen);
}

function median(list: number[]): number {
	return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;
}

function print(rows: Row[], growth: Growth[]): void {
	console.log(`medians of ${runs} runs, in milliseconds\n`);
	for (const { name, beside, ms, baseMs, ratio, document } of rows)
		console.log(
			`${name.padEnd(46)} ${ms.toFixed(3).padStart(8)}  ${ratio.toFixed(1).padStart(5)} times ${baseMs.toFixed(3)} (${beside}); the document: ${document}`,
		);
	console.log("\nas the history grows");
	for (const { name, ms, growth: grown, per } of growth) {
		const told = Object.entries(ms)
			.map(([size, one]) => `${size}: ${one.toFixed(3)}`)
			.join("  ");
		console.log(`${name.padEnd(52)} ${told}  ${per} ${grown.toFixed(2)} times`);
	}
}
