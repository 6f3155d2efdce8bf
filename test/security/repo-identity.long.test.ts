import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ccg, type Sandbox } from "../kit/sandbox.ts";
import { attacksOf, begun, begunInRepository, contextOf, PERSON, plant, play, put, told } from "./kit.ts";

const NOTE = "VICTIM-NOTE the ports are in config/ports.yaml";
const BRANCH = "victim-branch";
const COMMIT = "victim-commit";

/** Runs a script beside another project of the user's, which has a note, a branch and a commit of its own; in the folder it prints. */
async function besideVictim(script: string, at = begun()): Promise<Sandbox> {
	const VICTIM = join(at.top, "victim");
	plant(at, `git init -q -b ${BRANCH} ${VICTIM}; cd ${VICTIM}; echo x >file; git add -A; git commit -qm ${COMMIT}`);
	expect(await saveIn(at, VICTIM, NOTE)).toMatchObject({ code: 0 });
	const project = plant(at, script, { VICTIM }) || at.project;
	return { ...at, project, env: { ...at.env, CLAUDE_PROJECT_DIR: project } };
}

/** Saves a note as a person does, in a terminal: in a session it would go to the session's project. */
const saveIn = (at: Sandbox, cwd: string, note: string) => ccg(at, ["memory", "save", note], { cwd, env: PERSON });
const shownIn = async (at: Sandbox, cwd: string) => (await ccg(at, ["memory", "list"], { cwd, env: PERSON })).out;

/** What a session is told of the other project's: notes, branch, commits. */
async function seen(at: Sandbox): Promise<string[]> {
	const [start, list] = await play(at, "start startup, ccg memory list");
	const all = `${contextOf(start!.out)}\n${list!.out}\n${await told(at)}`;
	return [NOTE, BRANCH, COMMIT].filter((text) => all.includes(text));
}

describe("another project's notes, branch and commits are not seen by", () => {
	test.each(attacksOf("claims"))("%s", async (_, script) => {
		expect(await seen(await besideVictim(script))).toEqual([]);
	});

	test("harmless: a real linked worktree is one", async () => {
		const at = await besideVictim(`git -C $VICTIM worktree add -q -b ${BRANCH}-2 $TOP/tree; echo $TOP/tree`);
		expect(await seen(at)).toEqual([NOTE, BRANCH]);
	});

	test("harmless: a submodule has its own notes, and its branch is told", async () => {
		const script = "git submodule --quiet add $VICTIM lib; echo $PROJECT/lib";
		const at = await besideVictim(script, begunInRepository());
		await saveIn(at, at.project, "of the library");
		expect(await shownIn(at, at.project)).toContain("of the library");
		expect(await shownIn(at, join(at.project, ".."))).not.toContain("of the library");
		expect(await seen(at)).toContain(BRANCH);
	});
});

/** Whether a note saved in one folder is shown in another. */
async function joined(at: Sandbox, one: string, other: string): Promise<boolean> {
	for (const folder of [one, other]) mkdirSync(folder, { recursive: true });
	await saveIn(at, one, "JOINED-NOTE");
	return (await shownIn(at, other)).includes("JOINED-NOTE");
}

describe("unrelated folders are not one project by", () => {
	test.each(attacksOf("parents"))("%s", async (_, script) => {
		const at = begun();
		const parent = join(at.top, "shared");
		mkdirSync(parent);
		plant(at, script, { PARENT: parent });
		expect(await joined(at, join(parent, "one"), join(parent, "other"))).toBe(false);
	});

	test.each(["home", "."])("a repository at the home folder or above it: %s", async (folder) => {
		const at = begun();
		plant(at, `git init -q $TOP/${folder}`);
		expect(await joined(at, join(at.home, "code/one"), join(at.home, "code/other"))).toBe(false);
		expect(await joined(at, at.home, join(at.home, "third"))).toBe(false);
	});

	test("harmless: folders of one repository are one project", async () => {
		const at = begunInRepository();
		expect(await joined(at, at.project, join(at.project, "dir"))).toBe(true);
	});
});

test.each(attacksOf("names in the home folder"))(
	"names in the home folder do not reach the model by %s",
	async (_, script) => {
		const at = begunInRepository();
		put(join(at.home, "client-of-mine.kdbx"), "x");
		plant(at, script);
		const text = await told(at);
		expect(text).toContain("Never push to main.");
		expect(text).not.toContain("client-of-mine");
	},
);
