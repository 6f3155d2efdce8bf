/**
 * What users install: the npm package, packed and installed by npm (scripts/bring-package), in a clean home. Hooks start a copy
 * in the store, so neither an update nor the end of the package stops a session that runs.
 */
import {
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
import { runNow } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";
import { type ClaudeSandbox, claudeSandbox, everything, holding, times } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";
import { bash, says, thenDoes } from "./replies.ts";

const PACKED = process.env.CCG_TEST_PACKAGE ?? "";
const NAME = "claude-context-guard";
const MB = 1024 * 1024;

let made: ClaudeSandbox | undefined;

/** A global npm folder of its own, as the user's prefix; gives its `ccg`. */
function globalFolder(): { folder: string; ccg: string } {
	const prefix = scratch("prefix");
	cpSync(join(PACKED, "global"), prefix, { recursive: true, verbatimSymlinks: true });
	return { folder: join(prefix, "lib", "node_modules", NAME), ccg: join(prefix, "bin", "ccg") };
}

const PLAY = [
	thenDoes(50_000, bash("echo near")),
	thenDoes(55_000, bash("echo nudged")),
	thenDoes(90_000, bash("echo full")),
	thenDoes(40_000, bash("echo second cycle")),
	says(41_000, "done"),
];

test("the tarball is under 3 MB, and installed with Bun at most 110 MB", () => {
	const [tarball] = readdirSync(PACKED).filter((name) => name.endsWith(".tgz"));
	expect(statSync(join(PACKED, tarball!)).size).toBeLessThan(3 * MB);
	expect(bytesBelow(join(PACKED, "global"))).toBeLessThan(110 * MB);
});

test("installed from npm: a session is guarded, updated while it runs, and goes on when the package is gone", async () => {
	const { folder, ccg } = globalFolder();
	const acts: Record<number, () => void> = {
		// between two calls of one turn: a newer version, and then no package at all
		1: () => {
			const older = readlinkSync(join(made!.store, "app", "current"));
			const root = newer(folder);
			expect(run(join(root, "bin", "ccg"), "install", "--yes").out).toContain("ccg 9.9.9 is copied to");
			expect(readlinkSync(join(made!.store, "app", "current"))).not.toBe(older);
			expect(existsSync(join(made!.store, "app", older, "bin", "ccg"))).toBe(true);
		},
		2: () => rmSync(dirname(dirname(dirname(folder))), { recursive: true }),
	};
	const script = playing(PLAY);
	made = claudeSandbox(
		(request, ...rest) => {
			const turn = made!.api.requests.filter(({ kind }) => kind === "main").length - 1;
			const act = request.kind === "main" ? acts[turn] : undefined;
			delete acts[turn];
			act?.();
			return script(request, ...rest);
		},
		{ install: null },
	);
	const run = (program: string, ...args: string[]) => {
		const { home, project, env } = made!;
		const { code, out, err } = runNow([program, ...args], { cwd: project, env: { HOME: home, PATH: env.PATH! } });
		expect([args, code, err]).toEqual([args, 0, expect.any(String)]);
		return { out };
	};
	const installed = run(ccg, "install", "--yes").out;
	const app = join(made.store, "app");
	expect(installed).toContain(`is copied to ${app}/`);
	const settings = readFileSync(join(made.home, ".claude", "settings.json"), "utf8");
	expect(settings).toContain(String.raw`\"$HOME\"/.claude-memory/app/current/bin/ccg hook session-start`);
	expect(settings).not.toContain(folder);
	// compiled here, by the package's own Bun
	const current = realpathSync(join(app, "current"));
	expect(globSync(join(current, "compiled", "*", "ccg"))).toHaveLength(1);
	expect(existsSync(join(current, "node_modules"))).toBe(false);
	expect(run(ccg, "doctor").out).toContain("ok   installed");

	await made.claude("Never touch legacy.c. Write the parser.");
	const main = made.main();
	expect(holding(main, "ccg nudge:").length).toBeGreaterThan(0);
	expect(times(main.at(-1)!, "## Request at hand")).toBe(1);
	expect(everything(main.at(-1)!)).toContain("Never touch legacy.c. Write the parser.");
	expect(existsSync(folder)).toBe(false);
	const own = join(app, "current", "bin", "ccg");
	expect(run(own, "--version").out).toBe("9.9.9\n");
	expect(run(own, "uninstall", "--yes").out).toContain("ccg's own files were removed from the store.");
	expect(existsSync(app)).toBe(false);
	expect(existsSync(join(made.home, ".claude", "settings.json"))).toBe(false);
});

test("an ordinary user tries, installs, looks and uninstalls: no trace but what was saved", () => {
	const { folder, ccg } = globalFolder();
	const home = scratch("home");
	const asUser = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
	if (asUser.length > 0) chownSync(home, 65_534, 65_534);
	for (let at = dirname(folder); at !== "/"; at = dirname(at))
		if (statSync(at).uid === 0 && at.startsWith("/tmp/")) allow(at);
	allow(dirname(home));
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
	for (let at = root; at.startsWith("/tmp/"); at = dirname(at)) allow(at);
	return root;
}

/** The ordinary user has to come by here. */
function allow(folder: string): void {
	if (folder !== "/tmp") runNow(["chmod", "go+rx", folder], { env: { PATH: "/usr/bin:/bin" } });
}

function bytesBelow(folder: string): number {
	return readdirSync(folder, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile())
		.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
