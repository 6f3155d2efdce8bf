import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectDataFolder } from "../../src/store/project.ts";
import { Transcript } from "../kit/events.ts";
import { type Sandbox, sandbox, TARGET } from "../kit/sandbox.ts";
import { plant, play, put, stopped, textsBelow } from "./kit.ts";
import { fromSource } from "./launch-fixture.ts";

const SECRET = `ghp_${"aZ4kQ9mB2xW7".repeat(3)}`;

const hasBundles = existsSync(join(TARGET, "dist"));

/** The installed program, without the bundle of the rules, started by an input. */
function runWithoutRules(at: Sandbox, step: string, more: object = {}) {
	const script = `mkdir $TOP/ccg; cd $TARGET; cp -r bin dist package.json $TOP/ccg
		ln -s $TARGET/node_modules $TOP/ccg/node_modules; rm -r $TOP/ccg/dist/src/core`;
	plant(at, script, { TARGET });
	return play(at, step, more, { program: [join(at.top, "ccg/bin/ccg")] });
}

const MODEL = { id: SECRET, display_name: "Model" };
const USED = { context_window_size: 200_000, current_usage: { input_tokens: 120_000 } };

test.skipIf(!hasBundles).each([
	["statusline", { model: MODEL, version: "2.1.329", context_window: USED }],
	["post-tool-use", {}],
])("an entry whose rules are gone keeps nothing that might be a secret: %s", async (step, more) => {
	const at = sandbox();
	new Transcript(at.project, undefined, SECRET).usage(90_000).write(at.transcript);
	const [{ code, out, err } = {}] = await runWithoutRules(at, step, more);
	const kept = textsBelow(at.store).map(({ text }) => text);
	expect([code, err]).toEqual([0, ""]);
	expect(kept.join("\n")).toContain("[REDACTED:not-read]");
	expect([...kept, out].filter((text) => text?.includes(SECRET.slice(0, 16)))).toEqual([]);
});

const EDIT = { tool_name: "Edit", tool_input: { file_path: "a.txt" } };
const DENIED = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } };

test("a denial stays a denial without the rules, and where variables name its words secrets", async () => {
	const at = stopped();
	const launcher = fromSource();
	rmSync(join(launcher, "../../src/core/redact/rules.ts"));
	const env = { ACCESS_TOKEN: "PreToolUse", A_PASSWORD: "permissionDecision", API_KEY: "hookEventName" };
	for (const how of [{ program: [launcher] }, { env }]) {
		const [{ code, out = "", err } = {}] = await play(at, "pre-tool-use", EDIT, how);
		expect([code, err]).toEqual([0, ""]);
		expect(JSON.parse(out)).toMatchObject(DENIED);
		expect(out).not.toContain("[REDACTED");
	}
});

test.skipIf(!hasBundles)("what can't be looked through is no answer, and is told once", async () => {
	const at = sandbox();
	put(join(projectDataFolder(at.store, at.project), "MEMORY.md"), "- the staging password is in the vault\n");
	expect(await runWithoutRules(at, "start startup")).toMatchObject([{ code: 0, out: "", err: "" }]);
	const log = readFileSync(join(at.store, "log", "ccg.log"), "utf8");
	expect(log).toContain(`${at.sid}: redaction rules are not loaded: the answer was left out`);
	expect(log.split("\n")).toHaveLength(2);
});
