/** Attack 1: an environment that a repository's settings, direnv or mise have set does not become code in ccg's process. */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Ran } from "../kit/sandbox.ts";
import {
	COMMANDS,
	caught,
	compiledCopy,
	evil,
	evilProgram,
	fromSource,
	KINDS,
	type LaunchEntry,
	type LaunchPlace,
	place,
	start,
} from "./launch-fixture.ts";

const HELP = COMMANDS[0]!;

interface Variable {
	env: (at: LaunchPlace) => Record<string, string>;
	plant?: (at: LaunchPlace) => void;
	/** How the attack shows, when not by its canary. */
	hit?: (at: LaunchPlace, ran: Ran) => boolean;
	entries?: LaunchEntry[];
}

const preload = (at: LaunchPlace): void => {
	for (const name of ["e.ts", "e.js", "e.cjs"]) writeFileSync(join(at.project, name), evil(at));
	writeFileSync(join(at.project, "b.toml"), 'preload = ["./e.ts"]\n');
};
const failed = (_: LaunchPlace, { code, err }: Ran): boolean => code !== 0 || err !== "";

const VARIABLES: Record<string, Variable> = {
	"BUN_OPTIONS with a preload": { env: () => ({ BUN_OPTIONS: "--preload=./e.ts" }), plant: preload },
	"BUN_OPTIONS with code": { env: (at) => ({ BUN_OPTIONS: `--eval=${evil(at).replaceAll(" ", "")}` }) },
	BUN_INSPECT_PRELOAD: { env: () => ({ BUN_INSPECT_PRELOAD: "./e.ts" }), plant: preload },
	BUN_INSPECT: { env: () => ({ BUN_INSPECT: "127.0.0.1:0" }), hit: failed, entries: [HELP] },
	BUN_BE_BUN: { env: () => ({ BUN_BE_BUN: "1" }), plant: preload },
	"a BUN_JSC_ name that does not exist": { env: () => ({ BUN_JSC_none: "1" }), hit: failed, entries: [HELP] },
	"BUN_JSC_dumpOptions, into a hook's answer": {
		env: () => ({ BUN_JSC_dumpOptions: "2" }),
		hit: (_, { out, err }) => /JSC options/.test(out + err),
	},
	"NODE_OPTIONS with require": { env: () => ({ NODE_OPTIONS: "--require ./e.cjs" }), plant: preload },
	"a bunfig of XDG_CONFIG_HOME and of HOME": {
		env: ({ project }) => ({ XDG_CONFIG_HOME: project }),
		plant: (at) => {
			preload(at);
			for (const path of [join(at.project, ".bunfig.toml"), join(at.home, ".bunfig.toml")])
				writeFileSync(path, `preload = ["${at.project}/e.ts"]\n`);
		},
	},
	"ENV and BASH_ENV": {
		env: () => ({ ENV: "./e.sh", BASH_ENV: "./e.sh" }),
		plant: (at) => evilProgram(at, join(at.project, "e.sh")),
	},
	"IFS, CDPATH, GLOBIGNORE": {
		env: ({ top }) => ({ IFS: "/", CDPATH: top, GLOBIGNORE: "*" }),
		hit: failed,
		entries: [HELP],
	},
	"LD_LIBRARY_PATH with an empty entry": {
		env: () => ({ LD_LIBRARY_PATH: ":/usr/lib" }),
		plant: (at) => {
			for (const name of ["libm.so.6", "libdl.so.2", "libpthread.so.0"]) writeFileSync(join(at.project, name), "");
		},
		hit: failed,
		entries: [HELP],
	},
	"CCG_CWD that lies": { env: ({ home }) => ({ CCG_CWD: home }), hit: failed, entries: [HELP] },
};

describe.concurrent("a variable", () => {
	const copy = compiledCopy();
	test.each(Object.entries(VARIABLES))("%s", async (_, { env, plant, hit = caught, entries = KINDS }) => {
		for (const entry of entries)
			for (const installed of [{}, await copy]) {
				const at = place(installed);
				plant?.(at);
				expect([entry.name, hit(at, await entry.start(at, { env: env(at) }))]).toEqual([entry.name, false]);
			}
	});

	test("harmless: the trap works, the compiled program without the launcher falls into it", async () => {
		const at = place();
		preload(at);
		const env = { BUN_OPTIONS: `--preload=${join(at.project, "e.ts")}` };
		await start(at, ["hooks/stop"], { env, program: [(await copy).program] });
		expect(caught(at)).toBe(true);
	});
});

const RELATIVE: Record<string, string> = {
	"a dot": ".:/usr/bin:/bin",
	"an empty entry": "/none::/usr/bin",
	"nothing at all": "",
	"a relative folder": "tools:/usr/bin:/bin",
	"the process's folder": "//proc/self/cwd:/usr/bin:/bin",
	"the same in a roundabout way": "/usr/.././proc/thread-self/cwd/tools:/usr/bin:/bin",
};

describe.concurrent("PATH", () => {
	const clone = fromSource({ modules: false });
	test.each(Object.entries(RELATIVE))("with %s: no program of the folder is started", async (_, PATH) => {
		const at = place();
		for (const folder of [at.project, join(at.project, "tools")])
			for (const name of ["bun", "readlink", "git", "sh", "env", "ls", "uname", "which", "mytool"])
				evilProgram(at, join(folder, name));
		const link = join(at.top, "ccg");
		symlinkSync(at.launcher, link);
		const env = { ...at.env, PATH };
		for (const program of [[link], [clone]])
			for (const args of [["config"], ["hook", "post-tool-batch"], ["statusline", "--wrap", "mytool; git status"]])
				await start(at, args, { env, program });
		await start(at, ["status", "--machine"], { env });
		expect(caught(at)).toBe(false);
	});
});
