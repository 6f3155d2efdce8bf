import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ccg, hook, listing } from "../kit/sandbox.ts";
import { contextOf } from "./kit.ts";
import { type RepoSandbox, repoSandbox } from "./repo-fixture.ts";

describe("what a repository names, once the shell stands outside of it", () => {
	/** What a repository's settings name, once the shell stands elsewhere: inside of it, or not. */
	const STRAYED: Record<string, (at: RepoSandbox) => Record<string, string>> = {
		"a store inside": (at) => ({ CCG_HOME: join(at.project, "store") }),
		"a store elsewhere": (at) => ({ CCG_HOME: join(at.top, "evil") }),
		"a home folder inside": (at) => ({ HOME: join(at.project, "h") }),
		"a task root elsewhere": (at) => ({ CCG_TASK_ROOT: join(at.top, "tasks") }),
	};
	test.each(Object.entries(STRAYED))("its settings name %s, and the shell has gone elsewhere", async (_, namesOf) => {
		// hooks kept the session in the user's store; or none ran, and Claude Code's transcript tells where it began
		for (const isRecorded of [true, false]) {
			const at = repoSandbox();
			const names = namesOf(at);
			const start = { hook_event_name: "SessionStart", source: "startup" };
			if (isRecorded) await hook(at, "session-start", start);
			const transcripts = join(at.home, ".claude/projects", at.project.replace(/[^A-Za-z0-9]/g, "-"));
			mkdirSync(transcripts, { recursive: true });
			writeFileSync(join(transcripts, `${at.sid}.jsonl`), "{}\n");
			mkdirSync(join(at.project, ".claude"));
			writeFileSync(join(at.project, ".claude/settings.json"), JSON.stringify({ env: names }));
			const before = listing(at.top, at.store);
			const env = { CLAUDE_PROJECT_DIR: "", CLAUDE_CODE_SESSION_ID: at.sid, CLAUDECODE: "1", ...names };
			const args = names.CCG_TASK_ROOT ? ["task", "ensure", "--goal", "x"] : ["memory", "save", "x"];
			const ran = await ccg(at, args, { cwd: at.top, env });
			expect([isRecorded, ran.code, ran.out]).toEqual([isRecorded, 1, ""]);
			expect(ran.err).toMatch(/is set by .*settings|no hook of this session/);
			expect(listing(at.top, at.store)).toEqual(before);
		}
	});

	test("harmless: the user's own store, in which hooks kept the session, wherever the shell is", async () => {
		const at = repoSandbox();
		const own = { CCG_HOME: join(at.top, "own"), CLAUDE_CODE_SESSION_ID: at.sid, CLAUDECODE: "1" };
		// before any hook ran the folder counts
		expect((await ccg(at, ["memory", "list"], { env: { ...own, CLAUDE_PROJECT_DIR: "" } })).code).toBe(0);
		await hook(at, "session-start", { hook_event_name: "SessionStart", source: "startup" }, { env: own });
		const env = { ...own, CLAUDE_PROJECT_DIR: "" };
		expect((await ccg(at, ["memory", "save", "x"], { cwd: at.top, env })).code).toBe(0);
		const tasks = { ...env, CCG_TASK_ROOT: join(at.top, "tasks") };
		expect((await ccg(at, ["task", "ensure", "--goal", "x"], { cwd: at.top, env: tasks })).code).toBe(0);
	});

	test("a settings file that can't be read counts in the project, not in folders above", async () => {
		const at = repoSandbox();
		const settings = (folder: string) => join(folder, ".claude/settings.json");
		const unread = (folder: string) => {
			mkdirSync(join(folder, ".claude"), { recursive: true });
			writeFileSync(settings(folder), "");
			truncateSync(settings(folder), 20 * 1024 * 1024);
		};
		unread(at.top);
		const fields = { hook_event_name: "SessionStart", source: "startup" };
		expect((await ccg(at, ["memory", "save", "EURO only"])).code).toBe(0);
		expect(contextOf((await hook(at, "session-start", fields)).out)).toContain("EURO only");
		unread(at.project);
		const { code, err } = await ccg(at, ["memory", "list", "memory"]);
		expect([code, err]).toEqual([1, expect.stringContaining(`${settings(at.project)} can't be read`)]);
		expect(err).not.toContain("HOME is set by");
	});
});
