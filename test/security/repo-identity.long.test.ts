import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ccg, hook } from "../kit/sandbox.ts";
import { attacksOf, contextOf, plant } from "./kit.ts";
import { type RepoSandbox, repoSandbox, told, withRepository } from "./repo-fixture.ts";

const NOTE = "VICTIM-NOTE the ports are in config/ports.yaml";
const BRANCH = "victim-branch";
const COMMIT = "victim-commit";

/** A sandbox with another project of the user's, which has a note, a branch and a commit of its own. */
async function withVictim(): Promise<{ at: RepoSandbox; victim: string }> {
	const at = repoSandbox();
	const victim = join(at.top, "victim");
	plant(at, `git init -q -b ${BRANCH} ${victim}; cd ${victim}; echo x >file; git add -A; git commit -qm ${COMMIT}`);
	expect(await saveIn(at, victim, NOTE)).toMatchObject({ code: 0 });
	return { at, victim };
}

/** Saves a note as a person does, in a terminal: in a session it would go to the session's project. */
const saveIn = (at: RepoSandbox, cwd: string, note: string) => ccg(at, ["memory", "save", note], { cwd, env: PERSON });
const PERSON = { CLAUDE_PROJECT_DIR: "", CLAUDE_CODE_SESSION_ID: "" };
const shownIn = async (at: RepoSandbox, cwd: string) =>
	(await ccg(at, ["memory", "list", "memory"], { cwd, env: PERSON })).out;

/** What a session in a folder is told of the other project's: notes, branch, commits. */
async function seen(at: RepoSandbox, cwd: string): Promise<string[]> {
	const env = { CLAUDE_PROJECT_DIR: cwd };
	const fields = { hook_event_name: "SessionStart", source: "startup" };
	const start = contextOf((await hook(at, "session-start", fields, { cwd, env })).out);
	const list = await ccg(at, ["memory", "list", "memory"], { cwd, env });
	const inside = { ...at, project: cwd, env: { ...at.env, ...env } };
	const all = `${start}\n${list.out}\n${await told(inside)}`;
	return [NOTE, BRANCH, COMMIT].filter((text) => all.includes(text));
}

describe("another project's notes, branch and commits are not seen by", () => {
	test.each(attacksOf("claims"))("%s", async (_, script) => {
		const { at, victim } = await withVictim();
		const cwd = plant(at, script, { VICTIM: victim }) || at.project;
		expect(await seen(at, cwd)).toEqual([]);
	});

	test("harmless: a real linked worktree is one", async () => {
		const { at, victim } = await withVictim();
		const tree = join(at.top, "tree");
		at.gitIn(victim, "worktree", "add", "-q", "-b", `${BRANCH}-2`, tree);
		expect(await seen(at, tree)).toEqual([NOTE, BRANCH]);
	});

	test("harmless: a submodule has its own notes, and its branch is told", async () => {
		const { at, victim } = await withVictim();
		withRepository(at);
		at.git("submodule", "--quiet", "add", victim, "lib");
		const lib = join(at.project, "lib");
		await saveIn(at, lib, "of the library");
		expect(await shownIn(at, lib)).toContain("of the library");
		expect(await shownIn(at, at.project)).not.toContain("of the library");
		expect(await seen(at, lib)).toContain(BRANCH);
	});
});

/** Whether a note saved in one folder is shown in another. */
async function joined(at: RepoSandbox, one: string, other: string): Promise<boolean> {
	for (const folder of [one, other]) mkdirSync(folder, { recursive: true });
	await saveIn(at, one, "JOINED-NOTE");
	return (await shownIn(at, other)).includes("JOINED-NOTE");
}

describe("unrelated folders are not one project by", () => {
	test.each(attacksOf("parents"))("%s", async (_, script) => {
		const at = repoSandbox();
		const parent = join(at.top, "shared");
		mkdirSync(parent);
		plant(at, script, { PARENT: parent });
		expect(await joined(at, join(parent, "one"), join(parent, "other"))).toBe(false);
	});

	test.each(["home", "."])("a repository at the home folder or above it: %s", async (folder) => {
		const at = repoSandbox();
		at.gitIn(join(at.top, folder), "init", "-q");
		expect(await joined(at, join(at.home, "code/one"), join(at.home, "code/other"))).toBe(false);
		expect(await joined(at, at.home, join(at.home, "third"))).toBe(false);
	});

	test("harmless: folders of one repository are one project", async () => {
		const at = repoSandbox();
		withRepository(at);
		expect(await joined(at, at.project, join(at.project, "dir"))).toBe(true);
	});
});

test.each(attacksOf("names in the home folder"))(
	"names in the home folder do not reach the model by %s",
	async (_, script) => {
		const at = repoSandbox();
		withRepository(at);
		at.write(join(at.home, "client-of-mine.kdbx"), "x");
		plant(at, script);
		const text = await told(at);
		expect(text).toContain("Never push to main.");
		expect(text).not.toContain("client-of-mine");
	},
);
