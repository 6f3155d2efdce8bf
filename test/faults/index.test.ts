import { Database } from "bun:sqlite";
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { Transcript } from "../kit/events.ts";
import { runApart } from "../kit/measured.ts";
import { indexIsFilled, printedBy } from "../kit/process.ts";
import { ccg, inBatches, LAUNCHER, linesOf, run, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { writeBack } from "../kit/store.ts";
import { connect } from "../mcp/client.ts";
import { scratch } from "../scratch-home.ts";
import DAMAGES from "./index-damages.json";

/** On the processor, whatever else the machine does. */
const LIMIT_MS = 2_000;
const NAMES = ["alpha", "bravo", "charlie"];
const LINES = 30;
const WHOLE = 2 * LINES * NAMES.length;
const idOf = (name: string): string => `${name}-0000-4000-8000-000000000001`;
const transcriptOf = (at: Sandbox, name: string): string =>
	join(at.home, ".claude", "projects", "p", `${idOf(name)}.jsonl`);

/** A transcript in which each rule is one passage, and each answer another. */
function write(at: Sandbox, name: string, lines = LINES): void {
	const transcript = new Transcript(at.project);
	for (let i = 0; i < lines; i++) transcript.typed(`Rule ${name}${i}x holds.`).said(`Noted: ${name} is number ${i}.`);
	mkdirSync(dirname(transcriptOf(at, name)), { recursive: true });
	transcript.write(transcriptOf(at, name));
}

const stdinOf = (at: Sandbox, name: string): string =>
	JSON.stringify({ session_id: idOf(name), transcript_path: transcriptOf(at, name), cwd: at.project });
const measured = (at: Sandbox, args: string[], input = "") =>
	runApart([LAUNCHER, ...args], { top: scratch("measured"), cwd: at.project, env: at.env, input });

/** The end of a turn, which has always written something. */
async function stop(at: Sandbox, name: string) {
	appendFileSync(transcriptOf(at, name), '{"type":"summary"}\n');
	const stopped = await measured(at, ["hook", "stop"], stdinOf(at, name));
	await indexIsFilled(at.home);
	return stopped;
}
const SILENT = { code: 0, out: "", err: "" };
const indexOf = (at: Sandbox): string => join(at.store, "index.sqlite");
const status = async (at: Sandbox) => JSON.parse((await ccg(at, ["index", "--json"])).out);
const recall = async (at: Sandbox, words: string): Promise<string> => (await ccg(at, ["recall", words])).out;
const log = (at: Sandbox): string[] => linesOf(join(at.store, "log", "ccg.log"));

/** From the `n`th write to the index's files on the disk is full; they alone are written with this call. */
const full = (n: number): string[] => ["-e", "trace=pwrite64", "-e", `inject=pwrite64:error=ENOSPC:when=${n}+`];

/** Three indexed sessions, and one that was deleted; its transcript is there. Each case leaves them whole. */
let at: Sandbox;
beforeAll(async () => {
	at = sandbox("index");
	for (const name of [...NAMES, "deleted"]) {
		write(at, name);
		expect(await stop(at, name)).toMatchObject(SILENT);
	}
	expect((await ccg(at, ["gc", idOf("deleted"), "--yes"])).code).toBe(0);
});

/**
 * What is wrong with the search index as it was left: `null` where SQLite, that takes in what a killed process wrote beside it, finds
 * every page and every word of it whole. A copy is looked at.
 */
function indexFault(at: Sandbox): string | null {
	const copy = join(scratch("index-copy"), "index.sqlite");
	for (const end of ["", "-wal", "-shm"])
		if (existsSync(indexOf(at) + end)) copyFileSync(indexOf(at) + end, copy + end);
	using database = new Database(copy, { create: false, readwrite: true });
	const [[pages]] = database.query("PRAGMA integrity_check").values() as [[string]];
	if (pages !== "ok") return `the search index is damaged: ${pages}`;
	database.run("INSERT INTO words(words) VALUES ('integrity-check')");
	const counts = "SELECT (SELECT sum(many) FROM blocks), (SELECT count(*) FROM words_docsize)";
	const [[passages, words]] = database.query(counts).values() as [[number, number]];
	return passages === words ? null : `${passages} passages in the index, and the words of ${words}`;
}

/** All is in the index, and nothing is wrong with it. */
async function expectWhole(
	of: Sandbox,
	passages: number,
	more: object = { unread: { transcripts: 0 } },
): Promise<void> {
	expect(await status(of)).toMatchObject({ passages, ...more });
	expect(indexFault(of)).toBeNull();
}

const elsewhere = (): string => join(at.top, "elsewhere");

function damage(how: string): void {
	writeBack(indexOf(at));
	for (const end of ["-wal", "-shm"]) rmSync(indexOf(at) + end, { force: true });
	const env = { PATH: "/usr/bin:/bin", FILE: indexOf(at), ELSEWHERE: elsewhere() };
	const script = DAMAGES.shell[how as keyof typeof DAMAGES.shell];
	if (script) printedBy(["sh", "-euc", script], { env });
	const statements = DAMAGES.SQL[how as keyof typeof DAMAGES.SQL] ?? [];
	if (statements.length === 0) return;
	using database = new Database(indexOf(at));
	for (const sql of statements) database.run(sql);
}

test.each([...Object.keys(DAMAGES.shell), ...Object.keys(DAMAGES.SQL)])(
	"an index that is %s: the ends of turns fill it again, and nothing that was deleted",
	async (how) => {
		writeFileSync(elsewhere(), "somebody else's");
		await expectWhole(at, WHOLE);
		damage(how);
		const before = log(at).length;
		const stopped = await stop(at, "alpha");
		expect(stopped).toMatchObject(SILENT);
		expect(stopped.cpuMs).toBeLessThan(LIMIT_MS);
		// an empty file is a new index
		expect(log(at).slice(before)).toEqual(how === "cut to nothing" ? [] : [expect.stringContaining("is made anew")]);
		await expectWhole(at, WHOLE);
		expect(await recall(at, "bravo7x")).toContain("Rule bravo7x holds.");
		expect(await recall(at, "deleted7x")).toContain("Nothing");
		expect(readFileSync(elsewhere(), "utf8")).toBe("somebody else's");
	},
);

test("a passage that unpacks to a gigabyte, in place of all: recall ends with what is so, and the next one has a new index", async () => {
	const bomb = deflateRawSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
	// (a block of zeros as often as one likes: each is the same bytes)
	for (const packed of [bomb, Buffer.concat(Array.from({ length: 16 }, () => bomb)), Buffer.from("no packed text")]) {
		const database = new Database(indexOf(at));
		database.query("UPDATE blocks SET passages = ?").run(packed);
		database.close();
		const { code, out, err, peakMb, cpuMs } = await measured(at, ["recall", "bravo7x"]);
		expect(cpuMs).toBeLessThan(LIMIT_MS);
		expect(peakMb).toBeLessThan(250);
		expect([code, out]).toEqual([0, expect.stringMatching(/^Nothing found: there is no search index yet/)]);
		expect(err).toMatch(/search index could not be used \(a passage can't be unpacked\) and is made anew/);
		expect(await stop(at, "alpha")).toMatchObject(SILENT);
		expect(await recall(at, "bravo7x")).toContain("Rule bravo7x holds.");
	}
}, 60_000);

test("with the disk full no hook fails and recall answers; with room again the index is whole", async () => {
	write(at, "alpha", LINES + 10);
	const onFull = (n: number, args: string[], input = "") => {
		const command = ["strace", "-f", "-qq", "-o", "/dev/null", ...full(n), LAUNCHER, ...args];
		return run(command, { cwd: at.project, env: at.env, input });
	};
	for (const n of [1, 14]) {
		const before = log(at).length;
		expect(await onFull(n, ["hook", "stop"], stdinOf(at, "alpha"))).toEqual(SILENT);
		expect(log(at).slice(before)).toEqual([expect.stringMatching(/the disk is full/)]);
	}
	expect((await onFull(1, ["recall", "bravo7x"])).out).toContain("Rule bravo7x holds.");
	const rebuilt = await onFull(1, ["index", "--rebuild"]);
	expect([rebuilt.code, rebuilt.err]).toEqual([1, expect.stringContaining("disk is full")]);
	expect(indexFault(at)).toBeNull();
	expect(await stop(at, "alpha")).toMatchObject(SILENT);
	await expectWhole(at, WHOLE + 20);
	write(at, "alpha");
	expect((await ccg(at, ["index", "--rebuild"])).code).toBe(0);
});

test("two rebuilds at once: one waits for the other, and the index is right", async () => {
	const runs = await Promise.all([1, 2].map(() => ccg(at, ["index", "--rebuild"])));
	// reads all transcripts that there are
	const whole = `${2 * LINES * (NAMES.length + 1)} passages of ${NAMES.length + 1} sessions`;
	for (const { code, out } of runs) expect([code, out]).toEqual([0, expect.stringContaining(whole)]);
	expect(indexFault(at)).toBeNull();
});

test("16 MCP servers and 64 hooks at once: none fails, no answer is wrong, each passage is there once", async () => {
	const own = sandbox("index-crowd");
	write(own, "first");
	expect(await stop(own, "first")).toMatchObject(SILENT);
	const names = Array.from({ length: 16 }, (_, i) => `s${i}n`);
	for (const name of names) write(own, name);
	const servers = await Promise.all(names.map((name) => connect(own, { env: { CLAUDE_CODE_SESSION_ID: idOf(name) } })));
	let isOver = false;
	const asking = servers.map(async ({ call }, i) => {
		const answers: { text: string; isError: boolean }[] = [];
		for (let n = i % LINES; !isOver; n = (n + 1) % LINES) answers.push(await call("recall", { query: `first${n}x` }));
		return answers;
	});
	const jobs = Array.from({ length: 64 }, (_, i) => () => stop(own, names[i % names.length]!));
	const hooks = await inBatches(jobs, 64);
	isOver = true;
	const answers = (await Promise.all(asking)).flat();
	expect(hooks.filter(({ code, out, err }) => code !== 0 || out || err)).toEqual([]);
	expect(log(own)).toEqual([]);
	expect(answers.length).toBeGreaterThanOrEqual(servers.length);
	expect(answers.filter(({ text, isError }) => isError || !/Rule first\d+x holds\./.test(text))).toEqual([]);
	expect(await Promise.all(servers.map(({ end }) => end()))).toEqual(servers.map(() => 0));
	for (let turns = 0; (await status(own)).unread.transcripts > 0 && turns < 3; turns++) await stop(own, "first");
	await expectWhole(own, 2 * LINES * 17, { sessions: 17 });
});
