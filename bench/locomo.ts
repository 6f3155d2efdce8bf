/**
 * Does `ccg recall` find the session that answers a question? The conversations of LoCoMo (ten, of 19 to 32 sessions each), a project each; a question
 * counts at the rank of the first session that holds its evidence. The data is its authors': `data/locomo10.json` of snap-research/locomo.
 *
 *   npx bun bench/locomo.ts --data DIR [--misses] [--json]
 *
 * DIR holds `locomo10.json` (any *.json of its form is read).
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { indexTranscript } from "../src/claude/transcript/index-transcript.ts";
import { setRulesLoader } from "../src/core/redact/lazy-rules.ts";
import { searchPassages } from "../src/search/recall.ts";
import { SearchIndex } from "../src/search/search-index.ts";
import { closeDatabase } from "../src/store/database.ts";
import { indexPath } from "../src/store/paths.ts";
import { Transcript } from "../test/kit/events.ts";

setRulesLoader(() => require("../src/core/redact/rules.ts"));
const { values: options } = parseArgs({
	options: {
		data: { type: "string" },
		misses: { type: "boolean", default: false },
		json: { type: "boolean", default: false },
	},
});
if (!options.data) throw new Error("--data DIR: the folder with locomo10.json");

/** A turn of a session; `blip_caption` says what a picture shows. */
interface Turn {
	speaker: string;
	text: string;
	blip_caption?: string;
}

/** `conversation` has `session_N` and `session_N_date_time` for each session, and who speaks. */
interface Sample {
	sample_id: string;
	conversation: Record<string, string | Turn[]>;
	/** `evidence`: as `D3:11`, the 11th turn of session 3. `category` 5: asks for what was never said. */
	qa: { question: string; evidence?: string[]; category: number }[];
}

interface Asked {
	sample: string;
	question: string;
	adversarial: boolean;
	/** Rank of the first session with evidence, from 1; `null` where none was found. */
	rank: number | null;
}

const root = mkdtempSync(join(tmpdir(), "ccg-bench-locomo-"));
try {
	const files = readdirSync(options.data).filter((name) => name.endsWith(".json"));
	const samples = files.flatMap((name) => JSON.parse(readFileSync(join(options.data!, name), "utf8")) as Sample[]);
	if (samples.length === 0) throw new Error(`${options.data} holds no *.json`);
	const index = SearchIndex.open(join(root, "store"))!;
	const asked = samples.flatMap((sample) => askAll(index, sample));
	closeDatabase(indexPath(index.root));
	if (options.json) console.log(JSON.stringify(asked, null, 2));
	else print(asked);
} finally {
	rmSync(root, { recursive: true, force: true });
}

/** Indexes a conversation and asks its questions, each from outside of it and long after. */
function askAll(index: SearchIndex, { sample_id: project, conversation, qa }: Sample): Asked[] {
	const numbers = Object.keys(conversation).flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? []);
	for (const number of numbers) writeSession(index, project, number, conversation);
	const now = new Date("2026-06-30T12:00:00Z");
	return qa.flatMap(({ question, evidence = [], category }) => {
		// (a few name two in one text, as `D8:6; D9:17`)
		const wanted = new Set(evidence.join(" ").match(/(?<=D)\d+(?=:)/g));
		if (wanted.size === 0) return [];
		const { found } = searchPassages(index, question, { project, session: "", now });
		const sessions = [...new Set(found.map(({ session }) => session.split(" ")[1]!))];
		const place = sessions.findIndex((number) => wanted.has(number));
		return { sample: project, question, adversarial: category === 5, rank: place < 0 ? null : place + 1 };
	});
}

/** One session as a transcript: the first speaker is the user, the other one the agent. */
function writeSession(index: SearchIndex, project: string, number: string, conversation: Sample["conversation"]): void {
	const turns = conversation[`session_${number}`] as Turn[];
	const transcript = new Transcript("/p", sessionTime(String(conversation[`session_${number}_date_time`])));
	for (const { speaker, text, blip_caption: picture } of turns) {
		const said = `${speaker}: ${text}${picture ? ` [shows ${picture}]` : ""}`;
		if (speaker === conversation.speaker_a) transcript.typed(said);
		else transcript.said(said);
	}
	const path = join(root, `${project}-${number}.jsonl`);
	transcript.write(path);
	indexTranscript(index, { path, project, session: `${project} ${number}` });
}

/** The time of `1:56 pm on 8 May, 2023`, as UTC. */
function sessionTime(text: string): Date {
	const [, hour = "", minute = "", half = "", day = ""] = /^(\d+):(\d+) ([ap])m on (.+)$/.exec(text.trim()) ?? [];
	const date = new Date(`${day} UTC`);
	if (Number.isNaN(date.getTime())) throw new Error(`no time of a session: ${text}`);
	return new Date(
		date.getTime() + ((Number(hour) % 12) + (half === "p" ? 12 : 0)) * 3_600_000 + Number(minute) * 60_000,
	);
}

function print(asked: readonly Asked[]): void {
	const line = (name: string, of: readonly Asked[]): void => {
		const share = (most: number): string =>
			((100 * of.filter(({ rank }) => rank !== null && rank <= most).length) / of.length).toFixed(1);
		const mrr = of.reduce((sum, { rank }) => sum + (rank ? 1 / rank : 0), 0) / of.length;
		console.log(
			`${name.padEnd(24)}${String(of.length).padStart(6)}${share(1).padStart(8)}${share(5).padStart(8)}${mrr.toFixed(3).padStart(8)}`,
		);
	};
	console.log("                             n  rank 1  rank 5     MRR");
	line("all with evidence", asked);
	const real = asked.filter(({ adversarial }) => !adversarial);
	if (real.length < asked.length && real.length > 0) line("without adversarial", real);
	if (!options.misses) return;
	for (const { sample, question, rank } of asked.filter((one) => one.rank !== 1))
		console.log(`${sample} ${rank ?? "-"}: ${question}`);
}
