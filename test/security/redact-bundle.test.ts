import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectFolder } from "../../src/store/project.ts";
import { hook, runMeasured, type Sandbox, sandbox, TARGET } from "../kit/sandbox.ts";
import { stopped, textsBelow } from "./kit.ts";
import { fromSource } from "./launch-fixture.ts";

const SECRET = `ghp_${"aZ4kQ9mB2xW7".repeat(3)}`;

/** The installed program, without the bundle of the rules. */
function launcherWithoutRules(at: Sandbox): string {
	const place = join(at.top, "ccg");
	mkdirSync(place);
	for (const name of ["bin", "dist", "package.json"])
		cpSync(join(TARGET, name), join(place, name), { recursive: true });
	symlinkSync(join(TARGET, "node_modules"), join(place, "node_modules"));
	rmSync(join(place, "dist", "src", "core"), { recursive: true });
	return join(place, "bin", "ccg");
}

const answer = (model: string) =>
	`${JSON.stringify({
		type: "assistant",
		uuid: "a-1",
		parentUuid: null,
		version: "2.1.329",
		message: { id: "m-1", role: "assistant", model, content: [], usage: { input_tokens: 90_000, output_tokens: 5 } },
	})}\n`;

const STATUS = {
	model: { id: SECRET, display_name: "Model" },
	version: "2.1.329",
	context_window: { context_window_size: 200_000, current_usage: { input_tokens: 120_000 } },
};

describe.skipIf(!existsSync(join(TARGET, "dist")))(
	"an entry whose rules are gone keeps nothing that might be a secret",
	() => {
		test.each([
			["statusline", ["statusline"], STATUS],
			["usage", ["hook", "post-tool-batch"], { hook_event_name: "PostToolBatch" }],
		])("%s", async (_, args, fields) => {
			const at = sandbox();
			writeFileSync(at.transcript, answer(SECRET));
			const input = { session_id: at.sid, transcript_path: at.transcript, cwd: at.project, ...fields };
			const { code, out, err } = await runMeasured([launcherWithoutRules(at), ...args], {
				cwd: at.project,
				env: at.env,
				input,
			});
			const kept = textsBelow(at.store).map(({ text }) => text);
			expect([code, err]).toEqual([0, ""]);
			expect(kept.join("\n")).toContain("[REDACTED:not-read]");
			expect([...kept, out].filter((text) => text.includes(SECRET.slice(0, 16)))).toEqual([]);
		});
	},
);

const EDIT = { hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: { file_path: "a.txt" } };
const DENIED = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } };

test("a denial stays a denial without the rules", async () => {
	const at = stopped();
	const launcher = fromSource();
	rmSync(join(launcher, "../../src/core/redact/rules.ts"));
	const input = { session_id: at.sid, transcript_path: at.transcript, cwd: at.project, ...EDIT };
	const { code, out, err } = await runMeasured([launcher, "hook", "pre-tool-use"], {
		cwd: at.project,
		env: at.env,
		input,
	});
	expect([code, err]).toEqual([0, ""]);
	expect(JSON.parse(out)).toMatchObject(DENIED);
	expect(out).not.toContain("[REDACTED");
});

test.each(["PreToolUse", "permissionDecision", "hookEventName"])(
	"a denial stays a denial where a variable names %s a secret",
	async (value) => {
		const at = stopped();
		const { code, out, err } = await hook(at, "pre-tool-use", EDIT, { env: { ACCESS_TOKEN: value } });
		expect([code, err]).toEqual([0, ""]);
		expect(JSON.parse(out)).toMatchObject(DENIED);
	},
);

test.skipIf(!existsSync(join(TARGET, "dist")))(
	"what can't be looked through is no answer, and is told once",
	async () => {
		const at = sandbox();
		const launcher = launcherWithoutRules(at);
		const notes = projectFolder(at.store, at.project);
		mkdirSync(notes, { recursive: true });
		writeFileSync(join(notes, "MEMORY.md"), "- the staging password is in the vault\n");
		const input = { session_id: at.sid, transcript_path: at.transcript, cwd: at.project, source: "startup" };
		const ran = await runMeasured([launcher, "hook", "session-start"], { cwd: at.project, env: at.env, input });
		expect(ran).toMatchObject({ code: 0, out: "", err: "" });
		const log = readFileSync(join(at.store, "log", "ccg.log"), "utf8");
		expect(log).toContain(`${at.sid}: redaction rules are not loaded: the answer was left out`);
		expect(log.split("\n")).toHaveLength(2);
	},
);

test.skipIf(!existsSync(join(TARGET, "dist")))("what a bundle loads later lies where it looks for it", () => {
	const bundles = new Bun.Glob("**/*.js").scanSync(join(TARGET, "dist"));
	const looked = [...bundles].flatMap((name) => {
		const text = readFileSync(join(TARGET, "dist", name), "utf8");
		const places = text.matchAll(/=("\.\/[\w./-]*\/(?:rules|behind-compaction|judge|entries|execa)")/g);
		return [...places].map(([, place]) => join(dirname(name), JSON.parse(place!)));
	});
	expect([...new Set(looked)].sort()).toEqual([
		"src/core/redact/rules",
		"src/events/steps/behind-compaction",
		"src/guard/judge",
		"src/install/entries",
		"src/install/execa",
	]);
	expect(looked.filter((place) => !existsSync(join(TARGET, "dist", `${place}.js`)))).toEqual([]);
});
