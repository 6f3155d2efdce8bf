/** A repository's settings can set variables; a folder's name stands in `PWD`. Neither takes words out of what the user said. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFolderOf } from "../../src/store/session/place.ts";
import { Transcript } from "../kit/events.ts";
import { hook, sandbox } from "../kit/sandbox.ts";

const WORDS = "Run the migration, but do not push to main. Never push tags either.";

async function blockIn(project: string, at: ReturnType<typeof sandbox>, env: Record<string, string>): Promise<string> {
	new Transcript(project).typed(WORDS).said("I began.").write(at.transcript);
	const options = { cwd: project, env: { PWD: project, CLAUDE_PROJECT_DIR: project, ...env } };
	await hook(at, "session-start", { hook_event_name: "SessionStart", source: "startup", cwd: project }, options);
	await hook(at, "pre-compact", { hook_event_name: "PreCompact", trigger: "manual", cwd: project }, options);
	const fields = { hook_event_name: "SessionStart", source: "compact", cwd: project };
	const { out } = await hook(at, "session-start", fields, options);
	return JSON.parse(out).hookSpecificOutput.additionalContext;
}

test.each(["My Project", "Проект", "a=b,c", "clone/ghp_0123456789abcdefghijABCDEFGHIJ012345"])(
	"a project folder %j stays the session's project",
	async (name) => {
		const at = sandbox("own-variables");
		const project = join(at.top, name);
		mkdirSync(project, { recursive: true });
		const block = await blockIn(project, at, {});
		expect(block).not.toContain("REDACTED:environment");
		const env = { HOME: at.home, CLAUDE_CODE_SESSION_ID: at.sid, CLAUDECODE: "1" };
		expect(projectFolderOf({ env, cwd: "/", tell() {} })).toBe(project);
	},
);

test("variables that the repository's settings set take nothing out; the user's own do", async () => {
	const at = sandbox("own-variables");
	mkdirSync(join(at.project, ".claude"));
	const set = { A_TOKEN: "but do not ", B_SECRET: "Never push" };
	writeFileSync(join(at.project, ".claude", "settings.json"), JSON.stringify({ env: set }));
	expect(await blockIn(at.project, at, set)).toContain(WORDS);
	const own = sandbox("own-variables");
	expect(await blockIn(own.project, own, { MY_TOKEN: "push to main" })).not.toContain("push to main");
});
