/**
 * `npm run bench:recall`: what the search index costs. Indexing real transcripts beside a bare FTS5 insert of the same text, the
 * index's size, and answers over ever more transcripts. What is measured and how to read it: bench/README.md.
 */
import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { indexTranscript } from "../src/claude/transcript/index-transcript.ts";
import { readTranscript } from "../src/claude/transcript/read-transcript.ts";
import { rulesFrom } from "../src/core/redact/lazy-rules.ts";
import type { Passage } from "../src/core/search/passage.ts";
import { passageMaker } from "../src/core/search/passages.ts";
import { recall } from "../src/store/search/recall.ts";
import { SearchIndex } from "../src/store/search/search-index.ts";
import { median, timePairs } from "./latency/timed.ts";

rulesFrom(() => require("../src/core/redact/rules.ts"));
const { values } = parseArgs({
	options: {
		data: { type: "string" },
		sizes: { type: "string", default: "10,100,1000" },
		queries: { type: "string", default: "60" },
		runs: { type: "string", default: "20" },
		json: { type: "boolean", default: false },
	},
});
if (!values.data) {
	console.error("--data DIR is needed: a folder of transcripts (*.jsonl, *.jsonl.gz)");
	process.exit(2);
}
const root = mkdtempSync(join(tmpdir(), "ccg-bench-recall-"));
const ASKER = { project: "p", session: "s0-0", now: new Date() };
const MB = 1_000_000;

interface Transcript {
	path: string;
	bytes: number;
	passages: Passage[];
}

try {
	const transcripts = unpacked(resolve(values.data));
	const bytes = transcripts.reduce((sum, one) => sum + one.bytes, 0);
	const passages = transcripts.flatMap((one) => one.passages);
	const textBytes = passages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
	const filling = fill(transcripts, passages, textBytes, bytes);
	const growth: object[] = [];
	for (const size of values.sizes.split(",").map(Number)) growth.push(await grown(size, transcripts, bytes));
	const result = {
		transcripts: transcripts.length,
		bytes,
		passages: passages.length,
		text_bytes: textBytes,
		filling,
		growth,
	};
	if (values.json) console.log(JSON.stringify(result, null, 2));
	else print(result, growth as Record<string, number>[]);
} finally {
	rmSync(root, { recursive: true, force: true });
}

function unpacked(folder: string): Transcript[] {
	return readdirSync(folder)
		.filter((name) => /\.jsonl(\.gz)?$/.test(name))
		.map((name) => {
			const packed = readFileSync(join(folder, name));
			const path = join(root, name.replace(/\.gz$/, ""));
			writeFileSync(path, name.endsWith(".gz") ? Bun.gunzipSync(packed) : packed);
			const made: Passage[] = [];
			const make = passageMaker(new Map());
			const take = (line: Parameters<typeof make>[0]): void => void made.push(...make(line));
			readTranscript(path, null, () => ({ take }), { isThorough: true, isWhole: true });
			return { path, bytes: statSync(path).size, passages: made };
		});
}

/** Three times each, in turns: the whole way from the file, the index's own part, and the same text bare into FTS5. */
function fill(transcripts: Transcript[], passages: Passage[], textBytes: number, bytes: number) {
	const times: [number[], number[], number[]] = [[], [], []];
	let indexBytes = 0;
	for (let round = 0; round < 3; round++) {
		times[0].push(
			timed(() => {
				const index = SearchIndex.open(join(root, `whole${round}`))!;
				for (const { path } of transcripts)
					indexTranscript(index, { path, project: "p", session: path.slice(-40, -6) });
				index.close();
			}),
		);
		times[1].push(
			timed(() => {
				const index = SearchIndex.open(join(root, `part${round}`))!;
				for (let at = 0; at < passages.length; at += 400)
					index.add({ path: `t${at}`, project: "p", session: "s" }, passages.slice(at, at + 400));
				index.close();
			}),
		);
		const tidied = SearchIndex.open(join(root, `part${round}`))!;
		tidied.tidy();
		tidied.close();
		indexBytes = statSync(join(root, `part${round}`, "index.sqlite")).size;
		times[2].push(
			timed(() => {
				const bare = new Database(join(root, `bare${round}.sqlite`));
				bare.run("PRAGMA journal_mode = WAL");
				bare.run("PRAGMA synchronous = NORMAL");
				bare.run("CREATE VIRTUAL TABLE words USING fts5(text)");
				const insert = bare.query("INSERT INTO words(text) VALUES (?)");
				for (let at = 0; at < passages.length; at += 400)
					bare.transaction(() => {
						for (const { text } of passages.slice(at, at + 400)) insert.run(text);
					})();
				bare.close();
			}),
		);
	}
	const [whole, part, bare] = times.map(median) as [number, number, number];
	return {
		whole_mb_per_s: (bytes / MB / whole) * 1000,
		index_mb_per_s: (textBytes / MB / part) * 1000,
		bare_mb_per_s: (textBytes / MB / bare) * 1000,
		whole_over_bare: whole / bare,
		index_over_bare: part / bare,
		index_over_text: indexBytes / textBytes,
	};
}

/** An index of so many MB of transcripts: the real ones again and again, with other words each time. */
async function grown(mb: number, transcripts: Transcript[], bytes: number) {
	const home = join(root, `home${mb}`);
	const store = join(home, ".claude-memory");
	mkdirSync(store, { recursive: true });
	const index = SearchIndex.open(store)!;
	const copies = Math.max(1, Math.round((mb * MB) / bytes));
	const part = Math.min(1, (mb * MB) / bytes);
	for (let copy = 0; copy < copies; copy++)
		for (const [i, { passages }] of transcripts.slice(0, Math.ceil(transcripts.length * part)).entries())
			index.add(
				{ path: `/t/${copy}-${i}.jsonl`, project: "p", session: `s${copy}-${i}` },
				passages.map((one) => ({ ...one, text: varied(one.text, copy) })),
			);
	index.tidy();
	const queries = queriesOf(transcripts, Number(values.queries));
	const answer = (words: string): number => timed(() => recall(index, words, ASKER));
	queries.slice(0, 5).map(answer);
	const times = queries.map(answer);
	const { passages } = index.size();
	index.close();
	const [command, empty] = await commandTimes(home, queries);
	return {
		mb,
		passages,
		index_mb: statSync(join(store, "index.sqlite")).size / MB,
		answer_ms: median(times),
		slowest_tenth_ms: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.9)]!,
		command_ms: command,
		command_over_bun: command / empty,
	};
}

/** Long words get another ending in each copy: new words, as new sessions bring them. */
function varied(text: string, copy: number): string {
	if (copy === 0) return text;
	return text.replace(/[a-z]{7,}/g, (word) => ((word.length + copy) % 13 === 0 ? `${word}${copy}` : word));
}

/** As agents ask: three to eight words that stand together in something the agent said. The same ones each time. */
function queriesOf(transcripts: Transcript[], count: number): string[] {
	let seed = 7;
	const random = (below: number): number => {
		seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
		return seed % below;
	};
	const said = transcripts.flatMap(({ passages }) => passages.filter(({ kind }) => kind === "agent"));
	return Array.from({ length: count }, () => {
		const words = said[random(said.length)]!.text.split(/\s+/);
		const from = random(Math.max(1, words.length - 8));
		return words.slice(from, from + 3 + random(6)).join(" ");
	});
}

/** `ccg recall` as a whole process beside an empty Bun script. */
async function commandTimes(home: string, queries: readonly string[]): Promise<[number, number]> {
	const launcher = resolve(import.meta.dir, "../bin/ccg");
	const empty = join(root, "empty.js");
	writeFileSync(empty, "");
	const env = { HOME: home, PATH: "/usr/bin:/bin", CLAUDE_PROJECT_DIR: home };
	const pairs = queries.slice(0, 8).map((words) => ({
		subject: { name: "recall", argv: [launcher, "recall", words], stdin: "", env, cwd: home },
		base: {
			name: "bun",
			argv: [process.execPath, "--config=/dev/null", "--no-env-file", empty],
			stdin: "",
			env,
			cwd: home,
		},
	}));
	const times = await timePairs(pairs, Number(values.runs), 2, () => {});
	return [median(times.flatMap(({ subjectMs }) => subjectMs)), median(times.flatMap(({ baseMs }) => baseMs))];
}

function timed(act: () => unknown): number {
	const start = performance.now();
	act();
	return performance.now() - start;
}

function print(
	{
		transcripts,
		bytes,
		passages,
		text_bytes,
		filling,
	}: { transcripts: number; bytes: number; passages: number; text_bytes: number; filling: Record<string, number> },
	growth: Record<string, number>[],
): void {
	console.log(
		`${transcripts} transcripts, ${(bytes / MB).toFixed(0)} MB, ${passages} passages, ${(text_bytes / MB).toFixed(1)} MB of text`,
	);
	for (const [name, value] of Object.entries(filling))
		console.log(`${name.padEnd(20)}${value.toFixed(2).padStart(10)}`);
	console.log(
		Object.keys(growth[0] ?? {})
			.map((name) => name.padStart(18))
			.join(""),
	);
	for (const row of growth)
		console.log(
			Object.values(row)
				.map((value) => value.toFixed(value < 100 ? 1 : 0).padStart(18))
				.join(""),
		);
}
