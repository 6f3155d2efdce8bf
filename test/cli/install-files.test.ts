import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makePlugin } from "../../scripts/make-plugin.ts";
import { runCcg } from "../kit/ccg.ts";
import { ccg, REPO, type Sandbox, sandbox } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

const NAMES = ["checkpoint", "context-guardian", "look-up", "memory", "recall", "report", "restore", "task"];
const PATHS = ["agents/context-guardian.md", ...NAMES.map((name) => `commands/ccg/${name}.md`)];

/** A home, and `ccg install` with an installation whose skills may be changed. */
function home() {
	const folder = scratch("cli");
	const root = join(folder, ".claude");
	const launcher = join(folder, "ccg/bin/ccg");
	mkdirSync(root);
	for (const name of ["skills", "agents"]) cpSync(join(REPO, name), join(folder, "ccg", name), { recursive: true });
	const run = (line: string) => runCcg(line.split(" "), { env: { HOME: folder }, cwd: folder, launcher });
	return {
		folder,
		root,
		file: (name: string) => join(root, name),
		read: (name: string) => readFileSync(join(root, name), "utf8"),
		there: () => PATHS.filter((name) => existsSync(join(root, name))),
		install: (more = "--yes") => run(`install --skills ${more}`),
		uninstall: () => run("uninstall --yes"),
	};
}

test("--skills: the files name the launcher and grant it alone; once more changes nothing; uninstall leaves no trace", async () => {
	const at = home();
	const shown = await at.install("--dry-run");
	for (const name of PATHS) expect(shown.out).toContain(`+++ ${at.file(name)}`);
	expect(at.there()).toEqual([]);
	expect(shown.out).toContain("The user wants a checkpoint");
	const { out } = await at.install();
	for (const name of PATHS) expect(out).toContain(`\n+ ${at.file(name)}\n`);
	expect(out).not.toContain("The user wants a checkpoint");
	expect(out).toContain("Wrote 9 files");
	const told = join(at.folder, ".claude-memory", "ccg");
	const text = at.read("commands/ccg/checkpoint.md");
	expect(text).toContain(`allowed-tools: Bash(${told} checkpoint save:*)`);
	expect(text).toContain(`    ${told} checkpoint save --session \${CLAUDE_SESSION_ID} -- 'NOTE'`);
	expect(text).not.toMatch(/^name:/m);
	expect(at.read("commands/ccg/report.md")).toContain(`Bash(${told} show latest --as report:*)`);
	expect((await at.install()).out).toContain("Already up to date");
	await at.uninstall();
	expect(existsSync(at.root) ? readdirSync(at.root) : []).toEqual([]);
});

test("install and uninstall, any number of times: the files of before, and nothing besides", async () => {
	const folders = ["commands/ccg", "commands", "agents", "commands/ccg/own", "skills"];
	const files = ["settings.json", "agents/mine.md", "commands/mine.md"];
	await fc.assert(
		fc.asyncProperty(fc.subarray(folders), fc.subarray(files), fc.boolean(), async (made, written, isBare) => {
			const at = home();
			if (isBare) rmSync(at.root, { recursive: true });
			for (const name of made) mkdirSync(at.file(name), { recursive: true });
			for (const name of written) {
				mkdirSync(dirname(at.file(name)), { recursive: true });
				writeFileSync(at.file(name), "{}");
			}
			const there = () => (existsSync(at.root) ? readdirSync(at.root, { recursive: true }).map(String) : []);
			const before = there();
			await at.install();
			expect(at.there()).toEqual(PATHS);
			await at.install("--yes --allow");
			await at.uninstall();
			const left = there();
			// folders that are left empty go
			expect(
				before.filter((name) => name.endsWith(".md") || name.endsWith(".json")).every((name) => left.includes(name)),
			).toBe(true);
			expect(left.filter((name) => !before.includes(name))).toEqual([]);
		}),
		{ numRuns: 25 },
	);
});

test("what is the user's own, or was edited, or lies behind a link stays and is named", async () => {
	const at = home();
	mkdirSync(at.file("commands/ccg"), { recursive: true });
	writeFileSync(at.file("commands/ccg/task.md"), "my own");
	expect((await at.install()).out).toContain("task.md stays as it is");
	writeFileSync(at.file("commands/ccg/report.md"), "edited");
	rmSync(at.file("commands/ccg/memory.md"));
	const elsewhere = join(at.folder, "elsewhere.md");
	writeFileSync(elsewhere, at.read("commands/ccg/recall.md"));
	rmSync(at.file("commands/ccg/recall.md"));
	symlinkSync(elsewhere, at.file("commands/ccg/recall.md"));
	expect((await at.install()).out).toContain("report.md stays as it is");
	expect(at.there()).toContain("commands/ccg/memory.md");
	expect((await at.uninstall()).out).toContain("recall.md stays as it is");
	expect(at.there()).toEqual(["recall", "report", "task"].map((name) => `commands/ccg/${name}.md`));
	const linked = home();
	mkdirSync(join(linked.folder, "dotfiles"));
	symlinkSync(join(linked.folder, "dotfiles"), linked.file("commands"));
	await linked.install();
	expect([readdirSync(join(linked.folder, "dotfiles")), linked.there()]).toEqual([[], ["agents/context-guardian.md"]]);
});

test("a newer ccg renews its files and takes away those it has no more; one killed between two versions too", async () => {
	const at = home();
	await at.install();
	const source = join(at.folder, "ccg", "skills", "report", "SKILL.md");
	writeFileSync(source, `${readFileSync(source, "utf8")}\nMore.\n`);
	rmSync(join(at.folder, "ccg", "skills", "task"), { recursive: true });
	const before = at.read("commands/ccg/report.md");
	// (it is ccg's whole: its bits are too)
	chmodSync(at.file("commands/ccg/report.md"), 0o444);
	expect((await at.install()).out).toMatch(/^~ .*report\.md$/m);
	expect(statSync(at.file("commands/ccg/report.md")).mode & 0o777).toBe(0o600);
	expect(at.there()).not.toContain("commands/ccg/task.md");
	// a file still has the old bytes, and the temp file of the write is there
	writeFileSync(at.file("commands/ccg/.report.md.4711.abc.tmp"), "half");
	writeFileSync(at.file("commands/ccg/report.md"), before);
	expect((await at.install()).out).toContain("Wrote 1 file");
});

const root = join(scratch("plugin"), "ccg");
makePlugin(root);
// bytecode of all takes four seconds of work
for (const folder of ["src", "hooks"]) rmSync(join(root, "dist", folder), { recursive: true });

/** A home in which Claude Code has installed the plugin; `settings` are the user's. */
function withPlugin(settings: object, id = "ccg@a"): Sandbox & { user: string; data: string; text(): string } {
	const at = sandbox();
	const claude = join(at.home, ".claude");
	const write = (path: string, value: object): void => {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, JSON.stringify(value));
	};
	const records = { [id]: [{ scope: "user", installPath: root, version: "0.1.0" }] };
	write(join(claude, "plugins", "installed_plugins.json"), { version: 2, plugins: records });
	write(join(claude, "settings.json"), settings);
	write(join(at.project, ".claude", "settings.json"), { enabledPlugins: { "ccg@evil": true } });
	const user = join(claude, "settings.json");
	const data = join(claude, "plugins", "data", id.replace("@", "-"));
	return { ...at, user, data, text: () => readFileSync(user, "utf8") };
}

test("--status-line of a plugin: shows the line, adds it around the user's own, and gives the file back to the byte", async () => {
	const at = withPlugin({ enabledPlugins: { "ccg@a": true }, statusLine: { type: "command", command: "echo mine" } });
	const before = at.text();
	const { out, code } = await ccg(at, ["install", "--status-line", "--dry-run"]);
	expect([code, at.text(), existsSync(at.data)]).toEqual([0, before, false]);
	expect(out).toContain("Its command: echo mine");
	expect((await ccg(at, ["install", "--status-line"])).err).toContain("add --yes");
	expect((await ccg(at, ["install", "--status-line", "--yes"])).out).toContain("the status line");
	const { statusLine, hooks } = JSON.parse(at.text());
	const launcher = `${at.data}/app/current/bin/ccg`;
	const word = launcher.replace(at.home, '"$HOME"');
	expect(statusLine.command).toContain(`if [ -x ${word} ]; then ${word} statusline --wrap`);
	expect([hooks, existsSync(launcher)]).toEqual([undefined, true]);
	expect((await ccg(at, ["install", "--status-line", "--yes"])).out).toContain("Already set up");
	await ccg(at, ["uninstall", "--status-line", "--yes"]);
	expect(at.text()).toBe(before);
});

const ON = { enabledPlugins: { "ccg@a": true } };
test.each<[string, object, string, string[], string]>([
	["hooks of ccg install are there", ON, "ccg@a", ["install", "--yes"], "nothing to set up"],
	["no plugin is enabled", {}, "ccg@a", ["status"], "no plugin of ccg's is installed and enabled"],
	["only a repository's settings enable it", {}, "ccg@evil", ["status"], "no plugin of ccg's"],
])("--status-line changes nothing where %s", async (_, settings, id, first, said) => {
	const at = withPlugin(settings, id);
	await ccg(at, first);
	const before = at.text();
	const { out, err } = await ccg(at, ["install", "--status-line", "--yes"]);
	expect([at.text(), out + err]).toEqual([before, expect.stringContaining(said)]);
});
