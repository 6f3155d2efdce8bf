import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { sessionEnv } from "../../src/doctor/sandbox.ts";
import { claudeName } from "../../src/store/paths.ts";
import { adoptProject, isGone, keepProject, knownProjects, projectOf } from "../../src/store/project.ts";
import { gitIn } from "../kit/git.ts";
import { ccg, hook, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

const NOTE = "tests run with the odd command";
const LINE = { type: "user", uuid: "u-1", parentUuid: null, message: { role: "user", content: "hello" } };

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
			const { out } = await hook({ ...one, sid, env: { ...one.env, CLAUDE_CODE_SESSION_ID: sid } }, "session-start", {
				hook_event_name: "SessionStart",
				source: "startup",
			});
			const said = out ? JSON.parse(out) : {};
			return {
				model: String(said.hookSpecificOutput?.additionalContext ?? ""),
				user: String(said.systemMessage ?? ""),
			};
		},
		run: (folder: string, args: string[], more = {}) =>
			ccg({ ...made, project: folder, env: { ...env, ...more } }, args),
	};
}

async function withNote(at: ReturnType<typeof home>) {
	const transcripts = join(at.store, "../.claude/projects", claudeName(at.app));
	mkdirSync(transcripts, { recursive: true });
	writeFileSync(join(transcripts, "s-1.jsonl"), `${JSON.stringify(LINE)}\n`);
	await at.start(at.app);
	await at.run(at.app, ["memory", "save", NOTE]);
	expect(await at.run(at.app, ["checkpoint", "save", "--session", "s-1", "before"])).toMatchObject({ code: 0 });
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
		if (isGit) expect((await at.run(there, ["checkpoint", "list"])).out).toContain("manual_checkpoint");
		const sessions = JSON.parse((await at.run(there, ["status", "--json"])).out);
		const here = sessions.filter((one: { in_this_project: boolean }) => one.in_this_project).length;
		expect(here).toBe(isGit ? 4 : 3);
		// once more, and back
		renameSync(there, `${there}-3`);
		expect((await at.start(`${there}-3`, "s-4")).model).toContain(NOTE);
		renameSync(`${there}-3`, at.app);
		expect((await at.start(at.app, "s-5")).model).toContain(NOTE);
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
		const listed = await at.run(there, ["memory", "adopt"]);
		expect(listed.out).toContain(`${at.app} (not there now)`);
		const [key] = /app-[0-9a-f]{8}/.exec(listed.out)!;
		expect(await at.run(there, ["memory", "adopt", key])).toMatchObject({ code: 0 });
		expect((await at.start(there, "s-4")).model).toContain(NOTE);
		expect((await at.run(there, ["checkpoint", "list"])).out).toContain("manual_checkpoint");
	});

	test("not while its folder is there, not by an agent, and not over notes of its own", async () => {
		const at = await withNote(home());
		const there = join(at.top, "again");
		at.git(at.top, "clone", "-q", at.origin, there);
		expect(await at.start(there, "s-2")).toEqual({ model: "", user: "" });
		const [key] = /app-[0-9a-f]{8}/.exec((await at.run(at.app, ["memory", "list", "--all"])).out)!;
		const adopt = (env = {}) => at.run(there, ["memory", "adopt", key], env);
		expect(await adopt()).toMatchObject({ code: 1, err: expect.stringContaining("no project without its folder") });
		rmSync(at.app, { recursive: true });
		expect(await adopt({ CLAUDECODE: "1" })).toMatchObject({ code: 1, err: expect.stringContaining("--anyway") });
		await at.run(there, ["memory", "save", "my own"]);
		expect(await adopt()).toMatchObject({ code: 1, err: expect.stringContaining("notes of its own") });
	});
});

test("what is saved first goes to the project that was moved here", async () => {
	const at = await withNote(home());
	const there = join(at.top, "app2");
	renameSync(at.app, there);
	await at.run(there, ["memory", "save", "another note"]);
	const { model } = await at.start(there, "s-2");
	for (const note of [NOTE, "another note"]) expect(model).toContain(note);
});

/** What happens to folders, each a word: `A` a session begins in A, `A>B` A is moved to B, `+A` a new folder A, `-A` it is deleted. */
const stories: [string, Record<string, string>][] = [
	["+A A A>B B B>A A +B B", { A: "A", B: "B" }],
	["+A A A>B B B>C C +B B B>D D +B B", { C: "A", D: "B", B: "B-2" }],
	["+A A A>B B +A A A>C C +A A", { B: "A", C: "A-2", A: "A-3" }],
	["+A A A>B +A B A", { B: "A", A: "A-2" }],
	["+A A +B B -A B>A A", { A: "B" }],
	["+A A +B B A>C C B>A A A>D D C>A A", { A: "A", D: "B" }],
	["+A A -A +A A", { A: "A" }],
	["+A A A>B B +A A -A", { B: "A", A: "A-2" }],
];

test.each(stories)("%s", (story, expected) => {
	const [top, store] = [scratch(), scratch()];
	process.env.CCG_HOME = store;
	const at = (name: string) => join(top, name);
	for (const word of story.split(" ")) {
		const [from = "", to] = word.split(">");
		if (to) renameSync(at(from), at(to));
		else if (word.startsWith("+")) mkdirSync(at(word.slice(1)));
		else if (word.startsWith("-")) rmSync(at(word.slice(1)), { recursive: true });
		else keepProject(store, at(word));
	}
	const keys = Object.keys(expected).map((name) => [name, projectOf(at(name)).key.replace(/-[0-9a-f]{8}/, "")]);
	expect(Object.fromEntries(keys)).toEqual(expected);
});

describe("by the facts that are kept", () => {
	/** A store that knows a project `p`, whose folder was at `root`. */
	const knowing = (root: string, made = "1:2") => {
		const store = scratch();
		process.env.CCG_HOME = store;
		writeFileSync(
			join(store, "projects.json"),
			JSON.stringify({ projects: [{ key: "p", root, made, was: [], remotes: [] }] }),
		);
		return store;
	};

	test("a folder that is seen in two places is one project, and moved to neither", () => {
		const here = scratch();
		const { ino, birthtimeMs } = statSync(here);
		// (the earlier place leads to the same folder)
		const root = `${here}/../${here.split("/").at(-1)}`;
		const store = knowing(root, `${ino}:${birthtimeMs}`);
		expect(keepProject(store, here)).toEqual({ before: null, like: 0 });
		expect([projectOf(here).key, knownProjects(store)]).toMatchObject(["p", [{ root }]]);
	});

	test("one that was adopted stays with who took it when its drive is back", () => {
		const [before, here] = [scratch(), scratch()];
		const { ino, birthtimeMs } = statSync(before);
		const store = knowing(before, `${ino}:${birthtimeMs}`);
		adoptProject(store, here, "p");
		expect([here, before].map((folder) => projectOf(folder).key)).toEqual(["p", expect.not.stringMatching(/^p$/)]);
	});

	test("of a list that somebody broke nothing is known, and it is made anew", () => {
		const here = scratch();
		const store = knowing(here);
		writeFileSync(join(store, "projects.json"), '{"projects":7}');
		expect(projectOf(here).key).not.toBe("p");
		keepProject(store, here);
		expect(knownProjects(store)).toMatchObject([{ root: here }]);
	});

	test.runIf(existsSync("/proc/tty"))("a file system without births says nothing", () => {
		const { ino, birthtimeMs } = statSync("/proc/tty");
		expect(birthtimeMs).toBe(0);
		for (const made of [`${ino}:0`, ""]) {
			keepProject(knowing("/no/such/folder", made), "/proc/tty");
			expect(projectOf("/proc/tty").key).toMatch(/^tty-/);
		}
	});

	test("a folder is gone where the one above it is there to say so", () => {
		const top = scratch();
		writeFileSync(join(top, "file"), "");
		const places = { app: true, "drive/app": false, "file/app": false, ["x".repeat(300)]: false };
		for (const [name, expected] of Object.entries(places)) {
			const root = join(top, name);
			knowing(root);
			expect(isGone({ key: "p", root, made: "1:2", was: [], remotes: [] }), name).toBe(expected);
		}
	});
});
