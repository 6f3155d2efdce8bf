/**
 * `npm run bench:dialogues`: does the default answer of `ccg recall` hold what was asked for? Dialogues of our own, among recorded
 * sessions, beside a bare FTS5 over the same text at as many characters. What is measured and how to read it: bench/README.md.
 */
import { Database } from "bun:sqlite";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { indexTranscript } from "../src/claude/transcript/index-transcript.ts";
import { readTranscript } from "../src/claude/transcript/read-transcript.ts";
import { setRulesLoader } from "../src/core/redact/lazy-rules.ts";
import { passageMaker } from "../src/search/passages.ts";
import { recallText } from "../src/search/recall.ts";
import { SearchIndex } from "../src/search/search-index.ts";
import { closeDatabase } from "../src/store/database.ts";
import { indexPath } from "../src/store/paths.ts";
import { Transcript } from "../test/kit/events.ts";
import { readUnpacked } from "./transcripts.ts";

setRulesLoader(() => require("../src/core/redact/rules.ts"));
const { values } = parseArgs({
	options: { json: { type: "boolean", default: false }, misses: { type: "boolean", default: false } },
});
/** All of them were over by then. */
const NOW = new Date("2026-06-30T12:00:00Z");
const HALVES = ["tuned", "kept-aside"];
const root = mkdtempSync(join(tmpdir(), "ccg-bench-dialogues-"));

interface Question {
	half: string;
	kind: string;
	text: string;
	evidence: string[];
}

interface Row extends Question {
	ccg: boolean;
	bare: boolean;
	chars: number;
}

try {
	const questions: Question[] = [];
	const paths = recordings();
	for (const half of HALVES) {
		const blocks = readFileSync(join(import.meta.dir, "dialogues", `${half}.txt`), "utf8").split(/^= .*\n/m);
		for (const [n, block] of blocks.slice(1).entries()) {
			paths.push(...sessionsOf(block, `${half}-${n}`));
			questions.push(...questionsOf(block, half));
		}
	}
	const index = SearchIndex.open(join(root, "store"))!;
	for (const path of paths) indexTranscript(index, { path, project: "p", session: path.slice(root.length + 1, -6) });
	const bare = bareOf(paths);
	const rows = questions.map((one): Row => {
		const text = recallText(index, one.text, { project: "p", session: "", now: NOW });
		// what is not there is told where the answer says so
		const ccg = one.kind === "absent" ? /^Nothing in|no passage holds: .*[A-Z]/.test(text) : holds(text, one);
		return { ...one, ccg, bare: holds(bare(one.text, text.length), one), chars: text.length };
	});
	closeDatabase(indexPath(index.root));
	if (values.json) console.log(JSON.stringify(rows, null, 2));
	else print(rows);
} finally {
	rmSync(root, { recursive: true, force: true });
}

/** Recorded sessions, among which the dialogues are to be found. */
function recordings(): string[] {
	const acting = join(import.meta.dir, "acting/transcripts");
	const files = readdirSync(acting).map((name) => join(acting, name));
	return [
		...files,
		join(import.meta.dir, "../demo/session.jsonl"),
		join(import.meta.dir, "fidelity/session.jsonl"),
	].map((file, n) => {
		const path = join(root, `recording-${n}.jsonl`);
		writeFileSync(path, readUnpacked(file));
		return path;
	});
}

/** A transcript for each `@`: `u` said the user, `a` the agent, `$` is a command and its output. */
function sessionsOf(block: string, name: string): string[] {
	return block
		.split(/^@ /m)
		.slice(1)
		.map((session, n) => {
			const [time = "", ...lines] = session.split("\n");
			const transcript = new Transcript("/p", new Date(`${time.replace(" ", "T")}Z`));
			for (const line of lines) {
				const [, who, text = ""] = /^([ua$])\d* (.*)/.exec(line) ?? [];
				const [command = "", output = ""] = text.split(" → ");
				if (who === "u") transcript.typed(text);
				if (who === "a") transcript.said(text);
				if (who === "$") transcript.call("Bash", { command }, output);
			}
			const path = join(root, `${name}-${n}.jsonl`);
			transcript.write(path);
			return path;
		});
}

/** `? kind | question`; its evidence are the lines that hold its number. */
function questionsOf(block: string, half: string): Question[] {
	return [...block.matchAll(/^\? (\S+) \| (.*)$/gm)].map(([, kind = "", text = ""], n) => {
		const lines = [...block.matchAll(/^[ua](\d+) (.*)$/gm)].filter(([, numbers]) => numbers!.includes(String(n + 1)));
		if (lines.length === 0 && kind !== "absent") throw new Error(`no evidence for: ${text}`);
		return { half, kind, text, evidence: lines.map(([, , line]) => line!) };
	});
}

function holds(text: string, { evidence }: Question): boolean {
	const folded = (one: string): string => one.replace(/^\| /gm, "").replace(/\s+/g, " ");
	const all = folded(text);
	return evidence.some((line) => all.includes(folded(line)));
}

/** The same passages bare in FTS5: any of the words, by BM25, their whole texts one behind the other. */
function bareOf(paths: readonly string[]): (words: string, most: number) => string {
	const database = new Database(":memory:");
	database.run("CREATE VIRTUAL TABLE words USING fts5(text, tokenize='porter unicode61')");
	const insert = database.query("INSERT INTO words(text) VALUES (?)");
	for (const path of paths) {
		const make = passageMaker(new Map());
		const take = (line: Parameters<typeof make>[0]): void => {
			for (const { text } of make(line)) insert.run(text);
		};
		readTranscript(path, null, () => take, { isResumable: true, maxBytes: Infinity });
	}
	const query = database.query<{ text: string }, [string]>(
		"SELECT text FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT 400",
	);
	return (words, most) => {
		const wanted = (words.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map((word) => `"${word}"`).join(" OR ");
		return query
			.all(wanted)
			.map(({ text }) => text)
			.join("\n")
			.slice(0, most);
	};
}

function print(rows: readonly Row[]): void {
	const share = (of: readonly Row[], who: "ccg" | "bare"): string =>
		of.length === 0 ? "   - " : (of.filter((row) => row[who]).length / of.length).toFixed(3);
	const line = (name: string, of: readonly Row[]): void =>
		console.log(
			`${name.padEnd(14)}${String(of.length).padStart(5)}${share(of, "ccg").padStart(9)}${share(of, "bare").padStart(9)}`,
		);
	const asked = rows.filter(({ kind }) => kind !== "absent");
	console.log("                 n      ccg     FTS5   any evidence in the answer");
	for (const kind of new Set(asked.map((row) => row.kind)))
		line(
			kind,
			asked.filter((row) => row.kind === kind),
		);
	for (const half of HALVES)
		line(
			half,
			asked.filter((row) => row.half === half),
		);
	line("all", asked);
	const absent = rows.filter(({ kind }) => kind === "absent");
	console.log(`\nabsent: ${absent.filter((row) => row.ccg).length} of ${absent.length} are told to be nowhere`);
	const length = asked.reduce((sum, { chars }) => sum + chars, 0) / asked.length;
	console.log(`characters of an answer: ${Math.round(length)} in the mean`);
	if (!values.misses) return;
	for (const row of rows.filter(({ ccg }) => !ccg))
		console.log(`\n${row.half} ${row.kind}: ${row.text}\n  ${row.evidence.join("\n  ")}`);
}
