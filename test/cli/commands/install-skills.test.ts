import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withLauncher } from "../../../src/install/skill-files.ts";
import { REPO } from "../../kit/sandbox.ts";
import { settingsHome, TEXT } from "../../kit/settings-home.ts";

const NAMES = ["checkpoint", "context-guardian", "look-up", "memory", "recall", "report", "restore", "task"];
const PATHS = ["agents/context-guardian.md", ...NAMES.map((name) => `commands/ccg/${name}.md`)];

/** A home, and `ccg install` with an installation whose skills may be changed. */
function home(name = "ccg", text: string | null = TEXT) {
	const at = settingsHome(text);
	const root = join(at.folder, ".claude");
	const launcher = join(at.folder, name, "bin", "ccg");
	for (const folder of ["skills", "agents"])
		cpSync(join(REPO, folder), join(at.folder, name, folder), { recursive: true });
	const path = (file: string): string => join(root, file);
	return {
		...at,
		root,
		launcher,
		told: join(at.folder, ".claude-memory", "ccg"),
		file: path,
		read: (file: string) => readFileSync(path(file), "utf8"),
		there: () => PATHS.filter((file) => existsSync(path(file))),
		install: (...args: string[]) => at.run(["install", "--claude-version", "2.1.330", ...args], { launcher }),
		uninstall: (...args: string[]) => at.run(["uninstall", "--yes", ...args], { launcher }),
	};
}

test("--dry-run shows every file and writes none; without a terminal --yes is asked for with --skills", async () => {
	const at = home();
	const { out } = await at.install("--skills", "--dry-run");
	for (const file of PATHS) expect(out).toContain(`+++ ${at.file(file)}`);
	expect(out).toContain("/ccg:checkpoint, /ccg:context-guardian, /ccg:look-up, /ccg:memory, ");
	const asked = await at.install("--skills");
	expect([asked.code, asked.err.includes("--skills --yes"), at.there()]).toEqual([2, true, []]);
});

test("the files name the launcher and grant it alone; once more changes nothing; uninstall leaves no trace", async () => {
	const at = home();
	const before = readdirSync(at.root);
	expect((await at.install("--skills", "--yes")).out).toContain("Wrote 9 files");
	expect(at.there()).toEqual(PATHS);
	const text = at.read("commands/ccg/checkpoint.md");
	expect(text).toContain(`allowed-tools: Bash(${at.told} checkpoint save:*)`);
	expect(text).toContain(`    ${at.told} checkpoint save --session \${CLAUDE_SESSION_ID} -- 'NOTE'`);
	expect(text).not.toMatch(/^name:/m);
	expect(at.read("agents/context-guardian.md")).toMatch(/^---\nname: context-guardian\n/);
	expect((await at.install("--skills", "--yes")).out).toContain(`Already up to date: ${at.path}, ${at.root}`);
	await at.uninstall();
	expect([readdirSync(at.root), readFileSync(at.path, "utf8")]).toEqual([before, TEXT]);
	expect(readdirSync(join(at.folder, ".claude-memory", "install"))).toEqual([]);
});

test("where there was no folder of Claude Code's there is none again", async () => {
	const at = home("ccg", null);
	rmSync(at.root, { recursive: true });
	await at.install("--skills", "--yes");
	expect(at.there()).toEqual(PATHS);
	await at.uninstall();
	expect(existsSync(at.root)).toBe(false);
});

test("what is the user's own, or was edited, or lies behind a link stays and is named", async () => {
	const at = home();
	mkdirSync(at.file("commands/ccg"), { recursive: true });
	writeFileSync(at.file("commands/ccg/task.md"), "my own");
	const first = await at.install("--skills", "--yes");
	expect(first.out).toContain(`${at.file("commands/ccg/task.md")} stays as it is: it is not ccg's`);
	writeFileSync(at.file("commands/ccg/report.md"), "edited");
	rmSync(at.file("commands/ccg/memory.md"));
	const elsewhere = join(at.folder, "elsewhere.md");
	writeFileSync(elsewhere, at.read("commands/ccg/recall.md"));
	rmSync(at.file("commands/ccg/recall.md"));
	symlinkSync(elsewhere, at.file("commands/ccg/recall.md"));
	const again = await at.install("--skills", "--yes");
	expect(again.out).toContain("report.md stays as it is: it was edited since");
	expect(at.there()).toContain("commands/ccg/memory.md");
	const { out } = await at.uninstall();
	expect(out).toContain("report.md stays as it is: it was edited since");
	expect(out).toContain("recall.md stays as it is: it is a symbolic link");
	expect(at.there()).toEqual(["recall", "report", "task"].map((name) => `commands/ccg/${name}.md`));
	expect([at.read("commands/ccg/task.md"), existsSync(elsewhere)]).toEqual(["my own", true]);
});

test("a folder that is a link is not written through", async () => {
	const at = home();
	const target = join(at.folder, "dotfiles");
	mkdirSync(target);
	symlinkSync(target, at.file("commands"));
	const { out } = await at.install("--skills", "--yes");
	expect(out).toContain(`${at.file("commands")} is a symbolic link`);
	expect([readdirSync(target), at.there()]).toEqual([[], ["agents/context-guardian.md"]]);
});

test("a newer ccg renews its files and takes away those it has no more; one killed between two versions too", async () => {
	const at = home();
	await at.install("--skills", "--yes");
	const source = join(at.folder, "ccg", "skills", "report", "SKILL.md");
	writeFileSync(source, `${readFileSync(source, "utf8")}\nMore.\n`);
	rmSync(join(at.folder, "ccg", "skills", "task"), { recursive: true });
	const before = at.read("commands/ccg/report.md");
	expect((await at.install("--skills", "--yes")).out).toContain("+More.");
	expect(at.there()).not.toContain("commands/ccg/task.md");
	// the receipt has the new checksum, the file still the old bytes, and the temp file of the write is there
	writeFileSync(at.file("commands/ccg/.report.md.4711.abc.tmp"), "half");
	writeFileSync(at.file("commands/ccg/report.md"), before);
	expect((await at.install("--skills", "--yes")).out).toContain("Wrote 1 file");
	await at.uninstall();
	expect(readdirSync(at.root)).toEqual(["settings.json"]);
});

test("another scope is refused; of another scope uninstall leaves them", async () => {
	const at = home();
	const refused = await at.install("--skills", "--scope", "local", "--yes");
	expect([refused.code, at.there()]).toEqual([1, []]);
	await at.install("--skills", "--yes");
	await at.uninstall("--scope", "local");
	expect(at.there()).toEqual(PATHS);
});

test.each([
	["Bash(ccg report:*)", "Bash(/x/bin/ccg report:*)"],
	["run `ccg task`, by the ccg halt gate", "run `/x/bin/ccg task`, by the ccg halt gate"],
	["       ccg task ensure", "       /x/bin/ccg task ensure"],
	["description: with `ccg task`", "description: with `ccg task`"],
])("%s", (text, wanted) => expect(withLauncher(text, "/x/bin/ccg")).toBe(wanted));

test("a launcher that a grant can't name gets none", () => {
	const odd = "/x y'; touch z/bin/ccg";
	const text = withLauncher("allowed-tools: Bash(ccg report:*)\nRun `ccg report`", odd);
	expect(text).toBe("Run `'/x y'\\''; touch z/bin/ccg' report`");
});
