/** Which Bun the launcher takes where ccg has no Bun of its own, and what a folder or its settings can plant for it. */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMeasured } from "../kit/sandbox.ts";
import { attacksOf } from "./kit.ts";
import { bareLauncher, caught, type LaunchPlace, place, plantIn, putEvilProgram, start } from "./launch-fixture.ts";

/** A ccg without Bun; `where` is its folder below the top. */
function bare(where = "ccg"): LaunchPlace {
	const at = place();
	const root = join(at.top, where);
	for (const file of ["dist/src/cli/main.js", "dist/hooks/post-tool-batch.js"]) {
		mkdirSync(join(root, dirname(file)), { recursive: true });
		writeFileSync(join(root, file), "");
	}
	return { ...at, launcher: bareLauncher(root) };
}

/** A program that says its version, and else its name for the test and what it was asked to run. */
function fake(path: string, version: string): string {
	mkdirSync(dirname(path), { recursive: true });
	const says = `[ "$1" != --version ] || { echo '${version}'; exit; }`;
	writeFileSync(path, `#!/bin/sh\n${says}\necho "ran $0"\n`, { mode: 0o755 });
	return path;
}

/** PATH without what this machine has. */
const EMPTY = "/nowhere";

async function started(at: LaunchPlace, env: Record<string, string> = {}, cwd = at.project): Promise<string> {
	const ran = await runMeasured([at.launcher, "config"], { cwd, env: { ...at.env, PATH: EMPTY, ...env } });
	return /^ran (.*)$/m.exec(ran.out)?.[1] ?? ran.out + ran.err;
}

describe.concurrent("the runtime is", () => {
	test("of a fitting version, of the home folder, then of PATH", async () => {
		const at = bare();
		for (const [folder, says] of Object.entries({ old: "1.4.2", older: "1.3.14", none: "", new: "1.10.0" }))
			fake(join(at.top, folder, "bun"), says);
		const PATH = ["old", "older", "none", "new"].map((name) => join(at.top, name)).join(":");
		expect(await started(at, { PATH })).toBe(join(at.top, "new/bun"));
		const own = fake(join(at.home, ".bun/bin/bun"), "1.5.0");
		expect(await started(at, { PATH })).toBe(own);
	});

	test("what npm brought to the clone that a plugin runs from", async () => {
		const at = bare("clone/plugins/ccg");
		mkdirSync(join(at.top, "clone/bin"));
		copyFileSync(at.launcher, join(at.top, "clone/bin/ccg"));
		const bun = fake(join(at.top, "clone/node_modules/@oven/bun-linux-x64/bin/bun"), "1.4.5");
		fake(join(at.home, ".bun/bin/bun"), "1.4.5");
		expect(await started(at)).toBe(bun);
	});

	test.skipIf(process.platform !== "linux")("a copy's own program, and none for other machines", async () => {
		const at = bare("app/1.0.0");
		const program = (machine: string) => join(at.top, "app/1.0.0/compiled", `bun-linux-${machine}`, "ccg");
		const [own, other] = process.arch === "arm64" ? ["aarch64", "x64"] : ["x64", "aarch64"];
		const bun = fake(join(at.home, ".bun/bin/bun"), "1.4.5");
		mkdirSync(dirname(program(other!)), { recursive: true });
		writeFileSync(program(other!), "\x7fELF", { mode: 0o755 });
		expect(await started(at)).toBe(bun);
		const compiled = fake(program(own!), "");
		expect(await started(at)).toBe(compiled);
	});
});

/** What a repository's settings can say besides. */
const HOMES: [string, string][] = [
	["BUN_INSTALL in the folder", "echo BUN_INSTALL=$PROJECT/.bun"],
	["HOME in the folder", "echo HOME=$PROJECT"],
	["HOME by the process's folder", "echo HOME=/proc/self/cwd"],
];
test.each([...attacksOf("workspace paths"), ...HOMES])(
	"no program of the workspace is started or asked: %s",
	async (_, script) => {
		const at = bare();
		for (const folder of [at.project, at.parent])
			for (const path of ["tools/bun", ".bun/bin/bun"]) putEvilProgram(at, join(folder, path));
		const env = { PATH: EMPTY, ...plantIn(at, script) };
		for (const args of [["config"], ["hook", "post-tool-batch"]]) await start(at, args, { env });
		expect(caught(at)).toBe(false);
	},
);

test("without any Bun a session's start says so in one sentence, the other hooks nothing, the command line what to do", async () => {
	// the launcher alone: nothing on this machine is looked for
	const at = place();
	const launcher = bareLauncher(join(at.top, "ccg"), ["ccg"]);
	const alone = (args: string[], source = "startup") =>
		runMeasured([launcher, ...args], {
			cwd: at.project,
			env: { ...at.env, CCG_TRIES: "5" },
			input: at.input.replace('"source":"startup"', `"source":"${source}"`),
		});
	const { code, out, err } = await alone(["hook", "session-start"]);
	expect([code, err]).toEqual([0, ""]);
	expect(JSON.parse(out)).toEqual({ systemMessage: expect.stringMatching(/found no Bun 1\.4\.3/) });
	expect(await alone(["hook", "session-start"], "compact")).toMatchObject({ code: 0, out: "", err: "" });
	for (const name of ["stop", "pre-tool-use"])
		expect(await alone(["hook", name])).toMatchObject({ code: 0, out: "", err: "" });
	const says = expect.stringMatching(/install it, or run 'npm install' in \S+ccg\n$/);
	expect(await alone(["status"])).toMatchObject({ code: 127, out: "", err: says });
});
