import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { sessionEnv } from "../../src/doctor/sandbox.ts";
import { claudeName } from "../../src/store/paths.ts";
import { gitIn } from "../kit/git.ts";
import { ccg, hook, type Sandbox, sandbox } from "../kit/sandbox.ts";

const NOTE = "tests run with the odd command";

/** A home with a project `app`; gives ways to begin a session and to run a command in a folder. */
function home(isGit = true) {
	const made = sandbox();
	const { CLAUDE_PROJECT_DIR: _, CLAUDE_CODE_SESSION_ID: __, ...env } = made.env;
	const git = (cwd: string, ...args: string[]) => gitIn(cwd, made.top, args);
	const at = (folder: string): Sandbox => ({
		...made,
		project: folder,
		env: { ...env, ...sessionEnv({ sid: made.sid, project: folder }) },
	});
	const app = join(made.top, "app");
	mkdirSync(join(app, "deep"), { recursive: true });
	const origin = join(made.top, "origin");
	if (isGit) {
		git(made.top, "init", "-q", "--bare", origin);
		git(app, "init", "-q");
		git(app, "commit", "-q", "--allow-empty", "-m", "one");
		git(app, "remote", "add", "origin", origin);
		git(app, "push", "-q", "origin", "HEAD");
	}
	return {
		...{ top: made.top, store: made.store, app, origin, git },
		/** Begins a session there; gives what the model and the user are told. */
		async start(folder: string, sid = "s-1") {
			const one = at(folder);
			const transcript_path = join(made.home, ".claude/projects", claudeName(folder), `${sid}.jsonl`);
			mkdirSync(dirname(transcript_path), { recursive: true });
			const said = { type: "user", promptSource: "typed", uuid: sid, version: "2.1.332", cwd: folder };
			writeFileSync(transcript_path, `${JSON.stringify({ ...said, message: { role: "user", content: "Go." } })}\n`);
			const { out } = await hook({ ...one, sid, env: { ...one.env, CLAUDE_CODE_SESSION_ID: sid } }, "session-start", {
				hook_event_name: "SessionStart",
				source: "startup",
				transcript_path,
			});
			const told = out ? JSON.parse(out) : {};
			return {
				model: String(told.hookSpecificOutput?.additionalContext ?? ""),
				user: String(told.systemMessage ?? ""),
			};
		},
		run: async (folder: string, ...args: string[]) => {
			const { code, out, err } = await ccg({ ...made, project: folder, env }, args);
			return { code, out, err };
		},
	};
}

async function withNote(at: ReturnType<typeof home>) {
	await at.start(at.app);
	await at.run(at.app, "memory", "save", NOTE);
	await at.run(at.app, "checkpoint", "save", "--session", "s-1", "before");
	return at;
}

const moves: [string, boolean, (at: ReturnType<typeof home>) => string][] = [
	["renamed", true, ({ top }) => join(top, "app2")],
	["moved below another folder", true, ({ top }) => join(top, "work/new/app")],
	["outside of git", false, ({ top }) => join(top, "app 2")],
];

describe("a folder that is moved", () => {
	test.each(moves)("%s is the same project, which the user is told once", async (_, isGit, to) => {
		const at = await withNote(home(isGit));
		const there = to(at);
		// (outside of git it is a project of its own)
		await at.start(join(at.app, "deep"), "s-9");
		mkdirSync(dirname(there), { recursive: true });
		renameSync(at.app, there);
		const first = await at.start(there, "s-2");
		expect(first.model).toContain(NOTE);
		expect(first.user).toContain(`this project was in ${at.app}`);
		expect((await at.start(there, "s-3")).user).toBe("");
		if (isGit) expect((await at.run(there, "checkpoint", "list")).out).toContain("manual_checkpoint");
		const sessions = JSON.parse((await at.run(there, "status", "--json")).out);
		const here = sessions.filter((one: { in_this_project: boolean }) => one.in_this_project).length;
		expect(here).toBe(isGit ? 4 : 3);
		// once more, and back
		renameSync(there, `${there}-3`);
		expect((await at.start(`${there}-3`, "s-4")).model).toContain(NOTE);
		renameSync(`${there}-3`, at.app);
		expect((await at.start(at.app, "s-5")).model).toContain(NOTE);
	});

	test("what comes where it was for a while is another project, and it keeps its own", async () => {
		const at = await withNote(home());
		const [there, further] = [join(at.top, "app2"), join(at.top, "app3")];
		for (const [from, to] of [
			[at.app, there],
			[there, further],
			[further, at.app],
		] as const) {
			renameSync(from, to);
			await at.start(to, "s-2");
		}
		for (const folder of [there, further]) {
			mkdirSync(folder);
			expect(await at.start(folder, "s-3")).toEqual({ model: "", user: "" });
			await at.run(folder, "memory", "save", `a note of ${folder}`);
		}
		expect((await at.start(at.app, "s-4")).model).toContain(NOTE);
		// what was new where another had been goes as well
		renameSync(there, `${there}-x`);
		expect((await at.start(`${there}-x`, "s-5")).model).toContain(`a note of ${there}`);
		mkdirSync(there);
		expect((await at.start(there, "s-6")).model).not.toContain("a note of");
	});

	test("what takes its place is another project", async () => {
		const at = await withNote(home());
		renameSync(at.app, join(at.top, "app2"));
		await at.start(join(at.top, "app2"), "s-2");
		at.git(at.top, "clone", "-q", at.origin, at.app);
		expect(await at.start(at.app, "s-3")).toEqual({ model: "", user: "" });
		await at.run(at.app, "memory", "save", "another note");
		expect((await at.start(at.app, "s-4")).model).not.toContain(NOTE);
		expect((await at.start(join(at.top, "app2"), "s-5")).model).not.toContain("another note");
	});
});

describe("a project that is cloned anew, or copied", () => {
	const again: [string, (at: ReturnType<typeof home>, there: string) => void][] = [
		["cloned", (at, there) => at.git(at.top, "clone", "-q", at.origin, there)],
		["copied", (at, there) => cpSync(at.app, there, { recursive: true })],
	];
	test.each(again)("%s: the user is told, and takes it over by hand", async (_, make) => {
		const at = await withNote(home());
		const there = join(at.top, "again");
		make(at, there);
		rmSync(at.app, { recursive: true });
		const { model, user } = await at.start(there, "s-2");
		expect(model).not.toContain(NOTE);
		expect(user).toContain("memory adopt");
		expect((await at.start(there, "s-3")).user).toBe("");
		const listed = await at.run(there, "memory", "adopt");
		expect(listed.out).toContain(`${at.app} (gone)`);
		const [key] = /app-[0-9a-f]{8}/.exec(listed.out)!;
		expect(await at.run(there, "memory", "adopt", key)).toMatchObject({ code: 0 });
		expect((await at.start(there, "s-4")).model).toContain(NOTE);
		expect((await at.run(there, "checkpoint", "list")).out).toContain("manual_checkpoint");
	});

	test("nothing of a project whose folder is there goes to one that has its remote", async () => {
		const at = await withNote(home());
		const there = join(at.top, "fork");
		at.git(at.top, "clone", "-q", at.origin, there);
		expect(await at.start(there, "s-2")).toEqual({ model: "", user: "" });
		const [key] = /app-[0-9a-f]{8}/.exec((await at.run(at.app, "memory", "list", "--all")).out)!;
		expect(await at.run(there, "memory", "adopt", key)).toMatchObject({ code: 1 });
	});

	test("an agent can't take one over, and notes of its own are not hidden", async () => {
		const at = await withNote(home());
		const there = join(at.top, "again");
		at.git(at.top, "clone", "-q", at.origin, there);
		const [key] = /app-[0-9a-f]{8}/.exec((await at.run(at.app, "memory", "list", "--all")).out)!;
		rmSync(at.app, { recursive: true });
		await at.start(there, "s-2");
		const held = await ccg(
			{
				...sandbox(),
				project: there,
				env: { HOME: join(at.store, ".."), PATH: "/usr/bin:/bin", CLAUDECODE: "1" },
			} as Sandbox,
			["memory", "adopt", key],
		);
		expect(held).toMatchObject({ code: 1, err: expect.stringContaining("--anyway") });
		await at.run(there, "memory", "save", "my own");
		expect(await at.run(there, "memory", "adopt", key)).toMatchObject({
			code: 1,
			err: expect.stringContaining("notes of its own"),
		});
	});
});

test("a killed move is ended by the next start", async () => {
	const at = await withNote(home());
	const there = join(at.top, "app2");
	renameSync(at.app, there);
	await at.start(there, "s-2");
	const [key] = /app-[0-9a-f]{8}/.exec((await at.run(there, "memory", "list", "--all")).out)!;
	const facts = join(at.store, "projects", key, "project.json");
	expect(existsSync(facts)).toBe(true);
	// as it is when the second of two writes did not happen
	writeFileSync(facts, JSON.stringify({ root: at.app, made: "0:0", remotes: [] }));
	expect((await at.start(there, "s-3")).model).toContain(NOTE);
});
