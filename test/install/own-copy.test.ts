import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { launcherPath } from "../../src/install/launcher.ts";
import { currentCopy, makeCopy, packageIn, recompile } from "../../src/install/own-copy.ts";
import { oldCopies } from "../../src/store/upkeep/gc.ts";
import { scratch } from "../scratch-home.ts";

const BUNDLE =
	"// @bun @bun-cjs\n(function(exports, require, module, __filename, __dirname) {exports.answer = 42;\nconsole.log(exports.answer)})\n";

let root: string;
let app: string;
let source: string;
const put = (name: string, text: string, folder = source): void => {
	mkdirSync(dirname(join(folder, name)), { recursive: true });
	writeFileSync(join(folder, name), text);
};
beforeEach(() => {
	root = scratch("store");
	app = join(root, "app");
	source = scratch("package");
	put("package.json", '{"name":"claude-context-guard","version":"1.2.3"}');
	put("bin/ccg", "#!/bin/sh\necho ran\n");
	chmodSync(join(source, "bin/ccg"), 0o755);
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
	expect(readdirSync(made.folder).sort().join(" ")).toBe("bin copy.json dist node_modules package.json skills");
	expect(statSync(made.launcher).mode & 0o777).toBe(0o700);
	// 100 MB are not there twice
	expect(statSync(join(made.folder, "node_modules/@oven/bun-test/bin/bun")).nlink).toBe(2);
	expect(made.facts).toMatchObject({ ccg: "1.2.3", from: source, bytecode: null });
	expect(launcherPath([join(made.folder, "dist/src/cli")])).toBe(made.launcher);
	expect(currentCopy(app)).toEqual(made);
});

test("a new version comes beside the old one, which goes a week after it was replaced", async () => {
	const old = await copy();
	put("dist/hooks/stop.js", BUNDLE.replace("42", "43"));
	const made = await copy();
	expect(made.folder).not.toBe(old.folder);
	expect(readFileSync(join(app, "current/dist/hooks/stop.js"), "utf8")).toContain("43");
	expect(existsSync(join(old.folder, "dist/hooks/stop.js"))).toBe(true);
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
	rmSync(join(first.folder, "copy.json"));
	expect(currentCopy(app)).toBeNull();
	expect(await copy()).toEqual(first);
});

test("what can't be copied leaves the one before at work", async () => {
	const before = await copy();
	put("dist/hooks/stop.js", BUNDLE.replace("42", "43"));
	const from = packageIn(source)!;
	rmSync(join(source, "dist/hooks/stop.js"));
	await expect(makeCopy({ from, app, runtime: "" })).rejects.toThrow("ENOENT");
	expect(currentCopy(app)).toEqual(before);
	expect(readdirSync(app).sort()).toEqual([before.folder.slice(app.length + 1), "current"]);
});

test("bytecode is made by the Bun that runs, in a copy of its own", async () => {
	const plain = await copy();
	const fast = await recompile(app, plain);
	expect(fast.folder).toBe(`${plain.folder}-bun${Bun.version}`);
	expect(fast.facts).toEqual({ ...plain.facts, bytecode: Bun.version });
	expect(existsSync(join(fast.folder, "dist/hooks/stop.js.jsc"))).toBe(true);
	expect(Bun.spawnSync([process.execPath, join(fast.folder, "dist/hooks/stop.js")]).stdout.toString()).toBe("42\n");
	expect(readlinkSync(join(app, "current"))).toBe(fast.folder.slice(app.length + 1));
	expect(readdirSync(app).filter((name) => name.startsWith("."))).toEqual([]);
	// a bundle of another form is none
	put("dist/hooks/stop.js", "console.log(1)");
	await expect(recompile(app, await copy())).rejects.toThrow("no bundle");
});

test("a clone that was never built is not copied, and links in a package lead nowhere", async () => {
	symlinkSync("/etc/passwd", join(source, "skills/passwd"));
	const made = await copy();
	expect(existsSync(join(made.folder, "skills/passwd"))).toBe(false);
	expect(lstatSync(join(made.folder, "skills/a/SKILL.md")).isFile()).toBe(true);
	rmSync(join(source, "dist"), { recursive: true });
	expect(packageIn(source)).toBeNull();
});
