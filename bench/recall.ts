/**
 * `npm run bench:recall`: what the search index costs. Indexing real transcripts beside a bare FTS5 insert of the same text, the
 * index's size, and answers over ever more transcripts. What is measured and how to read it: bench/README.md.
 */
import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { indexTranscript } from "../src/claude/transcript/index-transcript.ts";
import { readTranscript } from "../src/claude/transcript/read-transcript.ts";
import { setRulesLoader } from "../src/core/redact/lazy-rules.ts";
import { exact, redactSecrets, rememberCleanDeep } from "../src/core/redact/secrets.ts";
import { packBlock } from "../src/search/database.ts";
import type { Passage } from "../src/search/passage.ts";
import { passageMaker } from "../src/search/passages.ts";
import { recallText } from "../src/search/recall.ts";
import { SearchIndex } from "../src/search/search-index.ts";
import { indexText } from "../src/search/words.ts";
import { closeDatabase } from "../src/store/database.ts";
import { indexPath } from "../src/store/paths.ts";
import { median, timePairs } from "./latency/timed.ts";
import { transcriptsIn } from "./transcripts.ts";

setRulesLoader(() => require("../src/core/redact/rules.ts"));
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
/** Each step of indexing so often, in turns with the others. */
const ROUNDS = 5;
/** Passages in one transaction. */
const BATCH = 400;
const NONE = redactSecrets("");
const WHOLE = { isResumable: true, maxBytes: Infinity };

const STEPS: Record<keyof Split, string> = {
	bare: "the same text bare into FTS5",
	sqlite: "SQLite: words, packed texts, their places",
	packing: "packing the texts",
	identifiers: "taking names apart",
	gate: "redaction of each whole passage, at the gate",
	passages: "passages: their parts redacted, made safe and cut",
	reading: "reading and decoding the transcripts",
	whole: "all of it",
};

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
	return transcriptsIn(folder)
		.map(({ name, bytes }) => {
			const path = join(root, `${name}.jsonl`);
			writeFileSync(path, bytes);
			const made: Passage[] = [];
			const make = passageMaker(new Map());
			const take = (line: Parameters<typeof make>[0]): void => void made.push(...make(line));
			readTranscript(path, null, () => take, WHOLE);
			return { path, bytes: statSync(path).size, passages: made };
		})
		.toArray();
}

interface Split {
	bare: number;
	sqlite: number;
	packing: number;
	identifiers: number;
	gate: number;
	passages: number;
	reading: number;
	whole: number;
}

/**
 * The whole way from the files, taken apart, beside the same text bare into FTS5. What is redacted is so twice: as a part of a
 * message or call, before it is cut, and once more as a whole at the index's gate.
 */
function fill(transcripts: Transcript[], passages: Passage[], textBytes: number, bytes: number) {
	const rounds: Split[] = [];
	let indexBytes = 0;
	for (let round = 0; round < ROUNDS; round++) {
		const bare = bareMs(passages, join(root, `bare${round}.sqlite`));
		const reading = spent(() => {
			for (const { path } of transcripts) readTranscript(path, null, () => () => {}, WHOLE);
		});
		const { whole, adding } = wholeMs(transcripts, join(root, `whole${round}`));
		const own = ownMs(passages, join(root, `own${round}`));
		const identifiers = spent(() => {
			for (const { text } of passages) indexText(text);
		});
		// about as many as fill a block
		const blocks = batches(passages, 8).map((batch) =>
			batch.map(({ kind, text }) => [450, 0, 1, exact(kind), NONE, NONE, redactSecrets(text)] as const),
		);
		const packing = spent(() => {
			for (const block of blocks) packBlock(block);
		});
		rounds.push({
			bare,
			sqlite: own - identifiers - packing,
			packing,
			identifiers,
			gate: adding - own,
			passages: whole - adding - reading,
			reading,
			whole,
		});
		const tidied = SearchIndex.open(join(root, `own${round}`))!;
		tidied.tidy();
		closeDatabase(indexPath(tidied.root));
		indexBytes = statSync(join(root, `own${round}`, "index.sqlite")).size;
	}
	const split = Object.fromEntries(
		Object.keys(rounds[0]!).map((name) => [name, median(rounds.map((one) => one[name as keyof Split]))]),
	) as unknown as Split;
	return {
		split,
		own_over_bare: median(rounds.map((one) => (one.sqlite + one.packing + one.identifiers) / one.bare)),
		whole_over_bare: median(rounds.map((one) => one.whole / one.bare)),
		whole_mb_per_s: (bytes / MB / split.whole) * 1000,
		bare_mb_per_s: (textBytes / MB / split.bare) * 1000,
		index_over_text: indexBytes / textBytes,
	};
}

function batches(passages: readonly Passage[], size = BATCH): Passage[][] {
	return Array.from({ length: Math.ceil(passages.length / size) }, (_, i) => passages.slice(i * size, (i + 1) * size));
}

function bareMs(passages: readonly Passage[], path: string): number {
	return spent(() => {
		const bare = new Database(path);
		bare.run("PRAGMA journal_mode = WAL");
		bare.run("PRAGMA synchronous = NORMAL");
		bare.run("CREATE VIRTUAL TABLE words USING fts5(text)");
		const insert = bare.query("INSERT INTO words(text) VALUES (?)");
		for (const batch of batches(passages))
			bare.transaction(() => {
				for (const { text } of batch) insert.run(text);
			})();
		bare.close();
	});
}

/** As Stop does it, and how much of it was spent in the index. */
function wholeMs(transcripts: Transcript[], folder: string): { whole: number; adding: number } {
	const index = SearchIndex.open(folder)!;
	let adding = 0;
	const watched: SearchIndex = Object.create(index, {
		add: {
			value: (...given: Parameters<SearchIndex["add"]>) => {
				adding += spent(() => index.add(...given));
			},
		},
	});
	const whole = spent(() => {
		for (const { path } of transcripts) indexTranscript(watched, { path, project: "p", session: path.slice(-40, -6) });
	});
	closeDatabase(indexPath(index.root));
	return { whole, adding };
}

/** The index's own work: on texts that went through the gate just before. */
function ownMs(passages: readonly Passage[], folder: string): number {
	const index = SearchIndex.open(folder)!;
	let ms = 0;
	for (const [i, batch] of batches(passages).entries()) {
		rememberCleanDeep(batch.map(({ text, path }) => [text, path]));
		ms += spent(() => index.add({ path: `t${i}`, project: "p", session: "s" }, batch));
	}
	closeDatabase(indexPath(index.root));
	return ms;
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
	const answer = (words: string): number => timed(() => recallText(index, words, ASKER));
	queries.slice(0, 5).map(answer);
	const times = queries.map(answer);
	const { passages } = index.size();
	closeDatabase(indexPath(index.root));
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
	return [
		median(times.flatMap(({ subject }) => subject.map(({ wall }) => wall))),
		median(times.flatMap(({ base }) => base.map(({ wall }) => wall))),
	];
}

/** Milliseconds of the processors, kernel and helper threads included: other work on the machine does not count. */
function spent(act: () => unknown): number {
	const before = process.cpuUsage();
	act();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
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
	}: { transcripts: number; bytes: number; passages: number; text_bytes: number; filling: ReturnType<typeof fill> },
	growth: Record<string, number>[],
): void {
	console.log(
		`${transcripts} transcripts, ${(bytes / MB).toFixed(0)} MB, ${passages} passages, ${(text_bytes / MB).toFixed(1)} MB of text`,
	);
	const { split, ...rest } = filling;
	for (const [name, ms] of Object.entries(split) as [keyof Split, number][])
		console.log(
			`${STEPS[name].padEnd(52)}${ms.toFixed(0).padStart(7)} ms${(ms / split.bare).toFixed(2).padStart(8)} x bare`,
		);
	for (const [name, value] of Object.entries(rest)) console.log(`${name.padEnd(20)}${value.toFixed(2).padStart(10)}`);
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
