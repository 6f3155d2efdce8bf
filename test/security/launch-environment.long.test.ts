/** Attack 1: an environment that a repository's settings, direnv or mise have set does not become code in ccg's process. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sessionPaths } from "../../src/store/paths.ts";
import { Transcript } from "../kit/events.ts";
import { type Ran, runMeasured } from "../kit/sandbox.ts";
import {
	bashAsSh,
	COMMANDS,
	caught,
	evil,
	evilProgram,
	fromSource,
	KINDS,
	type LaunchEntry,
	type LaunchPlace,
	place,
	REGISTERED,
	start,
} from "./launch-fixture.ts";

const VERSION = COMMANDS[0]!;
const SAVE = COMMANDS[5]!;

interface Variable {
	env: (at: LaunchPlace) => Record<string, string>;
	plant?: (at: LaunchPlace) => void;
	/** How the attack shows, when not by its canary. */
	hit?: (at: LaunchPlace, ran: Ran) => boolean;
	entries?: LaunchEntry[];
}

const preload = (at: LaunchPlace): void => {
	for (const name of ["e.ts", "e.js", "e.cjs"]) writeFileSync(join(at.project, name), evil(at));
	writeFileSync(join(at.project, "ts.json"), '{"compilerOptions":{"baseUrl":".","paths":{"/*":["./e.ts"]}}}');
	writeFileSync(join(at.project, "b.toml"), 'preload = ["./e.ts"]\n');
};
const made =
	(name: string) =>
	({ project }: LaunchPlace): boolean =>
		existsSync(join(project, name));
const failed = (_: LaunchPlace, { code, err }: Ran): boolean => code !== 0 || err !== "";
const simple = (name: string, value: string): Variable => ({ env: () => ({ [name]: value }), plant: preload });

const VARIABLES: Record<string, Variable> = {
	"BUN_OPTIONS with a preload": simple("BUN_OPTIONS", "--preload=./e.ts"),
	"BUN_OPTIONS with a tsconfig": simple("BUN_OPTIONS", "--tsconfig-override=./ts.json"),
	"BUN_OPTIONS with a configuration": simple("BUN_OPTIONS", "--config=./b.toml"),
	"BUN_OPTIONS with code": {
		...simple("BUN_OPTIONS", ""),
		env: (at) => ({ BUN_OPTIONS: `--eval=${evil(at).replaceAll(" ", "")}` }),
	},
	BUN_INSPECT_PRELOAD: simple("BUN_INSPECT_PRELOAD", "./e.ts"),
	BUN_INSPECT: { env: () => ({ BUN_INSPECT: "127.0.0.1:0" }), hit: failed, entries: [VERSION] },
	BUN_CONFIG_FILE: simple("BUN_CONFIG_FILE", "./b.toml"),
	BUN_BE_BUN: simple("BUN_BE_BUN", "1"),
	"BUN_JSC_functionOverrides, a file of other function bodies": {
		env: () => ({ BUN_JSC_functionOverrides: "./none" }),
		hit: failed,
		entries: [VERSION, SAVE],
	},
	"a BUN_JSC_ name that does not exist": { env: () => ({ BUN_JSC_none: "1" }), hit: failed, entries: [VERSION, SAVE] },
	"BUN_JSC_dumpOptions, into a hook's answer": {
		env: () => ({ BUN_JSC_dumpOptions: "2" }),
		hit: (_, { out, err }) => /JSC options/.test(out + err),
		entries: KINDS,
	},
	NODE_COMPILE_CACHE: { env: () => ({ NODE_COMPILE_CACHE: "cache" }), hit: made("cache"), entries: KINDS },
	BUN_RUNTIME_TRANSPILER_CACHE_PATH: {
		env: () => ({ BUN_RUNTIME_TRANSPILER_CACHE_PATH: "cache" }),
		hit: made("cache"),
		entries: [VERSION],
	},
	BUN_BYTECODE_ORDER_OUT: { env: () => ({ BUN_BYTECODE_ORDER_OUT: "out" }), hit: made("out"), entries: [VERSION] },
	NODE_V8_COVERAGE: { env: () => ({ NODE_V8_COVERAGE: "out" }), hit: made("out"), entries: [VERSION] },
	NODE_REDIRECT_WARNINGS: { env: () => ({ NODE_REDIRECT_WARNINGS: "out" }), hit: made("out"), entries: [VERSION] },
	"NODE_OPTIONS with require": simple("NODE_OPTIONS", "--require ./e.cjs"),
	"NODE_OPTIONS with import": simple("NODE_OPTIONS", "--import ./e.js"),
	NODE_PATH: {
		env: ({ project }) => ({ NODE_PATH: project }),
		plant: (at) => {
			for (const name of ["commander", "zod", "yaml", "picocolors"]) {
				mkdirSync(join(at.project, name));
				writeFileSync(join(at.project, name, "index.js"), evil(at));
			}
		},
	},
	"a line in another variable's value": {
		env: () => ({ A: "x\nexport BUN_JSC_none='1'", BUN_OPTIONS: "--preload=./e.ts" }),
		plant: preload,
	},
	"XDG_CONFIG_HOME with a bunfig": {
		env: ({ project }) => ({ XDG_CONFIG_HOME: project }),
		plant: (at) => {
			preload(at);
			for (const name of [".bunfig.toml", "bunfig.toml"])
				writeFileSync(join(at.project, name), `preload = ["${at.project}/e.ts"]\n`);
		},
	},
	"HOME with a bunfig": {
		env: () => ({}),
		plant: (at) => {
			preload(at);
			writeFileSync(join(at.home, ".bunfig.toml"), `preload = ["${at.project}/e.ts"]\n`);
		},
	},
	"ENV and BASH_ENV": {
		env: () => ({ ENV: "./e.sh", BASH_ENV: "./e.sh" }),
		plant: (at) => evilProgram(at, join(at.project, "e.sh")),
	},
	"IFS, CDPATH, GLOBIGNORE": {
		env: ({ top }) => ({ IFS: "/", CDPATH: top, GLOBIGNORE: "*" }),
		hit: failed,
		entries: [VERSION],
	},
	"PWD that lies": { env: ({ top }) => ({ PWD: top, OLDPWD: top }), hit: failed, entries: [VERSION] },
	"LD_LIBRARY_PATH with an empty entry": {
		env: () => ({ LD_LIBRARY_PATH: ":/usr/lib" }),
		plant: (at) => {
			for (const name of ["libm.so.6", "libdl.so.2", "libpthread.so.0"]) writeFileSync(join(at.project, name), "");
		},
		hit: failed,
		entries: [VERSION, SAVE],
	},
	"TMPDIR that is relative": { env: () => ({ TMPDIR: "tmp", BUN_TMPDIR: "tmp" }), hit: made("tmp"), entries: KINDS },
	"CCG_HOME that is relative": { env: () => ({ CCG_HOME: "store" }), hit: made("store"), entries: KINDS },
	"CCG_CWD that lies": { env: ({ home }) => ({ CCG_CWD: home }), hit: failed, entries: [VERSION] },
};

/** Values a repository can know: the session's id is none. */
test.each(["on", "-", "s-2"])("CCG_MOD=%s in the settings, to have nothing measured", async (CCG_MOD) => {
	const at = place();
	const batch = REGISTERED.find(({ name }) => name === "PostToolBatch")!;
	const transcript = new Transcript(at.project, new Date()).typed("Go on.").usage(50_000);
	transcript.write(at.transcript);
	await batch.start(at, { env: { CCG_MOD, CLAUDE_CODE_SESSION_ID: "s-1" } });
	expect(existsSync(sessionPaths(at.store, "s-1").usage)).toBe(true);
});

describe.concurrent("a variable", () => {
	const cases = Object.entries(VARIABLES).flatMap(([name, variable]) =>
		(variable.entries ?? [KINDS[0]!, KINDS[2]!, KINDS[4]!]).map(
			(entry) => [`${name}: ${entry.name}`, variable, entry] as const,
		),
	);
	test.each(cases)("%s", async (_, { env, plant, hit = caught }, entry) => {
		const at = place();
		plant?.(at);
		expect(hit(at, await entry.start(at, { env: env(at) }))).toBe(false);
	});
});

const RELATIVE: Record<string, string> = {
	"a dot": ".:/usr/bin:/bin",
	"an empty entry first": ":/usr/bin:/bin",
	"an empty entry last": "/none:",
	"an empty entry between": "/none::/usr/bin",
	"nothing at all": "",
	"a relative folder": "tools:/usr/bin:/bin",
	"a dot and a slash": "./tools:/usr/bin:/bin",
	"the process's folder": "/proc/self/cwd:/usr/bin:/bin",
	"the same with two slashes": "//proc/self/cwd:/usr/bin:/bin",
	"the same in a roundabout way": "/usr/../proc/self/cwd:/usr/bin:/bin",
	"the same with a dot": "/./proc/self/cwd/tools:/usr/bin:/bin",
	"the thread's folder": "/proc/thread-self/cwd:/usr/bin:/bin",
};

const TOOLS = ["bun", "readlink", "git", "sh", "env", "ls", "uname", "which", "mytool"];
function plantTools(at: LaunchPlace): void {
	for (const folder of [at.project, join(at.project, "tools")]) {
		mkdirSync(folder, { recursive: true });
		for (const name of TOOLS) evilProgram(at, join(folder, name));
	}
}

describe.concurrent("PATH", () => {
	test.each(Object.entries(RELATIVE))("with %s: readlink, for a launcher that is a link", async (_, PATH) => {
		const at = place();
		plantTools(at);
		const link = join(at.top, "ccg");
		symlinkSync(at.launcher, link);
		for (const args of [["--version"], ["hook", "post-tool-batch"]])
			await start(at, args, { env: { PATH }, program: [link] });
		expect(caught(at)).toBe(false);
	});

	const clone = fromSource({ modules: false });
	test.each([...Object.entries(RELATIVE), ["the folder itself, absolute", "{project}:/usr/bin:/bin"] as const])(
		"with %s: bun, where ccg has none",
		async (_, PATH) => {
			const at = place({ launcher: clone });
			plantTools(at);
			const env = { ...at.env, PATH: PATH.replace("{project}", at.project) };
			for (const args of [["--version"], ["hook", "post-tool-batch"], ["statusline"]])
				await start(at, args, { env, program: [clone] });
			expect(caught(at)).toBe(false);
		},
	);

	test.each(Object.entries(RELATIVE))("with %s: what a wrapped status line calls", async (_, PATH) => {
		const at = place();
		plantTools(at);
		const env = { ...at.env, PATH };
		await start(at, ["statusline", "--wrap", "mytool; git status"], { env });
		expect(caught(at)).toBe(false);
	});

	test.each(Object.entries(RELATIVE))("with %s: ccg status --machine", async (_, PATH) => {
		const at = place();
		plantTools(at);
		await start(at, ["status", "--machine"], { env: { PATH } });
		expect(caught(at)).toBe(false);
	});
});

describe.concurrent("functions in the environment, where sh is bash", () => {
	const sh = bashAsSh();
	const NAMES = ["[", "cd", "readlink", "export", "unset", "exec", "exit", "eval"];
	const functionOf = (at: LaunchPlace, name: string) => ({
		[`BASH_FUNC_${name}%%`]: `() {  builtin echo ${name} >>'${at.canary}'\n}`,
	});
	const entries = [REGISTERED[0]!, REGISTERED[1]!, REGISTERED[9]!, REGISTERED[10]!];
	test.each(entries.flatMap((entry) => NAMES.map((name) => [name, entry.name, entry] as const)))(
		"%s, in the command for %s",
		async (name, _, entry) => {
			const at = place();
			await entry.start(at, { shell: sh, env: functionOf(at, name) });
			expect(caught(at)).toBe(false);
		},
	);
	// The trace of the very first command is written before any command of ours; bash ignores PS4 for root only.
	const asUser = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
	test.fails("open: SHELLOPTS=xtrace with a PS4 that is a command", async () => {
		const at = place();
		const env = { ...at.env, SHELLOPTS: "xtrace", PS4: "$(echo caught >&2)" };
		const ran = await runMeasured([...asUser, "/bin/bash", "--posix", "-c", "[ -x /none ]; exit 0"], { cwd: "/", env });
		expect(ran.err).not.toContain("caught");
	});
});
