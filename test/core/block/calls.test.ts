import { expect, test } from "vitest";
import { call, message, stateOf } from "../../kit/session-events.ts";
import { block, session, type Turn } from "./kit.ts";

const GO: Turn = { user: "Go." };
/** What stands below the heading of the calls. */
const callsIn = (text: string): string => text.split("## The newest calls\n")[1]!.split("\n\n")[0]!;

test("the newest calls get room first; those before the request are no part of what followed it", () => {
	const runs = Array.from({ length: 20 }, (_, n): Turn => ({ bash: [`node run${n}.js`, `a\nb\nc\nresult ${n}`] }));
	const text = block(session(GO, { bash: ["old", "x"] }, { user: "Run them." }, ...runs));
	const told = [...text.matchAll(/^- ended: `node run(\d+)\.js`\n( {2}\| b\n {2}\| c\n)? {2}\| result \1$/gm)];
	expect(told.map(([, n]) => n)).toEqual(["12", "13", "14", "15", "16", "17", "18", "19"]);
	expect(told.map(([, , more]) => more !== undefined)).toEqual([...Array(7).fill(false), true]);
	expect(text).not.toContain("`old`");
});

test("of the same command the newest counts, also where it gave nothing; what ran before an edit is not told", () => {
	const edit: Turn = { edit: "/p/a.c" };
	const ran = callsIn(block(session(GO, { bash: ["make", "ld: no _x", true] }, edit, { bash: ["make", ""] })));
	expect(ran).toBe("- ended, no output: `make`");
	const twice = callsIn(block(session(GO, { bash: ["make", "ld: no _x", true] }, { bash: ["make", "built"] })));
	expect(twice).toBe("- ended: `make`\n  | built");
	expect(block(session(GO, { bash: ["make", "ok"] }, edit))).not.toContain("`make`");
});

test("an editor's tools are calls by the shape of their input; ccg's own are none", () => {
	const state = stateOf(
		message("Fix the cart and its tests now, please."),
		call("mcp__acp__Bash", { command: "npm run lint" }, "Exit code 1\nunused x", true),
		call("mcp__acp__Write", { file_path: "/p/a.ts", content: "x" }),
		call("mcp__acp__Bash", { command: "npm test" }, "Exit code 1\n2 failed", true),
		call("mcp__acp__Read", { file_path: "/p/b.ts" }),
		call("Bash", { command: "/home/u/.bun/bin/ccg recall cart" }, "Found"),
		call("mcp__plugin_ccg_ccg__recall", { query: "cart" }, "Found"),
	);
	const text = block(state);
	expect(text).toContain("- exit code 1: `mcp__acp__Bash` `npm test`\n  | 2 failed\n");
	expect(text).toContain("- edited since: `a.ts`\n");
	expect(text).toContain("- 4 calls of the agent followed");
	expect(text).not.toMatch(/unused x|recall/);
	expect(state.failures).toMatchObject([{ kind: "shell" }, { kind: "shell" }]);
});

test("a command is cut between its parts, and what stands between backticks is as it is", () => {
	const long = `cd /p && ${"node scripts/check-headers.js --all --strict && ".repeat(8)}npm test`;
	const text = block(session(GO, { bash: [long, "ok"] }, { bash: ['echo "a `b` c"', "x"] }));
	expect(text).toMatch(/`cd \/p && [^`]*check-headers\.js --all --strict \[…\d+ more characters\]`/);
	expect(text).toContain('- ended: `` echo "a `b` c" ``');
});
