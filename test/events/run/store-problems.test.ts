import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { logPath, sessionPaths } from "../../../src/store/paths.ts";
import { LAUNCHER, linesOf, run, type Sandbox, sandbox } from "../../kit/sandbox.ts";

const DAMAGED = "{";
const NEWER = '{"version":99}';

/** A sandbox in whose store the session's measurement is as given. */
function spoiled(text: string): Sandbox {
	const made = sandbox("problems");
	const { usage } = sessionPaths(made.store, made.sid);
	mkdirSync(dirname(usage), { recursive: true });
	writeFileSync(usage, text);
	return made;
}

const started = ({ env, project: cwd, sid }: Sandbox, args: string[], fields: object) =>
	run([LAUNCHER, ...args], { env, cwd, input: { session_id: sid, cwd, ...fields } });

const CALL = { tool_name: "Bash", hook_event_name: "PreToolUse" };
const MEASURED = { model: { id: "claude-sonnet-4-6" }, context_window: { current_usage: { input_tokens: 9_000 } } };

test.each([
	["damaged", DAMAGED, "not JSON; kept as"],
	["of a newer ccg", NEWER, "written by a newer ccg (version 99"],
])("a file that is %s is one line in a hook's log", async (_, text, problem) => {
	const made = spoiled(text);
	expect(await started(made, ["hook", "pre-tool-use"], CALL)).toEqual({ code: 0, out: "", err: "" });
	expect(linesOf(logPath(made.store))).toEqual([expect.stringContaining(problem)]);
});

test.each([
	["damaged", DAMAGED, [expect.stringContaining("not JSON; kept as")]],
	// it stays, and a line at each refresh would bury all others
	["of a newer ccg", NEWER, []],
])("a file that is %s, and the log of a status line", async (_, text, lines) => {
	const made = spoiled(text);
	expect(await started(made, ["statusline"], MEASURED)).toMatchObject({ code: 0, err: "" });
	expect(linesOf(logPath(made.store))).toEqual(lines);
});

test("a command says it once on stderr, and answers", async () => {
	const made = spoiled(NEWER);
	const { code, out, err } = await started(made, ["status", "--json"], {});
	expect([code, JSON.parse(out)]).toMatchObject([0, [{ session_id: made.sid, tokens: null }]]);
	expect(err.split("\n")).toEqual([expect.stringMatching(/^ccg: .*written by a newer ccg \(version 99/), ""]);
});
