import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { applyCopy } from "../../src/install/copy-plan.ts";
import { launcherPath } from "../../src/install/launcher.ts";
import { currentCopy, makeCopy, packageIn, recompile } from "../../src/install/own-copy.ts";
import { oldCopies } from "../../src/store/upkeep/gc.ts";
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
	put("node_modules/@oven/bun-test/bin/bun", "the runtime");
});
const copy = (runtime = process.execPath) => makeCopy({ from: packageIn(source)!, app, runtime });

test("a copy holds what runs, under the name of its version, and is named through `current`", async () => {
	const made = await copy(join(source, "node_modules/@oven/bun-test/bin/bun"));
	expect(made.launcher).toBe(join(app, "current/bin/ccg"));
	expect(made.folder).toMatch(/\/app\/1\.2\.3-[0-9a-f]{12}$/);
	expect(fs.readdirSync(made.folder).sort().join(" ")).toBe("bin copy.json dist node_modules package.json skills");
	expect(fs.statSync(made.launcher).mode & 0o777).toBe(0o700);
	// 100 MB are not there twice
	expect(fs.statSync(join(made.folder, "node_modules/@oven/bun-test/bin/bun")).nlink).toBe(2);
	expect(made.facts).toMatchObject({ ccg: "1.2.3", from: source, compiled: null });
	expect(launcherPath([join(made.folder, "dist/src/cli")], dirname(app))).toBe(made.launcher);
	expect(currentCopy(app)).toEqual(made);
});

test("a new version comes beside the old one, which goes a week after it was replaced", async () => {
	const old = await copy();
	put("dist/hooks/stop.js", BUNDLE.replace("42", "43"));
	const made = await copy();
	expect(made.folder).not.toBe(old.folder);
	expect(fs.readFileSync(join(app, "current/dist/hooks/stop.js"), "utf8")).toContain("43");
	expect(fs.existsSync(join(old.folder, "dist/hooks/stop.js"))).toBe(true);
	const now = Date.now();
	expect(oldCopies(root, new Date(now + 6 * 86_400_000))).toEqual([]);
	expect(oldCopies(root, new Date(now + 8 * 86_400_000))).toEqual([old.folder]);
	// back to the one before
	put("dist/hooks/stop.js", BUNDLE);
	expect((await copy()).folder).toBe(old.folder);
	expect(oldCopies(root, new Date(now + 8 * 86_400_000))).toEqual([made.folder]);
});

test("a copy without its facts is made again", async () => {
	const first = await copy();
	fs.rmSync(join(first.folder, "copy.json"));
	expect(currentCopy(app)).toBeNull();
	expect(await copy()).toEqual(first);
});

test("what can't be copied leaves the one before at work", async () => {
	const before = await copy();
	put("dist/hooks/stop.js", BUNDLE.replace("42", "43"));
	const from = packageIn(source)!;
	fs.rmSync(join(source, "dist/hooks/stop.js"));
	await expect(makeCopy({ from, app, runtime: "" })).rejects.toThrow("ENOENT");
	expect(currentCopy(app)).toEqual(before);
	expect(fs.readdirSync(app).sort()).toEqual([before.folder.slice(app.length + 1), "current"]);
});

test("where no program starts nothing is put to work", async () => {
	const before = await copy();
	put("bin/ccg", "#!/nowhere/sh\necho ran\n");
	await expect(applyCopy({ from: packageIn(source)!, root, app }, "")).rejects.toThrow(
		"no program can be started there; is it mounted with noexec",
	);
	expect(currentCopy(app)).toEqual(before);
});

test("one program is made of Bun and all bundles, in a copy of its own; no folder above reaches in", async () => {
	put("dist/hooks/stop.js.jsc", "bytecode of a clone's own build");
	put(".new-1-abcdef/half", "made", app);
	put("tsconfig.json", '{"compilerOptions":{"baseUrl":".","paths":{"*":["./e.ts"],"/*":["./e.ts"]}}}', root);
	put("e.ts", 'console.log("planted")', root);
	const plain = await copy();
	const fast = await recompile(app, plain);
	expect(fast.folder).toBe(`${plain.folder}-bun${Bun.version}`);
	expect(fast.facts).toEqual({ ...plain.facts, compiled: Bun.version });
	expect(fs.readdirSync(fast.folder).sort().join(" ")).toBe("bin compiled copy.json dist package.json skills");
	expect(fs.readdirSync(join(fast.folder, "dist/hooks"))).toEqual(["stop.js"]);
	const [program] = fs.globSync(join(fast.folder, "compiled/*/ccg"));
	const ran = Bun.spawnSync([program!, "hooks/stop", "--inspect"], { cwd: root, env: {} });
	expect([ran.stdout.toString(), ran.exitCode]).toEqual(["42\n", 0]);
	const exits = BUNDLE.replace("exports.answer = 42", "process.exit(3)");
	for (const [text, why] of [
		[exits, "does not start"],
		["of another form", "Bundle failed"],
	] as const) {
		put("dist/src/cli/main.js", text);
		const broken = await copy();
		await expect(recompile(app, broken)).rejects.toThrow(why);
		expect(currentCopy(app)).toEqual(broken);
	}
	expect(fs.readdirSync(app).filter((name) => name.startsWith("."))).toEqual([]);
});

test("an install compiles with what runs it, and where that fails it copies Bun and bundles", async () => {
	const install = (runtime?: string) => applyCopy({ from: packageIn(source)!, root, app }, runtime);
	const bun = join(source, "node_modules/@oven/bun-test/bin/bun");
	expect((await install()).facts.compiled).toBe(Bun.version);
	// the Bun of a package that was brought: the new version compiles itself
	const brought = await install(bun);
	expect([brought.facts.compiled, fs.existsSync(join(brought.folder, "node_modules"))]).toEqual([null, true]);
	put("dist/src/cli/main.js", "of another form");
	expect((await install()).facts.compiled).toBe(null);
});

test("a clone that was never built is not copied, and links in a package lead nowhere", async () => {
	fs.symlinkSync("/etc/passwd", join(source, "skills/passwd"));
	const made = await copy();
	expect(fs.existsSync(join(made.folder, "skills/passwd"))).toBe(false);
	expect(fs.lstatSync(join(made.folder, "skills/a/SKILL.md")).isFile()).toBe(true);
	fs.rmSync(join(source, "dist"), { recursive: true });
	expect(packageIn(source)).toBeNull();
});
