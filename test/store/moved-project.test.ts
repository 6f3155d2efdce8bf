import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { claudeFolderName } from "../../src/store/paths.ts";
import { findProject, isProjectGone, knownProjects, registerProject } from "../../src/store/project.ts";
import { Transcript } from "../kit/events.ts";
import { gitIn } from "../kit/git.ts";
import { ccg, hook, sandbox } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";
import STORIES from "./moved-folders.json";

const NOTE = "tests run with the odd command";

/** A home with a project `app`, which has a note and a checkpoint; gives ways to begin a session and to run a command in a folder. */
async function home(isGit = true) {
	const made = sandbox();
	const git = (cwd: string, ...args: string[]) => gitIn(cwd, made.top, args);
	const [app, origin] = [join(made.top, "app"), join(made.top, "origin")];
	mkdirSync(join(app, "deep"), { recursive: true });
	if (isGit) {
		git(made.top, "init", "-q", "--bare", origin);
		git(app, "init", "-q");
		git(app, "commit", "-q", "--allow-empty", "-m", "one");
		git(app, "remote", "add", "origin", origin);
		git(app, "push", "-q", "origin", "HEAD");
	}
	/** What the model and the user are told. */
	const start = async (folder: string, sid = "s-1") => {
		const env = { CLAUDE_PROJECT_DIR: folder, CLAUDE_CODE_SESSION_ID: sid };
		const fields = { hook_event_name: "SessionStart", source: "startup" };
		const { out } = await hook({ ...made, sid }, "session-start", fields, { cwd: folder, env });
		const { hookSpecificOutput = {}, systemMessage: user = "" } = out ? JSON.parse(out) : {};
		return { model: String(hookSpecificOutput.additionalContext ?? ""), user: String(user) };
	};
	const run = (cwd: string, args: string[], env = {}) =>
		ccg(made, args, { cwd, env: { CLAUDE_PROJECT_DIR: "", CLAUDE_CODE_SESSION_ID: "", ...env } });
	await start(app);
	await run(app, ["memory", "save", NOTE]);
	const transcripts = join(made.home, ".claude/projects", claudeFolderName(app));
	mkdirSync(transcripts, { recursive: true });
	new Transcript(app).typed("hello").write(join(transcripts, `${made.sid}.jsonl`));
	expect(await run(app, ["checkpoint", "save", "--session", made.sid, "before"])).toMatchObject({ code: 0 });
	const clone = (there: string) => git(made.top, "clone", "-q", origin, there);
	return { top: made.top, app, clone, start, run };
}

test.each([
	["moved below another folder", true, "work/new/app"],
	["outside of git", false, "app 2"],
])("a folder that is %s is the same project, which the user is told once", async (_, isGit, to) => {
	const { top, app, start, run } = await home(isGit);
	const there = join(top, to);
	// (outside of git it is a project of its own)
	await start(join(app, "deep"), "s-9");
	mkdirSync(dirname(there), { recursive: true });
	renameSync(app, there);
	await run(there, ["memory", "save", "another note"]);
	const { model } = await start(there, "s-2");
	for (const note of [NOTE, "another note"]) expect(model).toContain(note);
	expect((await start(there, "s-3")).user).toBe("");
	if (isGit) expect((await run(there, ["checkpoint", "list"])).out).toContain("manual_checkpoint");
	const sessions: { in_this_project: boolean }[] = JSON.parse((await run(there, ["status", "--json"])).out);
	expect(sessions.filter((one) => one.in_this_project)).toHaveLength(isGit ? 4 : 3);
	// once more, and back
	renameSync(there, `${there}-3`);
	const again = await start(`${there}-3`, "s-4");
	expect([again.model, again.user]).toEqual([
		expect.stringContaining(NOTE),
		expect.stringContaining(`this project was in ${there}`),
	]);
	renameSync(`${there}-3`, app);
	expect((await start(app, "s-5")).model).toContain(NOTE);
});

describe("a project that is cloned anew, or copied", () => {
	test.each(["cloned", "copied"])("%s: the user is told, and takes it over by hand", async (how) => {
		const { top, app, clone, start, run } = await home();
		const there = join(top, "again");
		if (how === "cloned") clone(there);
		else cpSync(app, there, { recursive: true });
		rmSync(app, { recursive: true });
		const { model, user } = await start(there, "s-2");
		expect(model).not.toContain(NOTE);
		expect(user).toContain("memory adopt");
		expect((await start(there, "s-3")).user).toBe("");
		const listed = await run(there, ["memory", "adopt"]);
		expect(listed.out).toContain(`${app} (not there now)`);
		const [key] = /app-[0-9a-f]{8}/.exec(listed.out)!;
		expect(await run(there, ["memory", "adopt", key])).toMatchObject({ code: 0 });
		expect((await start(there, "s-4")).model).toContain(NOTE);
		expect((await run(there, ["checkpoint", "list"])).out).toContain("manual_checkpoint");
		// the sessions of both
		const sessions: { in_this_project: boolean }[] = JSON.parse((await run(there, ["status", "--json"])).out);
		expect(sessions.map((one) => one.in_this_project)).toEqual([true, true, true, true]);
	});

	test("not while its folder is there, not by an agent, and not over notes of its own", async () => {
		const { top, app, clone, start, run } = await home();
		const there = join(top, "again");
		clone(there);
		expect(await start(there, "s-2")).toEqual({ model: "", user: "" });
		const [key] = /app-[0-9a-f]{8}/.exec((await run(app, ["memory", "list", "--all"])).out)!;
		const refused = async (why: string, env = {}) =>
			expect(await run(there, ["memory", "adopt", key], env)).toMatchObject({
				code: 1,
				err: expect.stringContaining(why),
			});
		await refused("no project without its folder");
		rmSync(app, { recursive: true });
		await refused("--anyway", { CLAUDECODE: "1" });
		await run(there, ["memory", "save", "my own"]);
		await refused("notes of its own");
	});
});

/** What happens to folders, each a word: `A` a session begins in A, `A>B` A is moved to B, `+A` a new folder A, `-A` it is deleted. */
test.each(Object.entries<Record<string, string>>(STORIES))("%s", (story, expected) => {
	const [top, store] = [scratch(), scratch()];
	process.env.CCG_HOME = store;
	const at = (name: string) => join(top, name);
	for (const word of story.split(" ")) {
		const [from = "", to] = word.split(">");
		if (to) renameSync(at(from), at(to));
		else if (word.startsWith("+")) mkdirSync(at(word.slice(1)));
		else if (word.startsWith("-")) rmSync(at(word.slice(1)), { recursive: true });
		else registerProject(store, at(word));
	}
	const keys = Object.keys(expected).map((name) => [name, findProject(at(name)).key.replace(/-[0-9a-f]{8}/, "")]);
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
		expect(registerProject(store, here)).toEqual({ movedFrom: null, similar: 0 });
		expect([findProject(here).key, knownProjects(store)]).toMatchObject(["p", [{ root }]]);
	});

	test("of a list that somebody broke nothing is known, and it is made anew", () => {
		const here = scratch();
		const store = knowing(here);
		writeFileSync(join(store, "projects.json"), '{"projects":7}');
		expect(findProject(here).key).not.toBe("p");
		registerProject(store, here);
		expect(knownProjects(store)).toMatchObject([{ root: here }]);
	});

	test.runIf(existsSync("/proc/tty"))("a file system without births says nothing", () => {
		const { ino, birthtimeMs } = statSync("/proc/tty");
		expect(birthtimeMs).toBe(0);
		for (const made of [`${ino}:0`, ""]) {
			registerProject(knowing("/no/such/folder", made), "/proc/tty");
			expect(findProject("/proc/tty").key).toMatch(/^tty-/);
		}
	});

	test("a folder is gone where the one above it is there to say so", () => {
		const top = scratch();
		writeFileSync(join(top, "file"), "");
		const places = { app: true, "drive/app": false, "file/app": false, ["x".repeat(300)]: false };
		for (const [name, expected] of Object.entries(places)) {
			const root = join(top, name);
			knowing(root);
			expect(isProjectGone({ key: "p", root, made: "1:2", was: [], remotes: [] }), name).toBe(expected);
		}
	});
});
