import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { at } from "./compaction-session.ts";

describe("the workspace file", () => {
	beforeEach(() => at.configure({ workspaceFile: { enabled: true } }));

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
		expect(readFileSync(join(at.project, ".context-checkpoint.recovered.md"), "utf8")).toContain(
			"Never touch src/legacy.",
		);
		expect(at.git("status", "--porcelain")).toBe("");
		expect(excludes()).toBe(1);
	});

	test("in a worktree too, where .git is a file; .gitignore stays as it is", () => {
		at.git("init", "-q");
		writeFileSync(join(at.project, ".gitignore"), "dist");
		at.git("add", ".");
		at.git("commit", "-qm", "first");
		const tree = join(at.top, "tree");
		at.git("worktree", "add", "-q", tree);
		at.compact(at.session(), { cwd: tree });
		expect(existsSync(join(tree, ".context-checkpoint.md"))).toBe(true);
		expect(at.git("-C", tree, "status", "--porcelain")).toBe("");
		expect(excludes()).toBe(1);
		expect(readFileSync(join(at.project, ".gitignore"), "utf8")).toBe("dist");
		expect(readFileSync(join(tree, ".context-checkpoint.md"), "utf8")).toContain("git branch `tree`");
		expect(at.start("compact", { cwd: tree })).toMatch(/^ccg recovery/);
	});

	test("as it comes it is off: nothing is written into the project, and a file of that name stays as it is", () => {
		at.git("init", "-q");
		rmSync(join(at.store, "config.json"));
		at.compact(at.session());
		expect(written()).toEqual([]);
		expect(excludes()).toBe(0);
		writeFileSync(join(at.project, ".context-checkpoint.md"), "mine");
		const block = at.start("compact")!;
		expect(block).toMatch(/^ccg recovery/);
		expect(written()).toEqual([".context-checkpoint.md"]);
		// the block names the checkpoint in the store instead, and the call that reads it finds it
		at.send(preToolUse);
		const named = /\/\S+\/checkpoints\/\S+\.md/.exec(block)?.[0];
		expect(readFileSync(named!, "utf8")).toContain("Never touch src/legacy.");
	});

	test("a link in its place is replaced, its target left alone", () => {
		const target = join(at.top, "precious");
		writeFileSync(target, "precious");
		symlinkSync(target, join(at.project, ".context-checkpoint.md"));
		at.compact(at.session());
		expect(readFileSync(target, "utf8")).toBe("precious");
		expect(readFileSync(join(at.project, ".context-checkpoint.md"), "utf8")).toContain("Never touch");
	});

	test("a project that can't be written to costs only this file", () => {
		mkdirSync(join(at.project, ".context-checkpoint.md", "x"), { recursive: true });
		expect(at.compact(at.session())).toMatch(/^ccg: /);
		expect(at.failures).toHaveLength(1);
		expect(at.start("compact")).toMatch(/^ccg recovery/);
	});
});
