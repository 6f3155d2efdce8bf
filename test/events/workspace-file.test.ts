import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { at } from "./compaction-session.ts";

beforeEach(() => at.configure({ workspaceFile: { enabled: true } }));

const file = (folder = at.project): string => join(folder, ".context-checkpoint.md");
const written = (): string[] => readdirSync(at.project).filter((name) => name.startsWith(".context-checkpoint"));
const excludes = (): number =>
	readFileSync(join(at.project, ".git", "info", "exclude"), "utf8")
		.split("\n")
		.filter((line) => line === ".context-checkpoint*.md").length;

test("written, renamed when recovered, kept out of git with one line", () => {
	at.git("init", "-q");
	const transcript = at.session();
	for (let i = 0; i < 2; i++) {
		at.compact(transcript);
		expect(written()).toContain(".context-checkpoint.md");
		at.start("compact");
		expect(written()).toEqual([".context-checkpoint.recovered.md"]);
		at.later(10);
	}
	const recovered = readFileSync(join(at.project, ".context-checkpoint.recovered.md"), "utf8");
	expect(recovered).toContain("Never touch src/legacy.");
	expect([at.git("status", "--porcelain"), excludes()]).toEqual(["", 1]);
});

test("in a worktree too, where .git is a file; .gitignore stays as it is", () => {
	at.git("init", "-q");
	writeFileSync(join(at.project, ".gitignore"), "dist");
	at.git("add", ".");
	at.git("commit", "-qm", "first");
	const tree = join(at.top, "tree");
	at.git("worktree", "add", "-q", tree);
	at.compact(at.session(), { cwd: tree });
	expect(readFileSync(file(tree), "utf8")).toContain("git branch `tree`");
	expect([at.git("-C", tree, "status", "--porcelain"), excludes()]).toEqual(["", 1]);
	expect(readFileSync(join(at.project, ".gitignore"), "utf8")).toBe("dist");
	expect(at.start("compact", { cwd: tree })).toMatch(/^ccg recovery/);
});

test("as it comes it is off: nothing is written into the project, and a file of that name stays as it is", () => {
	at.git("init", "-q");
	rmSync(join(at.store, "config.json"));
	at.compact(at.session());
	expect([written(), excludes()]).toEqual([[], 0]);
	writeFileSync(file(), "mine");
	const block = at.start("compact")!;
	expect(written()).toEqual([".context-checkpoint.md"]);
	// the block names the checkpoint in the store instead, and the call that reads it finds it
	at.send(preToolUse);
	const named = /\/\S+\/checkpoints\/\S+\.md/.exec(block)?.[0];
	expect(readFileSync(named!, "utf8")).toContain("Never touch src/legacy.");
});

test("a link in its place is replaced, its target left alone", () => {
	const target = join(at.top, "precious");
	writeFileSync(target, "precious");
	symlinkSync(target, file());
	at.compact(at.session());
	expect(readFileSync(target, "utf8")).toBe("precious");
	expect(readFileSync(file(), "utf8")).toContain("Never touch");
});

test("a project that can't be written to costs only this file", () => {
	mkdirSync(join(file(), "x"), { recursive: true });
	expect(at.compact(at.session())).toMatch(/^ccg: /);
	expect(at.failures).toHaveLength(1);
	expect(at.start("compact")).toMatch(/^ccg recovery/);
});

describe("neither checkpoint nor transcript", () => {
	beforeEach(() => {
		at.compact(at.session());
		at.forget("checkpoints");
		rmSync(at.transcript);
	});

	test("a fresh workspace file of this session gives the block, once", () => {
		expect(at.start("compact", { session_id: "s-2" })).toBeNull();
		expect(existsSync(file())).toBe(true);
		expect(at.start("compact")).toContain("Never touch src/legacy.");
		expect(at.start("compact")).toBeNull();
	});

	const ELEVEN_MINUTES_AGO = Date.now() / 1000 - 11 * 60;
	test.each<[string, () => void]>([
		["old", () => utimesSync(file(), ELEVEN_MINUTES_AGO, ELEVEN_MINUTES_AGO)],
		["changed by one letter", () => writeFileSync(file(), `${readFileSync(file(), "utf8")}.`)],
		["written by somebody else", () => writeFileSync(file(), "# Checkpoint of session s-1\n- Session: s-1\n")],
		["known to no store", () => rmSync(at.store, { recursive: true })],
		["switched off since", () => at.configure({ workspaceFile: { enabled: false } })],
	])("one that is %s is not replayed and stays", (_, change) => {
		change();
		expect(at.start("compact")).toBeNull();
		expect(existsSync(file())).toBe(true);
	});
});
