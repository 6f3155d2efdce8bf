import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { terminalGate } from "../../src/cli/support/io.ts";
import { SAMPLES, SIGNS } from "../../src/core/pressure/status-legend.ts";
import { deleteSession } from "../../src/store/session/cycles.ts";
import { keepHeard } from "../../src/store/session/heard-prompts.ts";
import { keepPlace } from "../../src/store/session/place.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { type Called, runCcg } from "../kit/ccg.ts";
import { change } from "../kit/cycle.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";
import { addSession, sessionStore } from "./session-store.ts";

const HERE = "aaaa0000-0000-4000-8000-000000000000";
const ENDED = "bbbb0000-0000-4000-8000-000000000000";
const THERE = "cccc0000-0000-4000-8000-000000000000";

describe("the sessions in a table", () => {
	const { home, store, folder } = sessionStore(HERE);
	addSession(home, ENDED, folder, "logout");
	const there = scratch("mails");
	addSession(home, THERE, there);
	const status = (cwd: string, columns?: number, ...args: string[]) =>
		runCcg(["status", ...args], { env: { HOME: home }, cwd, ...(columns && { columns }) });
	const lines = async (cwd: string, columns?: number, ...args: string[]) =>
		(await status(cwd, columns, ...args)).out.split("\n");
	const ids = (all: string[]): string[] => all.flatMap((line) => /^[* ] ([abc])\1{3}0000/.exec(line)?.[1] ?? []);

	test("this project's first, marked; those that ended say so; the star is explained where one stands", async () => {
		const all = await lines(folder);
		expect(all[0]).toMatch(/^session +project +seen +tokens +zone +checkpoint +guard +model$/);
		expect([ids(all).slice(0, 2).toSorted(), ids(all)[2]]).toEqual([["a", "b"], "c"]);
		expect(all.find((line) => line.startsWith("* bbbb"))).toMatch(/ ended \d+s /);
		expect(all.find((line) => line.startsWith("* aaaa"))).toMatch(
			/ \d+s ago +130k\/167k +flush +none +warn +claude-opus-5-5$/,
		);
		expect(all.join(" ")).toContain("A * marks sessions of this project");
		expect((await lines(scratch("elsewhere"))).join(" ")).not.toContain("A * marks");
		const { json } = await status(folder, undefined, "--json");
		expect(json.map((one: { in_this_project: boolean }) => one.in_this_project)).toEqual([true, true, false]);
		expect(json.find((one: { session_id: string }) => one.session_id === ENDED).ended).toBe("logout");
	});

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

	test("of one session all that is kept", async () => {
		const { out } = await status(folder, undefined, "aaaa");
		for (const part of ["compacts at    167,000", "last failure", "ccg show aaaa0000"]) expect(out).toContain(part);
		const { json } = await status(folder, undefined, "aaaa", "--json");
		expect(json).toMatchObject({ session_id: HERE, tokens: 130_000, context: { session_id: HERE, version: 1 } });
		change(sessionAt(storeAt(store), "aaaa1"), { isHaltTold: true });
		expect((await status(folder, undefined, "aaaa")).err).toContain("is the beginning of 2 sessions");
		deleteSession(sessionAt(storeAt(store), "aaaa1"));
	});

	test("in a session those of its project alone", async () => {
		const env = { HOME: home, CLAUDECODE: "1" };
		const held = (...args: string[]) => runCcg(args, { env, cwd: there });
		expect(ids((await held("status")).out.split("\n"))).toEqual(["c"]);
		expect((await held("status", "aaaa")).err).toContain("ccg --anyway COMMAND");
		expect(ids((await held("--anyway", "status")).out.split("\n"))).toHaveLength(3);
	});

	test("of many the 20 written to last, this project's first; --all lists all", async () => {
		const many = scratch("many");
		const at = storeAt(join(many, "store"));
		const run = (...args: string[]) =>
			runCcg(["status", ...args], { env: { HOME: many, CCG_HOME: at.root }, cwd: folder });
		for (let i = 0; i < 30; i++) keepPlace(sessionAt(at, `s-${i}`), i < 3 ? folder : there);
		const rows = async () => (await run()).out.split("\n").filter((line) => /^[* ] s-\d/.test(line));
		expect((await rows()).map((line) => line[0]).join("")).toBe(`***${" ".repeat(17)}`);
		expect((await rows()).join("\n")).not.toContain("s-4 ");
		keepHeard(sessionAt(at, "s-4"), "go on");
		expect((await rows()).join("\n")).toContain("s-4 ");
		expect([(await run("--json")).json.length, (await run("--all", "--json")).json.length]).toEqual([20, 30]);
	});
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
		const { colours, pass } = terminalGate(true);
		expect(pass(colours.green("\u001b[31mred\u001b[0m"))).toBe("\u001b[32m\\u001b[31mred\\u001b[0m\u001b[39m");
	});
});
