import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { storeRoot } from "../../src/store/paths.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";

/** With ccg on PATH, so that messages call it by that name. */
const bin = scratch("bin");
symlinkSync(LAUNCHER, join(bin, "ccg"));
const ccg = (args: string[], env: Record<string, string> = {}, cwd = scratch()) =>
	run([LAUNCHER, ...args], { env: { HOME: scratch("home"), PATH: `${bin}:/usr/bin:/bin`, ...env }, cwd });

describe("wrong use ends 2 and points to the command's own help", () => {
	test.each([
		[["nonsense"], "ccg"],
		[["gc", "--nonsense"], "ccg gc"],
		[["gc", "--keep", "many"], "ccg gc"],
		[["show", "--budget", "10"], "ccg show"],
		[["sessions", "lst"], "ccg sessions"],
		[["sessions", "delete"], "ccg sessions delete"],
		[["memory", "save"], "ccg memory save"],
		[["profile", "use", "a", "b"], "ccg profile use"],
		[["install", "--scope", "moon"], "ccg install"],
		[["task", "status", "--pressure", "7"], "ccg task status"],
	])("%j", async (args, name) => {
		const { code, out, err } = await ccg(args);
		expect({ code, out }).toEqual({ code: 2, out: "" });
		expect(err).toMatch(/^error: /);
		expect(err).toContain(`(${name} --help shows what there is)`);
	});
});

test.each([[["--help"]], [["--version"]], [["gc", "--help"]], [["help", "gc"]], [["task", "--help"]], [["sessions"]]])(
	"%j ends 0",
	async (args) => {
		const { code, out } = await ccg(args);
		expect(code).toBe(0);
		expect(out).not.toBe("");
	},
);

test("what fails ends 1", async () => {
	expect(await ccg(["show"])).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/^ccg: no session in /) });
});

test.each(["memory", "sessions", "profile", "task"])("%s --help has examples", async (group) => {
	expect((await ccg([group, "--help"])).out).toContain(`\nExamples:\n  ccg ${group}`);
});

describe("a relative store", () => {
	test.each([
		["CCG_HOME", { CCG_HOME: "store" }],
		["CCG_HOME", { CCG_HOME: "~/store" }],
		["HOME", { HOME: "home" }],
		["HOME", { HOME: "home", CCG_HOME: "/tmp/store" }],
	] as [string, Record<string, string>][])(
		"%s of %j is refused by every command that works with it, and nothing is made",
		async (name, env) => {
			for (const args of [["memory", "save", "x"], ["install", "--yes"], ["status"], ["profile", "use", "quiet"]]) {
				const cwd = scratch();
				const { code, out, err } = await ccg(args, env, cwd);
				expect({ code, out }).toEqual({ code: 1, out: "" });
				expect(err).toMatch(
					new RegExp(`^ccg: ${name} is '[^']+', a relative path: .* set ${name} to an absolute path`),
				);
				expect(readdirSync(cwd)).toEqual([]);
			}
		},
	);

	test.each([{ CCG_HOME: "store" }, { HOME: "home" }] as Record<string, string>[])(
		"%j is no store for a hook: one line, nothing made",
		async (env) => {
			const cwd = scratch();
			const input = { session_id: "s-1", cwd, transcript_path: join(cwd, "t.jsonl"), hook_event_name: "Stop" };
			const command = [LAUNCHER, "hook", "stop"];
			const { code, out, err } = await run(command, { env: { HOME: scratch("home"), ...env }, cwd, input });
			expect({ code, out }).toEqual({ code: 0, out: "" });
			expect(err).toMatch(/^ccg \S+ stop s-1: .*\n$/);
			expect(readdirSync(cwd)).toEqual([]);
		},
	);

	test.each([
		[{ CCG_HOME: "/a", HOME: "/b" }, "/a"],
		[{ HOME: "/b" }, "/b/.claude-memory"],
		[{ CCG_HOME: "", HOME: "/b" }, "/b/.claude-memory"],
		[{ CCG_HOME: "a", HOME: "/b" }, null],
		[{ HOME: "b" }, null],
		[{}, null],
	])("%j: %s", (env, root) => {
		expect(storeRoot(env)).toBe(root);
	});
});
