import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { keepBackup } from "../../src/install/backup.ts";
import { applyCopy, removeUnusedCopies } from "../../src/install/copy-plan.ts";
import { launcherPath } from "../../src/install/launcher.ts";
import { currentCopy, makeCopy, readPackage } from "../../src/install/own-copy.ts";
import { scratch } from "../scratch-home.ts";

const BUNDLE = `// @bun @bun-cjs
(function(exports, require, module, __filename, __dirname) {exports.answer = 42; console.log(exports.answer)})\n`;

let root: string;
let app: string;
let source: string;
const put = (name: string, text: string, folder = source): void => {
	fs.mkdirSync(dirname(join(folder, name)), { recursive: true });
	fs.writeFileSync(join(folder, name), text);
};
beforeEach(() => {
	root = scratch("store");
	app = join(root, "app");
	source = scratch("package");
	put("package.json", '{"name":"claude-context-guard","version":"1.2.3"}');
	put("bin/ccg", "#!/bin/sh\necho ran\n");
	fs.chmodSync(join(source, "bin/ccg"), 0o755);
	put("dist/src/cli/main.js", BUNDLE);
	put("dist/hooks/stop.js", BUNDLE);
	put("skills/a/SKILL.md", "# a");
	put("src/secret-of-a-clone.ts", "not shipped");
});
const copy = () => makeCopy({ from: readPackage(source)!, app });

test("a copy is one program of Bun and all bundles, named through `current`; no folder above reaches in", async () => {
	put("dist/hooks/stop.js.jsc", "bytecode of a clone's own build");
	put(".new-1-abcdef/half", "made", app);
	put("tsconfig.json", '{"compilerOptions":{"baseUrl":".","paths":{"*":["./e.ts"],"/*":["./e.ts"]}}}', root);
	put("e.ts", 'console.log("planted")', root);
	const made = await copy();
	expect(made.launcher).toBe(join(app, "current/bin/ccg"));
	expect(made.folder).toMatch(/\/app\/1\.2\.3-[0-9a-f]{12}$/);
	expect(fs.readdirSync(made.folder).sort().join(" ")).toBe("bin compiled copy.json dist package.json skills");
	expect(fs.readdirSync(join(made.folder, "dist/hooks"))).toEqual(["stop.js"]);
	expect(fs.statSync(made.launcher).mode & 0o777).toBe(0o700);
	expect(made.manifest).toMatchObject({ ccg: "1.2.3", from: source });
	expect(launcherPath([join(made.folder, "dist/src/cli")], dirname(app))).toBe(made.launcher);
	expect(currentCopy(app)).toEqual(made);
	const [program] = fs.globSync(join(made.folder, "compiled/*/ccg"));
	const ran = Bun.spawnSync([program!, "hooks/stop", "--inspect"], { cwd: root, env: {} });
	expect([ran.stdout.toString(), ran.exitCode]).toEqual(["42\n", 0]);
	expect(fs.readdirSync(app).filter((name) => name.startsWith("."))).toEqual([]);
});

test("a new version comes beside the old one, which goes a week after it was replaced", async () => {
	const old = await copy();
	put("dist/hooks/stop.js", BUNDLE.replace("42", "43"));
	const made = await copy();
	expect(made.folder).not.toBe(old.folder);
	expect(fs.readFileSync(join(app, "current/dist/hooks/stop.js"), "utf8")).toContain("43");
	expect(fs.existsSync(join(old.folder, "dist/hooks/stop.js"))).toBe(true);
	const ago = (days: number): Date => new Date(Date.now() - days * 86_400_000);
	const lasts = async (days: number): Promise<boolean> => {
		fs.utimesSync(old.folder, ago(days), ago(days));
		await copy();
		return fs.existsSync(old.folder);
	};
	expect([await lasts(6), await lasts(8)]).toEqual([true, false]);
	// back to the one before
	put("dist/hooks/stop.js", BUNDLE);
	expect((await copy()).folder).toBe(old.folder);
	expect(fs.existsSync(made.folder)).toBe(true);
	fs.rmSync(join(old.folder, "copy.json"));
	expect(currentCopy(app)).toBeNull();
	expect(await copy()).toEqual(old);
});

test.each<[string, () => void, string]>([
	["a file that is gone", () => fs.rmSync(join(source, "dist/hooks/stop.js")), "there is no such file"],
	[
		"a program that does not start",
		() => put("dist/src/cli/main.js", BUNDLE.replace("exports.answer = 42", "process.exit(3)")),
		"no program can be started there; is it mounted",
	],
	["a bundle of another form", () => put("dist/src/cli/main.js", "of another form"), "no program can be started"],
])("what can't be copied leaves the one before at work: %s", async (_, harm, said) => {
	const before = await copy();
	put("dist/hooks/stop.js", BUNDLE.replace("42", "43"));
	const from = readPackage(source)!;
	harm();
	await expect(applyCopy({ from, root, app })).rejects.toThrow(said);
	expect(currentCopy(app)).toEqual(before);
	expect(fs.readdirSync(app).sort()).toEqual([before.folder.slice(app.length + 1), "current"]);
});

test("a clone that was never built is not copied, and links in a package lead nowhere", async () => {
	fs.symlinkSync("/etc/passwd", join(source, "skills/passwd"));
	const made = await copy();
	expect(fs.existsSync(join(made.folder, "skills/passwd"))).toBe(false);
	expect(fs.lstatSync(join(made.folder, "skills/a/SKILL.md")).isFile()).toBe(true);
	fs.rmSync(join(source, "dist"), { recursive: true });
	expect(readPackage(source)).toBeNull();
});

test.each([
	['"$HOME"/.claude-memory/app/current/bin/ccg hook stop; exit 0', "in use"],
	["HOME/.claude-memory/app/current/bin/ccg hook stop; exit 0", "in use"],
	["/opt/ccg/bin/ccg hook stop; exit 0", "removed"],
])("an uninstall keeps the copy that another settings file starts: %s", (command, expected) => {
	const home = scratch("home");
	const store = join(home, ".claude-memory");
	const local = join(home, "project/.claude/settings.local.json");
	put("app/current/bin/ccg", "", store);
	put("project/.claude/settings.local.json", JSON.stringify({ hooks: command.replace("HOME/", `${home}/`) }), home);
	keepBackup(store, local, null);
	expect(removeUnusedCopies({ env: { HOME: home }, cwd: home })).toBe(expected);
	expect(fs.existsSync(join(store, "app"))).toBe(expected === "in use");
});
