import { Database } from "bun:sqlite";
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { databasePath, logPath } from "../../src/store/paths.ts";
import { latestCheckpoint, loadCheckpoint } from "../../src/store/recovery/checkpoints.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { dropMarker } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { hook, LAUNCHER, linesOf, listing, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";

/** `CCG_TEST_KILLS=1000` is the full number. */
const KILLS = Number(process.env.CCG_TEST_KILLS ?? 60);
/** A whole hook takes about as long on an idle machine. */
const LONGEST_MS = 120;
/** Kills between two looks at what came of them. */
const BETWEEN = 5;

interface Round {
	at: Sandbox;
	sid: string;
	transcript: string;
	words: string;
}

/** What one process is told, and what it promised when it ended well (`null`: kept). */
interface Deed {
	fields?: object;
	before?(round: Round): void;
	broken?(round: Round, out: string): string | null;
}

const storedWords = ({ at, sid }: Round): string => {
	const session = sessionAt(storeAt(at.store), sid);
	const state = loadCheckpoint(session, latestCheckpoint(session)?.key ?? "")?.state;
	return state?.messages.map(({ text }) => text).join("\n") ?? "";
};
const note = ({ words }: Round): string => `Note: ${words}`;
const SAVE = "memory save";

/** By the hook's name. */
const DEEDS: Record<string, Deed> = {
	"pre-compact": {
		fields: { trigger: "manual" },
		broken: (round, out) => (!out || storedWords(round).includes(round.words) ? null : "steered, but not saved"),
	},
	"session-start": { fields: { source: "compact" } },
	stop: { fields: { background_tasks: [], session_crons: [] } },
	"pre-tool-use": {
		fields: { tool_name: "Bash" },
		before: ({ at, sid }) => dropMarker(sessionAt(storeAt(at.store), sid)),
	},
	"user-prompt-submit": { fields: { prompt: "Go on." } },
	"post-tool-batch": {},
	[SAVE]: {
		broken: (round, out) => {
			const notes = listing(join(round.at.store, "projects"), "").filter((path) => path.endsWith("MEMORY.md"));
			const isKept = notes.some((path) => readFileSync(path, "utf8").includes(note(round)));
			return !out || isKept ? null : "saved, but not there";
		},
	},
};

async function struck(round: Round, name: string, afterMs: number) {
	const { fields = {}, before } = DEEDS[name]!;
	before?.(round);
	const { at, sid, transcript } = round;
	const child = Bun.spawn([LAUNCHER, ...(name === SAVE ? ["memory", "save", note(round)] : ["hook", name])], {
		cwd: at.project,
		env: { ...at.env, CLAUDE_CODE_SESSION_ID: sid },
		stdin: Buffer.from(JSON.stringify({ session_id: sid, transcript_path: transcript, cwd: at.project, ...fields })),
		stdout: "pipe",
		stderr: "ignore",
	});
	const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
	const out = await new Response(child.stdout).text();
	await child.exited;
	clearTimeout(timer);
	return { out, isKilled: child.signalCode !== null };
}

/** Without a kill: what is asked next is answered as if there had been none. */
async function expectWhole({ at, sid, transcript, words }: Round): Promise<void> {
	const fields = { session_id: sid, transcript_path: transcript };
	const steering = await hook(at, "pre-compact", { ...fields, trigger: "manual" });
	expect(steering).toMatchObject({ code: 0, err: "" });
	const boundary = new Transcript(at.project, new Date()).boundary().text().replaceAll('"uuid":"', `"uuid":"${sid}-b-`);
	appendFileSync(transcript, boundary);
	const { out } = await hook(at, "session-start", { ...fields, source: "compact" });
	expect(JSON.parse(out).hookSpecificOutput.additionalContext).toContain(words);
}

test(`${KILLS} processes killed at random moments: what was promised is there, and the next one goes on`, async () => {
	const at = sandbox("kills");
	mkdirSync(at.store, { mode: 0o700 });
	const names = Object.keys(DEEDS);
	const done: string[] = [];
	for (let n = 0; n < KILLS; n++) {
		const sid = `s-${Math.floor(n / BETWEEN)}`;
		const transcript = join(at.top, `${sid}.jsonl`);
		const round: Round = { at, sid, transcript, words: `Never touch the file number ${n}.` };
		const more = new Transcript(at.project, new Date(Date.now() - 60_000)).typed(round.words).usage(150_000);
		appendFileSync(transcript, more.text().replaceAll('"uuid":"', `"uuid":"${sid}-${n}-`));
		const name = names[Math.floor(Math.random() * names.length)]!;
		const afterMs = Math.random() * LONGEST_MS;
		const { out, isKilled } = await struck(round, name, afterMs);
		if (!isKilled) {
			const broken = DEEDS[name]!.broken?.(round, out) ?? null;
			expect(broken, `${name} after ${afterMs} ms`).toBeNull();
			done.push(name);
		}
		if (n % BETWEEN === BETWEEN - 1) await expectWhole(round);
	}
	expect(done.length).toBeLessThan(KILLS);
	const database = new Database(databasePath(at.store));
	// what the last one started beside itself may write yet
	database.run("PRAGMA busy_timeout = 5000");
	expect(database.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
	database.close();
	expect(readdirSync(at.store).filter((one) => one.includes(".damaged-"))).toEqual([]);
	// one that was killed behind its answer, before it said so, is told once more
	expect(linesOf(logPath(at.store)).filter((one) => !one.endsWith("did not arrive; injected again"))).toEqual([]);
}, 900_000);

/** SessionStart behind a compaction, killed at so many moments from its beginning on to when it has ended. */
const MOMENTS = Number(process.env.CCG_TEST_KILLS ?? 40);

test(`SessionStart killed at ${MOMENTS} moments: the block comes with it or with the next calls, once`, async () => {
	const at = sandbox("untold");
	let [late, twice] = [0, 0];
	for (let n = 0; n < MOMENTS; n++) {
		const sid = `u-${n}`;
		const path = join(at.top, `${sid}.jsonl`);
		const transcript = new Transcript(at.project, new Date(Date.now() - 60_000)).typed("Never push.").usage(150_000);
		transcript.write(path);
		const round: Round = { at, sid, transcript: path, words: "" };
		const fields = { session_id: sid, transcript_path: path };
		await hook(at, "pre-compact", { ...fields, trigger: "manual" });
		const afterMs = (n * LONGEST_MS) / MOMENTS;
		const { out } = await struck(round, "session-start", afterMs);
		transcript.at(new Date()).boundary().summary().write(path);
		const call = () => hook(at, "pre-tool-use", { ...fields, hook_event_name: "PreToolUse" });
		const calls = [...(await Promise.all([call(), call()])), await call()];
		const isFirst = out.endsWith("}\n");
		const later = calls.filter((one) => one.out.includes("Never push.")).length;
		expect([isFirst, later], `killed after ${afterMs} ms`).not.toEqual([false, 0]);
		expect(later, `killed after ${afterMs} ms`).toBeLessThan(2);
		if (!isFirst) late++;
		if (isFirst && later) twice++;
	}
	expect(late).toBeGreaterThan(0);
	// killed between the print and the flag that says so: the longer, the busier the machine is
	expect(twice).toBeLessThan(Math.max(MOMENTS / 8, 1));
}, 300_000);

test("a database that another process holds for long: the hooks of a compaction answer from the transcript", async () => {
	const at = sandbox("held");
	new Transcript(at.project).typed("Never push to main.").said("I began.").write(at.transcript);
	await hook(at, "session-start", { source: "startup" });
	const holder = new Database(databasePath(at.store));
	holder.run("BEGIN EXCLUSIVE");
	try {
		// Claude Code ends SessionStart's after ten seconds
		const within = { limitMs: 9_000 };
		const { out } = await hook(at, "pre-compact", { hook_event_name: "PreCompact", trigger: "auto" }, within);
		expect(out).toContain("Never push to main.");
		const start = { hook_event_name: "SessionStart", source: "compact" };
		const started = JSON.parse((await hook(at, "session-start", start, within)).out);
		expect(started.hookSpecificOutput.additionalContext).toContain("Never push to main.");
	} finally {
		holder.close();
	}
});
