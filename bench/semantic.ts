/**
 * `npx bun bench/semantic.ts --data DIR --questions DIR`: what semantic search brings over words alone, and what it costs. What is
 * measured and how to read it: bench/README.md.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { indexTranscript } from "../src/claude/transcript/index-transcript.ts";
import { setRulesLoader } from "../src/core/redact/lazy-rules.ts";
import { answerText } from "../src/search/answer.ts";
import { normalisedVector, requestVectors } from "../src/search/endpoint.ts";
import { passageReader, readPassages } from "../src/search/find.ts";
import { addMissingVectors } from "../src/search/meaning.ts";
import { recallText } from "../src/search/recall.ts";
import { SearchIndex } from "../src/search/search-index.ts";
import { idsWithoutVector, insertVectors, nearestPassages } from "../src/search/vectors.ts";
import { queryTerms } from "../src/search/words.ts";
import { closeDatabase } from "../src/store/database.ts";
import { indexPath } from "../src/store/paths.ts";
import { median } from "./latency/timed.ts";
import { learnedFrom } from "./random-indexing.ts";
import { transcriptsIn } from "./transcripts.ts";

setRulesLoader(() => require("../src/core/redact/rules.ts"));
const { values } = parseArgs({
	options: {
		data: { type: "string" },
		questions: { type: "string" },
		url: { type: "string", default: "" },
		model: { type: "string", default: "" },
		"key-env": { type: "string", default: "" },
		sizes: { type: "string", default: "1000,10000,100000" },
	},
});
const NEAREST = 40;
const ASKER = { project: "p", session: "", now: new Date() };
const root = mkdtempSync(join(tmpdir(), "ccg-bench-semantic-"));
try {
	if (values.data && values.questions) await quality(resolve(values.data), resolve(values.questions));
	for (const size of values.sizes.split(",").filter(Boolean).map(Number)) cost(size);
} finally {
	rmSync(root, { recursive: true, force: true });
}

interface Question {
	question: string;
	answer: string;
	evidence: string;
}

/** The share of each gold answer's telling words that stand in what one call of recall prints for the question's own words. */
async function quality(data: string, folder: string): Promise<void> {
	const index = SearchIndex.open(root)!;
	for (const { name, bytes } of transcriptsIn(data)) {
		const path = join(root, `${name}.jsonl`);
		writeFileSync(path, bytes);
		indexTranscript(index, { path, project: "p", session: path.slice(-42, -6) });
	}
	index.tidy();
	const embedder = await filled(index);
	const questions = readdirSync(folder)
		.filter((name) => /^questions-\d+\.json$/.test(name))
		.flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Question[]);
	const rows: { words: number; both: number; alone: number; evidence: boolean[] }[] = [];
	for (const one of questions) {
		const [vector] = await embedder.embed([one.question]);
		const asked = { model: embedder.model, vector: vector! };
		const near = nearestPassages(index, asked, { project: "p" }, NEAREST);
		const recalled = [null, asked].map((own) => recallText(index, one.question, { ...ASKER, meaning: own }));
		const texts = [...recalled, answerText(index, passageReader(index), near, queryTerms(one.question), ASKER)];
		const shares = texts.map((text) => known(one, text));
		if (shares[0] === null) continue;
		const [words, joined, meaning] = shares as number[];
		rows.push({
			words: words!,
			both: joined!,
			alone: meaning!,
			evidence: texts.map((text) => holds(text, one.evidence)),
		});
	}
	closeDatabase(indexPath(index.root));
	const mean = (of: (row: (typeof rows)[number]) => number): string =>
		(rows.reduce((sum, row) => sum + of(row), 0) / rows.length).toFixed(3);
	const better = rows.filter((row) => row.both > row.words).length;
	const worse = rows.filter((row) => row.both < row.words).length;
	console.log(`${rows.length} questions, model: ${embedder.model}`);
	console.log(
		`telling words of the answer: words alone ${mean((row) => row.words)}, joined ${mean((row) => row.both)}, vectors alone ${mean((row) => row.alone)}`,
	);
	console.log(`beginning of the evidence: ${[0, 1, 2].map((i) => mean((row) => Number(row.evidence[i]))).join(", ")}`);
	console.log(`joined knows more in ${better} questions, less in ${worse}`);
}

interface Embedder {
	model: string;
	embed(texts: readonly string[]): Promise<Float32Array[]>;
}

/** The endpoint's model; without one, random indexing learned from the passages themselves, which is no trained model. */
async function filled(index: SearchIndex): Promise<Embedder> {
	if (values.url) {
		const config = { url: values.url, model: values.model, keyEnv: values["key-env"] };
		await addMissingVectors(root, config, { env: process.env });
		const embed = (texts: readonly string[]) =>
			requestVectors(config, texts, { env: process.env, signal: AbortSignal.timeout(60_000) });
		return { model: config.model, embed };
	}
	const passages = readPassages(index, idsWithoutVector(index, ""));
	const learned = learnedFrom(
		passages.map(({ text }) => text),
		512,
	);
	const embed = async (texts: readonly string[]) => texts.map((text) => normalisedVector(learned(text)));
	const model = "random indexing, learned from these passages";
	const vectors = await embed(passages.map(({ text }) => text));
	insertVectors(
		index,
		model,
		passages.map((one, i) => ({ ...one, vector: vectors[i]! })),
	);
	console.log(`${passages.length} passages`);
	return { model, embed };
}

function telling(text: string): string[] {
	return [
		...new Set((text.match(/[\w./:@#-]+/g) ?? []).map((word) => word.replace(/^[.:]+|[.:]+$/g, "").toLowerCase())),
	];
}

function known({ question, answer }: Question, text: string): number | null {
	const asked = new Set(telling(question));
	const wanted = telling(answer).filter((word) => word.length > 3 && !asked.has(word));
	const there = new Set(telling(text));
	return wanted.length === 0 ? null : wanted.filter((word) => there.has(word)).length / wanted.length;
}

function holds(text: string, evidence: string): boolean {
	const [all, part] = [text, evidence].map((one) => one.replace(/\W+/g, " ").toLowerCase());
	return all!.includes(part!.slice(0, 40));
}

/** One exact pass over so many vectors of 384 numbers. */
function cost(size: number): void {
	const place = join(root, `cost${size}`);
	const index = SearchIndex.open(place)!;
	const random = () => normalisedVector(Array.from({ length: 384 }, () => Math.random() - 0.5));
	for (let at = 0; at < size; at += 1_000) {
		const source = { path: `t${at}`, project: "p", session: "s" };
		const texts = Array.from({ length: Math.min(1_000, size - at) }, (_, i) => `passage ${at + i}`);
		index.add(
			source,
			texts.map((text, pos) => ({ pos, part: 0, at: 0, kind: "agent" as const, tool: "", path: "", text })),
		);
		insertVectors(
			index,
			"m",
			readPassages(index, idsWithoutVector(index, "m", texts.length)).map((one) => ({ ...one, vector: random() })),
		);
	}
	closeDatabase(indexPath(index.root));
	const cold = SearchIndex.open(place)!;
	const times = Array.from({ length: 11 }, () => {
		const vector = random();
		const began = process.cpuUsage();
		nearestPassages(cold, { model: "m", vector }, { project: "p" }, NEAREST);
		const { user, system } = process.cpuUsage(began);
		return (user + system) / 1000;
	});
	closeDatabase(indexPath(cold.root));
	console.log(
		`${size} vectors: ${times[0]!.toFixed(1)} ms the first time, ${median(times).toFixed(1)} ms after (processor time)`,
	);
}
