import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFolder } from "../../src/store/project.ts";
import { Transcript } from "../kit/events.ts";
import { hook, runMeasured, type Sandbox, sandbox, TARGET } from "../kit/sandbox.ts";
import { put, stopped, textsBelow } from "./kit.ts";
import { fromSource } from "./launch-fixture.ts";

const SECRET = `ghp_${"aZ4kQ9mB2xW7".repeat(3)}`;

const hasBundles = existsSync(join(TARGET, "dist"));

/** The installed program, without the bundle of the rules, started by an input. */
async function runWithoutRules(at: Sandbox, args: string[], fields: object) {
	const place = join(at.top, "ccg");
	mkdirSync(place);
	for (const name of ["bin", "dist", "package.json"])
		cpSync(join(TARGET, name), join(place, name), { recursive: true });
	symlinkSync(join(TARGET, "node_modules"), join(place, "node_modules"));
	rmSync(join(place, "dist", "src", "core"), { recursive: true });
	return start(at, join(place, "bin", "ccg"), args, fields);
}

function start(at: Sandbox, launcher: string, args: string[], fields: object) {
	const input = { session_id: at.sid, transcript_path: at.transcript, cwd: at.project, ...fields };
	return runMeasured([launcher, ...args], { cwd: at.project, env: at.env, input });
}

const STATUS = {
	model: { id: SECRET, display_name: "Model" },
	version: "2.1.329",
	context_window: { context_window_size: 200_000, current_usage: { input_tokens: 120_000 } },
};

test.skipIf(!hasBundles).each<[string, string[], object]>([
	["statusline", ["statusline"], STATUS],
	["usage", ["hook", "post-tool-batch"], { hook_event_name: "PostToolUse" }],
])("an entry whose rules are gone keeps nothing that might be a secret: %s", async (_, args, fields) => {
	const at = sandbox();
	new Transcript(at.project, undefined, SECRET).usage(90_000).write(at.transcript);
	const { code, out, err } = await runWithoutRules(at, args, fields);
	const kept = textsBelow(at.store).map(({ text }) => text);
	expect([code, err]).toEqual([0, ""]);
	expect(kept.join("\n")).toContain("[REDACTED:not-read]");
	expect([...kept, out].filter((text) => text.includes(SECRET.slice(0, 16)))).toEqual([]);
});

const EDIT = { hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: { file_path: "a.txt" } };
const DENIED = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } };

test("a denial stays a denial without the rules, and where variables name its words secrets", async () => {
	const at = stopped();
	const launcher = fromSource();
	rmSync(join(launcher, "../../src/core/redact/rules.ts"));
	const env = { ACCESS_TOKEN: "PreToolUse", A_PASSWORD: "permissionDecision", API_KEY: "hookEventName" };
	for (const { code, out, err } of [
		await start(at, launcher, ["hook", "pre-tool-use"], EDIT),
		await hook(at, "pre-tool-use", EDIT, { env }),
	]) {
		expect([code, err]).toEqual([0, ""]);
		expect(JSON.parse(out)).toMatchObject(DENIED);
		expect(out).not.toContain("[REDACTED");
	}
});

test.skipIf(!hasBundles)("what can't be looked through is no answer, and is told once", async () => {
	const at = sandbox();
	put(join(projectFolder(at.store, at.project), "MEMORY.md"), "- the staging password is in the vault\n");
	const ran = await runWithoutRules(at, ["hook", "session-start"], { source: "startup" });
	expect(ran).toMatchObject({ code: 0, out: "", err: "" });
	const log = readFileSync(join(at.store, "log", "ccg.log"), "utf8");
	expect(log).toContain(`${at.sid}: redaction rules are not loaded: the answer was left out`);
	expect(log.split("\n")).toHaveLength(2);
});
