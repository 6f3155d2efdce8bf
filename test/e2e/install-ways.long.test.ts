/**
 * What users install: the npm package, packed and installed by npm (scripts/bring-package), in a clean home. Hooks start a copy
 * in the store, so neither an update nor the end of the package stops a session that runs.
 */
import {
	chmodSync,
	chownSync,
	cpSync,
	existsSync,
	globSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { printedBy, runNow } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";
import { claudeSandbox, everything, holding, times } from "./claude-sandbox.ts";
import { bash, says, thenDoes } from "./replies.ts";

const PACKED = process.env.CCG_TEST_PACKAGE ?? "";
const NAME = "claude-context-guard";
const MB = 1024 * 1024;

/** A global npm folder of its own, as the user's prefix; gives its `ccg`. */
function globalFolder(): { folder: string; ccg: string } {
	const prefix = scratch("prefix");
	cpSync(join(PACKED, "global"), prefix, { recursive: true, verbatimSymlinks: true });
	return { folder: join(prefix, "lib", "node_modules", NAME), ccg: join(prefix, "bin", "ccg") };
}

test("the tarball is under 3 MB, and installed with Bun at most 110 MB", () => {
	const [tarball] = readdirSync(PACKED).filter((name) => name.endsWith(".tgz"));
	expect(statSync(join(PACKED, tarball!)).size).toBeLessThan(3 * MB);
	expect(bytesBelow(join(PACKED, "global"))).toBeLessThan(110 * MB);
});

test("installed from npm: a session is guarded, updated while it runs, and goes on when the package is gone", async () => {
	const { folder, ccg } = globalFolder();
	const made = claudeSandbox([], { install: null });
	const { home, project, env } = made;
	const run = (program: string, ...args: string[]): string =>
		printedBy([program, ...args], { cwd: project, env: { HOME: home, PATH: env.PATH! } });
	const installed = run(ccg, "install", "--yes");
	const app = join(made.store, "app");
	expect(installed).toContain(`is copied to ${app}/`);
	const settings = readFileSync(join(made.home, ".claude", "settings.json"), "utf8");
	expect(settings).toContain(String.raw`\"$HOME\"/.claude-memory/app/current/bin/ccg hook session-start`);
	expect(settings).not.toContain(folder);
	// compiled here, by the package's own Bun
	const current = realpathSync(join(app, "current"));
	expect(globSync(join(current, "compiled", "*", "ccg"))).toHaveLength(1);
	expect(existsSync(join(current, "node_modules"))).toBe(false);
	expect(run(ccg, "doctor")).toContain("ok   installed");

	// between two calls of one turn: a newer version, and then no package at all
	const update = (): void => {
		const older = readlinkSync(join(app, "current"));
		expect(run(join(newer(folder), "bin", "ccg"), "install", "--yes")).toContain("ccg 9.9.9 is copied to");
		expect(readlinkSync(join(app, "current"))).not.toBe(older);
		expect(existsSync(join(app, older, "bin", "ccg"))).toBe(true);
	};
	const remove = (): void => rmSync(dirname(dirname(dirname(folder))), { recursive: true });
	made.queue.push(thenDoes(50_000, bash("echo near")), update, thenDoes(55_000, bash("echo nudged")), remove);
	made.queue.push(
		thenDoes(90_000, bash("echo full")),
		thenDoes(40_000, bash("echo second cycle")),
		says(41_000, "done"),
	);
	await made.claude("Never touch legacy.c. Write the parser.");
	const main = made.main();
	expect(holding(main, "ccg nudge:").length).toBeGreaterThan(0);
	expect(times(main.at(-1)!, "## Request at hand")).toBe(1);
	expect(everything(main.at(-1)!)).toContain("Never touch legacy.c. Write the parser.");
	expect(existsSync(folder)).toBe(false);
	const own = join(app, "current", "bin", "ccg");
	expect(run(own, "--version")).toBe("9.9.9\n");
	expect(run(own, "uninstall", "--yes")).toContain("ccg's own files were removed from the store.");
	expect(existsSync(app)).toBe(false);
	expect(existsSync(join(made.home, ".claude", "settings.json"))).toBe(false);
});

test("an ordinary user tries, installs, looks and uninstalls: no trace but what was saved", () => {
	const { ccg } = globalFolder();
	const home = scratch("home");
	const asUser = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
	if (asUser.length > 0) chownSync(home, 65_534, 65_534);
	// the ordinary user has to come by here
	chmodSync(dirname(home), 0o755);
	const run = (program: string, ...args: string[]) => {
		const env = { HOME: home, PATH: `${dirname(ccg)}:${process.env.PATH}` };
		const ran = runNow([...asUser, program, ...args], { cwd: home, env });
		expect([args, ran.code, ran.err]).toEqual([args, expect.any(Number), expect.not.stringContaining("rror")]);
		return ran;
	};
	expect(run(ccg, "demo", "--json").out).toContain("the block gave back 6 whole");
	expect(readdirSync(home)).toEqual([]);
	run(ccg, "install", "--yes");
	expect(run(ccg, "doctor").out).toContain("ok   installed");
	run(ccg, "memory", "save", "the tests run with make check");
	run(ccg, "uninstall", "--yes");
	expect(readdirSync(home).sort()).toEqual([".claude-memory"]);
	const left = readdirSync(join(home, ".claude-memory"), { recursive: true, encoding: "utf8" });
	expect(left.filter((name) => /^(?:app|install)/.test(name))).toEqual([]);
	expect(left.some((name) => name.endsWith("MEMORY.md"))).toBe(true);
});

/** The same package as a later version. */
function newer(folder: string): string {
	const root = join(scratch("newer"), "lib", "node_modules", NAME);
	mkdirSync(dirname(root), { recursive: true });
	cpSync(folder, root, { recursive: true, verbatimSymlinks: true });
	for (const name of ["package.json", "dist/src/cli/main.js"]) {
		const path = join(root, name);
		const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
		writeFileSync(path, readFileSync(path, "utf8").replaceAll(`"${version}"`, '"9.9.9"'));
	}
	return root;
}

const bytesBelow = (folder: string): number => Number(printedBy(["du", "-sb", folder]).split("\t")[0]);
