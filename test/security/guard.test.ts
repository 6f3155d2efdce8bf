import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mayChange } from "../../src/guard/judge.ts";
import { changeCycle } from "../../src/store/session/cycles.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { hook, LAUNCHER, type Sandbox } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import CALLS from "./guard-calls.json";
import { attacksOf, plant, stopped } from "./kit.ts";

/** Whether the gate holds a call back. */
const isHeld = (at: Sandbox, tool_name: string, tool_input: object): boolean =>
	mayChange(
		{ session_id: at.sid, tool_name, tool_input: { ...tool_input }, cwd: at.project },
		{ root: at.store, env: at.env, launcher: LAUNCHER },
	);

const SIGNS: Record<string, string> = { "⏎": "\n", "␉": "\t", "␍": "\r", "␀": "\0", "␤": "\u2028" };

test("of shell commands one of ccg's in plain words passes, and nothing else", () => {
	const at = stopped();
	const names: Record<string, string> = { ...SIGNS, "@CCG@": LAUNCHER, "@SID@": at.sid, "@STORE@": at.store };
	const [, own = [], ...attacks] = readFileSync(join(import.meta.dirname, "guard-attacks.txt"), "utf8")
		.split("\n## ")
		.map((part) => part.split("\n").slice(1).filter(Boolean));
	const held = (line: string): boolean =>
		isHeld(at, "Bash", { command: line.replace(/[⏎␉␍␀␤]|@[A-Z]+@/g, (name) => names[name]!) });
	expect(own.filter(held)).toEqual([]);
	expect(["", " ", ...attacks.flat()].filter((line) => !held(line))).toEqual([]);
	for (const more of [{ command: ["ccg help"] }, { run_in_background: true }, { run_in_background: "true" }])
		expect(isHeld(at, "Bash", { command: "ccg help", ...more })).toBe(true);
});

test("a ccg of the workspace, and one first on PATH, is held back; one that leads to this one goes on", () => {
	const at = stopped();
	const folder = (name: string): string => join(at.project, name);
	plant(at, "mkdir own other none; ln -s $CCG own/ccg; echo '#!/bin/sh' >other/ccg; chmod 755 other/ccg", {
		CCG: LAUNCHER,
	});
	const held = (...PATH: string[]): boolean => {
		const env = { ...at.env, PATH: [...PATH, at.env.PATH].join(":") };
		return isHeld({ ...at, env }, "Bash", { command: "ccg task status" });
	};
	expect([held(folder("own"), folder("other")), held(folder("none")), held()]).toEqual([false, false, false]);
	for (const path of [[folder("other"), folder("own")], ["."], [""], ["node_modules/.bin"]])
		expect([path, held(...path)]).toEqual([path, true]);
	expect(isHeld(at, "Bash", { command: `${folder("own")}/ccg task status` })).toBe(true);
});

test("a megabyte of anything costs no time", () => {
	const start = process.cpuUsage();
	for (const piece of ["'", '"', "a ", "'a' ", "--", "$("])
		isHeld(stopped(), "Bash", { command: `${LAUNCHER} memory save ${piece.repeat(1_000_000 / piece.length)}` });
	expect(process.cpuUsage(start).user / 1_000).toBeLessThan(6_000);
});

test("the entry says the same; an input that is not parsed is held back, with a checkpoint too", async () => {
	const at = stopped();
	const isDenied = async (tool_name: string, tool_input: object): Promise<boolean> => {
		const call = await hook(at, "pre-tool-use", { hook_event_name: "PreToolUse", tool_name, tool_input });
		expect([call.code, call.err]).toEqual([0, ""]);
		return call.out.includes('"permissionDecision":"deny"');
	};
	const big = "x".repeat(5 * 1024 * 1024);
	expect(await isDenied("Bash", { command: `${LAUNCHER} status` })).toBe(false);
	expect(await isDenied("Bash", { command: "ls" })).toBe(true);
	changeCycle(sessionHandle(storeAt(at.store), at.sid), (cycle) => {
		cycle.passAt = new Date().toISOString();
	});
	expect(await isDenied("Write", { file_path: "/tmp/x", content: big })).toBe(true);
	expect(await isDenied("mcp__x__y", { tool_name: "Read", session_id: "other", text: big })).toBe(true);
	expect(await isDenied("Edit", { file_path: "/tmp/x" })).toBe(false);
	writeFileSync(join(at.store, "config.json"), JSON.stringify({ guard: { mode: "warn" } }));
	expect(await isDenied("Write", { content: big })).toBe(false);
});

const memories = (at: Sandbox): string => join(at.project, ".serena", "memories");

test("a note that is a link, or lies behind one, is held back", () => {
	const at = stopped();
	const held = (file: string): boolean => isHeld(at, "Write", { file_path: join(memories(at), file), content: "x" });
	mkdirSync(memories(at), { recursive: true });
	writeFileSync(join(at.home, ".bashrc"), "");
	for (const [file, script] of attacksOf("notes of the gate")) {
		plant(at, script, {}, memories(at));
		expect([file, held(file)]).toEqual([file, true]);
	}
	plant(at, "rm -r .serena/memories; ln -s $HOME .serena/memories");
	expect(held("a.md")).toBe(true);
});

test("notes in their places are written and reading tools go on; what leads elsewhere or is another tool is held", () => {
	const at = stopped();
	mkdirSync(memories(at), { recursive: true });
	const ofClaude = join(at.home, ".claude", "projects", at.project.replace(/[^A-Za-z0-9]/g, "-"), "memory");
	const places: Record<string, string> = { HOME: at.home, STORE: at.store, NOTES: memories(at), CLAUDE: ofClaude };
	const filled = (value: string): string => value.replace(/^[A-Z]+(?=\/)/, (name) => places[name] ?? name);
	const held = ([name, field, value]: string[]): boolean =>
		isHeld(at, name!, field ? { content: "x", [field]: filled(value!) } : {});
	expect(CALLS.passes.filter(held)).toEqual([]);
	expect(CALLS.held.filter((call) => !held(call))).toEqual([]);
});
