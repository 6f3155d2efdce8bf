import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { terminalEscaper } from "../../src/cli/support/io.ts";
import { SAMPLES, SIGNS } from "../../src/core/pressure/status-legend.ts";
import { keepPromptHash } from "../../src/store/session/heard-prompts.ts";
import { keepSessionFolder } from "../../src/store/session/place.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { type Called, runCcg } from "../kit/ccg.ts";
import { change } from "../kit/cycle.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";
import { sessionStore } from "./session-store.ts";

const HERE = "aaaa0000-0000-4000-8000-000000000000";

describe("the sessions in a table", () => {
	const { home, folder } = sessionStore(HERE);
	const there = scratch("mails");

	test("lists keep to the columns there are, the name of a row whole", async () => {
		const called = { env: { HOME: home }, cwd: folder, launcher: "/b/ccg" };
		await runCcg(["checkpoint", "save"], called);
		for (const [line, name] of [
			["status --all", /^session +proje.*\n(.*\n)*\* aaaa0000 /],
			["checkpoint list", /^manual_checkpoint_\d{8}_\d{6} +aske/m],
			["show --as approvals", /rejected: Bash git/],
		] as const)
			for (const columns of [40, 80, 200, undefined]) {
				const { out } = await runCcg(line.split(" "), { ...called, ...(columns && { columns }) });
				for (const one of out.split("\n")) expect(Bun.stringWidth(one), one).toBeLessThanOrEqual(columns ?? Infinity);
				expect(out).toMatch(name);
				expect(out.includes("…"), out).toBe(!line.startsWith("show") && (columns ?? 200) < 200);
			}
	});

	test("of many the 20 written to last, this project's first; --all lists all", async () => {
		const many = scratch("many");
		const at = storeAt(join(many, "store"));
		const run = (...args: string[]) =>
			runCcg(["status", ...args], { env: { HOME: many, CCG_HOME: at.root }, cwd: folder });
		for (let i = 0; i < 30; i++) keepSessionFolder(sessionHandle(at, `s-${i}`), i < 3 ? folder : there);
		const rows = async () => (await run()).out.split("\n").filter((line) => /^[* ] s-\d/.test(line));
		expect((await rows()).map((line) => line[0]).join("")).toBe(`***${" ".repeat(17)}`);
		expect((await rows()).join("\n")).not.toContain("s-4 ");
		keepPromptHash(sessionHandle(at, "s-4"), "go on");
		expect((await rows()).join("\n")).toContain("s-4 ");
		expect([(await run("--json")).json.length, (await run("--all", "--json")).json.length]).toEqual([20, 30]);
	});
});

const NEVER = { count: 0, last: { before: null, after: null, anew: null, ms: null } };
test("a session's compactions: how many, the last one's tokens, cache and time, and how to start afresh; silent before the first", async () => {
	const { home, folder, store } = sessionStore(HERE);
	const show = (...args: string[]) => runCcg(["status", HERE, ...args], { env: { HOME: home }, cwd: folder });
	expect((await show()).out).not.toContain("compacted");
	expect((await show("--json")).json.compactions).toEqual(NEVER);
	change(sessionHandle(storeAt(store), HERE), { compactions: 2 });
	expect((await show()).out).toMatch(/^ {2}compacted +2 times$/m);
	expect((await show()).out).not.toContain("start afresh");
	change(sessionHandle(storeAt(store), HERE), { compactions: 3 });
	expect((await show()).out).toMatch(/^ {2}start afresh +ccg show \S+ --as handoff --out HANDOFF.md && claude "/m);
	const boundary = { preTokens: 167_000, postTokens: 9_020, durationMs: 142_300 };
	const line = { type: "system", subtype: "compact_boundary", isSidechain: false, compactMetadata: boundary };
	appendFileSync(join(folder, `${HERE}.jsonl`), `${JSON.stringify(line)}\n`);
	expect((await show()).out).toMatch(/^ {2}compacted +3 times, the last one 167k → 9k tokens in 2 min 22 s$/m);
	const usage = {
		input_tokens: 10,
		cache_creation_input_tokens: 18_300,
		cache_read_input_tokens: 30_000,
		output_tokens: 5,
	};
	const message = { id: "m-2", model: "claude-opus-5-5", role: "assistant", content: [], usage };
	const sidechain = {
		type: "assistant",
		isSidechain: true,
		message: { ...message, usage: { ...usage, input_tokens: 7 } },
	};
	for (const answer of [sidechain, { type: "assistant", message }])
		appendFileSync(join(folder, `${HERE}.jsonl`), `${JSON.stringify(answer)}\n`);
	expect((await show()).out).toContain("167k → 48k tokens (18k not from the cache) in 2 min 22 s");
	const last = { before: 167_000, after: 48_310, anew: 18_310, ms: 142_300 };
	expect((await show("--json")).json.compactions.last).toEqual(last);
});

describe("ccg statusline", () => {
	const line = (args: string[], called: Called) =>
		runCcg(["statusline", ...args], { env: { HOME: scratch("home") }, ...called });

	test.each([20, 40, 60, 80, 200])(
		"at %i columns: every state, within the room, and every part's meaning",
		async (columns) => {
			const { code, out, err } = await line([], { columns });
			expect({ code, err }).toEqual({ code: 0, err: "" });
			const { room, states } = (await line(["--json"], { columns })).json;
			expect([room, states.length]).toEqual([columns - 4, SAMPLES.length]);
			for (const one of states) expect(Bun.stringWidth(one.line)).toBeLessThanOrEqual(room);
			for (const { sign } of SIGNS) expect(out).toContain(sign);
			expect(Bun.stripANSI((await line([], { columns, colours: true })).out)).toBe(out);
		},
	);

	test("the padding counts; as JSON", async () => {
		const home = scratch("home");
		mkdirSync(join(home, ".claude"));
		writeFileSync(join(home, ".claude/settings.json"), '{"statusLine":{"command":"x","padding":3}}');
		const { room, states, signs, colours } = (await line(["--json"], { env: { HOME: home } })).json;
		expect([room, states[0]]).toEqual([70, { state: "calm", line: "Opus 5.5 50k/167k ███░░░░░░░ 117k to compaction" }]);
		expect(signs).toEqual(SIGNS);
		expect(colours[0]).toEqual({ tone: "calm", colour: "green", meaning: expect.any(String) });
	});

	test("our colours pass the gate; what others wrote is shown, not obeyed", () => {
		const { colours, escapeText } = terminalEscaper(true);
		expect(escapeText(colours.green("\u001b[31mred\u001b[0m"))).toBe("\u001b[32m\\u001b[31mred\\u001b[0m\u001b[39m");
	});
});
