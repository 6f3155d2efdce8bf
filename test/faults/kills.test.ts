import { Database } from "bun:sqlite";
import { appendFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { databasePath, logPath } from "../../src/store/paths.ts";
import { readCheckpoint, readLatestCheckpoint } from "../../src/store/recovery/checkpoints.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { dropMarker } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { hook, linesOf, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { textsBelow } from "../security/kit.ts";
import { struck } from "./struck.ts";

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

/** What is killed: hooks, each with its fields, and a command. */
const HOOKS: Record<string, object> = {
	"pre-compact": { trigger: "manual" },
	"session-start": { source: "compact" },
	stop: { background_tasks: [], session_crons: [] },
	"pre-tool-use": { tool_name: "Bash" },
	"user-prompt-submit": { prompt: "Go on." },
	"post-tool-use": {},
};
const SAVE = "memory save";

/** Whether what a process that ended well promised is there. */
function isKept({ at, sid, words }: Round, name: string): boolean {
	if (name === SAVE)
		return textsBelow(join(at.store, "projects")).some(
			({ path, text }) => /MEMORY\.md$/.test(path) && text.includes(words),
		);
	if (name !== "pre-compact") return true;
	const session = sessionHandle(storeAt(at.store), sid);
	const state = readCheckpoint(session, readLatestCheckpoint(session)?.key ?? "")?.state;
	return state?.messages.some(({ text }) => text.includes(words)) ?? false;
}

function strike({ at, sid, transcript, words }: Round, name: string, afterMs: number) {
	if (name === "pre-tool-use") dropMarker(sessionHandle(storeAt(at.store), sid));
	const input = JSON.stringify({ session_id: sid, transcript_path: transcript, cwd: at.project, ...HOOKS[name] });
	const args = name === SAVE ? ["memory", "save", `Note: ${words}`] : ["hook", name];
	return struck(args, afterMs, { cwd: at.project, env: { ...at.env, CLAUDE_CODE_SESSION_ID: sid }, input });
}

/** Without a kill: what is asked next is answered as if there had been none. */
async function expectWhole({ at, sid, transcript, words }: Round): Promise<void> {
	const fields = { session_id: sid, transcript_path: transcript };
	expect(await hook(at, "pre-compact", { ...fields, trigger: "manual" })).toMatchObject({ code: 0, err: "" });
	const boundary = new Transcript(at.project, new Date()).boundary().text().replaceAll('"uuid":"', `"uuid":"${sid}-b-`);
	appendFileSync(transcript, boundary);
	const { out } = await hook(at, "session-start", { ...fields, source: "compact" });
	expect(JSON.parse(out).hookSpecificOutput.additionalContext).toContain(words);
}

test(`${KILLS} processes killed at random moments: what was promised is there, and the next one goes on`, async () => {
	const at = sandbox("kills");
	mkdirSync(at.store, { mode: 0o700 });
	const names = [...Object.keys(HOOKS), SAVE];
	let done = 0;
	for (let n = 0; n < KILLS; n++) {
		const sid = `s-${Math.floor(n / BETWEEN)}`;
		const transcript = join(at.top, `${sid}.jsonl`);
		const round: Round = { at, sid, transcript, words: `Never touch the file number ${n}.` };
		const more = new Transcript(at.project, new Date(Date.now() - 60_000)).typed(round.words).usage(150_000);
		appendFileSync(transcript, more.text().replaceAll('"uuid":"', `"uuid":"${sid}-${n}-`));
		const name = names[Math.floor(Math.random() * names.length)]!;
		const afterMs = Math.random() * LONGEST_MS;
		const { out, isKilled } = await strike(round, name, afterMs);
		if (!isKilled) {
			expect(!out || isKept(round, name), `${name} after ${afterMs} ms`).toBe(true);
			done++;
		}
		if (n % BETWEEN === BETWEEN - 1) await expectWhole(round);
	}
	expect(done).toBeLessThan(KILLS);
	using database = new Database(databasePath(at.store));
	// what the last one started beside itself may write yet
	database.run("PRAGMA busy_timeout = 5000");
	expect(database.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
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
		const fields = { session_id: sid, transcript_path: path };
		await hook(at, "pre-compact", { ...fields, trigger: "manual" });
		const afterMs = (n * LONGEST_MS) / MOMENTS;
		const { out } = await strike({ at, sid, transcript: path, words: "" }, "session-start", afterMs);
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
	using holder = new Database(databasePath(at.store));
	holder.run("BEGIN EXCLUSIVE");
	// Claude Code ends SessionStart's after ten seconds
	for (const [name, fields] of [
		["pre-compact", { hook_event_name: "PreCompact", trigger: "auto" }],
		["session-start", { hook_event_name: "SessionStart", source: "compact" }],
	] as const)
		expect((await hook(at, name, fields, { limitMs: 9_000 })).out).toContain("Never push to main.");
});
