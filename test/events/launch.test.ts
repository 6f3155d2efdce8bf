import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { logPath, sessionPaths } from "../../src/store/paths.ts";
import { dropMarker } from "../../src/store/pressure/marker.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { Transcript } from "../kit/events.ts";
import { inBatches, LAUNCHER, linesOf, listing, REPO, run } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";

/** Every way in: what is run, its input, and a file below the store that proves that it ran. */
const ENTRIES = [
	{ args: ["hook", "session-start"], fields: { source: "compact" }, proof: "sessions/s-1/committed.json" },
	{ args: ["hook", "pre-tool-use"], fields: {}, proof: "sessions/s-1/nudged.json" },
	{ args: ["hook", "post-tool-batch"], fields: {}, proof: "sessions/s-1/usage.json" },
	{ args: ["hook", "pre-compact"], fields: { trigger: "auto" }, proof: "sessions/s-1/pending.json" },
	{
		args: ["statusline"],
		fields: { model: { id: "claude-sonnet-4-6" }, context_window: { current_usage: { input_tokens: 9_000 } } },
		proof: "run/statusline/s-1",
	},
	{
		args: ["memory", "save", "--target", "memory", "Ports are in config/ports.yaml."],
		fields: null,
		proof: "projects",
	},
];

/** A project whose files try to get into ccg's process. */
function hostileProject(top: string): { project: string; caught: string } {
	const project = join(top, "project");
	const caught = join(top, "caught");
	mkdirSync(join(project, "evil"), { recursive: true });
	const evil = `require("node:fs").appendFileSync(${JSON.stringify(caught)}, process.argv.join(" ") + "\\n");\n`;
	const plant = (path: string, text: string): void => writeFileSync(join(project, path), text);
	plant("evil.ts", evil);
	for (const name of ["run-hook", "main", "commander", "index"]) plant(`evil/${name}.ts`, evil);
	plant("bunfig.toml", 'preload = ["./evil.ts"]\n[run]\nbun = true\n[test]\npreload = ["./evil.ts"]\n');
	plant(".env", `CCG_HOME=${join(top, "elsewhere")}\nBUN_OPTIONS=--preload=./evil.ts\nNO_COLOR=1\n`);
	plant(".env.local", `CCG_HOME=${join(top, "elsewhere")}\n`);
	plant("package.json", JSON.stringify({ name: "evil", main: "./evil.ts", imports: { "#*": "./evil/*.ts" } }));
	plant("tsconfig.json", JSON.stringify({ compilerOptions: { baseUrl: ".", paths: { "*": ["./evil/*"] } } }));
	return { project, caught };
}

function prepare(top: string, project: string) {
	const home = join(top, "home");
	const store = join(home, ".claude-memory");
	mkdirSync(home, { recursive: true });
	const transcript = new Transcript(project).typed("Never push.").usage(150_000).write(join(top, "t.jsonl"));
	dropMarker(sessionAt(storeAt(store), "s-1"), { at: new Date().toISOString(), tokens: 1, distance: 1, trigger: 2 });
	const input = (fields: object | null) =>
		fields ? { session_id: "s-1", transcript_path: transcript, cwd: project, ...fields } : "";
	return { home, store, input };
}

/** The launcher beside the sources, without the bundles: what a clone runs before its first build. */
function sourceLauncher(top: string): string {
	mkdirSync(join(top, "clone", "bin"), { recursive: true });
	for (const name of ["hooks", "statusline", "src", "node_modules", "package.json"])
		symlinkSync(join(REPO, name), join(top, "clone", name));
	copyFileSync(LAUNCHER, join(top, "clone", "bin", "ccg"));
	return join(top, "clone", "bin", "ccg");
}

describe("the project folder does not reach into the process", () => {
	const forms: [string, (top: string) => string, Record<string, string>][] = [
		["as installed", () => LAUNCHER, {}],
		["from source", sourceLauncher, {}],
		[
			"with BUN_OPTIONS in the environment",
			() => LAUNCHER,
			{ BUN_OPTIONS: "--preload=./evil.ts", BUN_INSPECT_PRELOAD: "./evil.ts" },
		],
	];
	test.each(forms)("%s", async (_, launcherOf, extra) => {
		const jobs = ENTRIES.map(({ args, fields, proof }) => async () => {
			const top = scratch("launch");
			const { project, caught } = hostileProject(top);
			const { home, store, input } = prepare(top, project);
			const launcher = launcherOf(top);
			const before = listing(top, store);
			const { code, err } = await run([launcher, ...args], {
				env: { HOME: home, ...extra },
				cwd: project,
				input: input(fields),
			});
			expect({ args, code, err }).toEqual({ args, code: 0, err: "" });
			expect(existsSync(join(store, proof)), args.join(" ")).toBe(true);
			expect(existsSync(caught), args.join(" ")).toBe(false);
			const added = listing(top, store).filter((path) => !before.includes(path));
			expect(
				added.filter((path) => !path.includes(".context-checkpoint")),
				args.join(" "),
			).toEqual([]);
			expect(linesOf(logPath(store))).toEqual([]);
		});
		await inBatches(jobs);
	});

	test("the trap works: Bun without the launcher's options falls into it", async () => {
		const top = scratch("trap");
		const { project, caught } = hostileProject(top);
		writeFileSync(join(top, "empty.ts"), "");
		await run([process.execPath, join(top, "empty.ts")], { env: { HOME: top }, cwd: project });
		expect(linesOf(caught)).not.toEqual([]);
	});
});

describe("found from anywhere", () => {
	const linkTo = (target: string, ...parts: string[]): string => {
		mkdirSync(join(...parts, ".."), { recursive: true });
		symlinkSync(target, join(...parts));
		return join(...parts);
	};
	const STRANGE = `it's a "folder" $HOME \`x\` ; & é`;
	const places: [string, (top: string) => { launcher: string; cwd?: string }][] = [
		["through npm's bin link", (top) => ({ launcher: linkTo(LAUNCHER, top, "node_modules", ".bin", "ccg") })],
		[
			"through a relative link to a link",
			(top) => {
				linkTo(LAUNCHER, top, "lib", "real");
				return { launcher: linkTo("../lib/real", top, "bin", "ccg") };
			},
		],
		["from a folder with spaces and quotes", (top) => ({ launcher: join(linkTo(REPO, top, STRANGE), "bin", "ccg") })],
		["through a link in such a folder", (top) => ({ launcher: linkTo(LAUNCHER, top, STRANGE, "c c g") })],
		["by a relative path", () => ({ launcher: "bin/ccg", cwd: REPO })],
		["by its name alone", () => ({ launcher: "./ccg", cwd: join(REPO, "bin") })],
	];
	test.each(places)("%s", async (_, place) => {
		const top = scratch("place");
		const { home, store, input } = prepare(top, top);
		const { launcher, cwd = top } = place(top);
		const env = { HOME: home };
		const nudge = await run([launcher, "hook", "pre-tool-use"], { env, cwd, input: input({}) });
		expect(nudge).toMatchObject({ code: 0, err: "" });
		expect(JSON.parse(nudge.out).hookSpecificOutput.additionalContext).toContain(" memory save ");
		expect(existsSync(sessionPaths(store, "s-1").nudged)).toBe(true);
		const version = await run([launcher, "--version"], { env, cwd });
		expect(version).toMatchObject({ code: 0, err: "" });
		expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
	});

	test("the save command of the nudge can be typed into a shell, from a strange folder too", async () => {
		const top = scratch("typed");
		const { home, store, input } = prepare(top, top);
		const launcher = join(linkTo(REPO, top, STRANGE), "bin", "ccg");
		const env = { HOME: home };
		const nudge = await run([launcher, "hook", "pre-tool-use"], { env, cwd: top, input: input({}) });
		const text: string = JSON.parse(nudge.out).hookSpecificOutput.additionalContext;
		const command = /^ {2}(.+ memory save\b.*) --target memory "TEXT"$/m.exec(text)![1]!;
		const saved = await run(["/bin/sh", "-c", `${command} --target memory "Ports are in config."`], { env, cwd: top });
		expect(saved).toMatchObject({ code: 0, err: "" });
		expect(listing(join(store, "projects"), "").some((path) => path.endsWith("MEMORY.md"))).toBe(true);
	});
});

describe("without any Bun", () => {
	test("hooks and status line end 0 in silence; the command line says what to do", async () => {
		const top = scratch("bare");
		const empty = join(top, "path");
		const launcher = join(top, "ccg", "bin", "ccg");
		mkdirSync(join(top, "ccg", "bin"), { recursive: true });
		mkdirSync(empty);
		copyFileSync(LAUNCHER, launcher);
		const env = { HOME: top, PATH: empty };
		for (const { args, fields } of ENTRIES) {
			const { code, out, err } = await run([launcher, ...args], { env, cwd: top, input: fields ?? "" });
			if (fields) expect({ args, code, out, err }).toEqual({ args, code: 0, out: "", err: "" });
			else {
				expect({ code, out }).toEqual({ code: 127, out: "" });
				expect(err).toMatch(/^ccg: found neither Bun .*npm install.*\n$/);
			}
		}
	});

	test("a Bun on PATH is taken then", async () => {
		const top = scratch("path");
		mkdirSync(join(top, "bin"));
		symlinkSync(process.execPath, join(top, "bin", "bun"));
		mkdirSync(join(top, "clone", "bin"), { recursive: true });
		for (const name of ["hooks", "statusline", "src", "package.json"])
			symlinkSync(join(REPO, name), join(top, "clone", name));
		for (const name of ["ccg", "find-runtime"])
			copyFileSync(join(dirname(LAUNCHER), name), join(top, "clone", "bin", name));
		const { home, store, input } = prepare(top, top);
		const env = { HOME: home, PATH: join(top, "bin") };
		await run([join(top, "clone", "bin", "ccg"), "hook", "post-tool-batch"], {
			env,
			// (one that lies in the folder it runs in would not be)
			cwd: join(top, "clone"),
			input: input({}),
		});
		expect(existsSync(sessionPaths(store, "s-1").usage)).toBe(true);
	});
});

test("a hook or part that does not exist ends 0 in silence", async () => {
	const top = scratch("unknown");
	for (const args of [["hook", "no-such-hook"], ["hook", ""], ["hook"]]) {
		const { code, out, err } = await run([LAUNCHER, ...args], { env: { HOME: top }, cwd: top });
		expect({ args, code, out, err }).toEqual({ args, code: 0, out: "", err: "" });
	}
});
