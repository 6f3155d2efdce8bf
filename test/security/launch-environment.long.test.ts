/** Attack 1: an environment that a repository's settings, direnv or mise have set does not become code in ccg's process. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Ran } from "../kit/sandbox.ts";
import { attacksOf } from "./kit.ts";
import {
	COMMANDS,
	caught,
	compiledCopy,
	fromSource,
	KINDS,
	place,
	plantIn,
	putEvilProgram,
	start,
} from "./launch-fixture.ts";

const HELP = COMMANDS[0]!;

/** How an attack shows, when not by its canary. */
const HITS: Record<string, (ran: Ran) => boolean> = {
	"BUN_JSC_dumpOptions, into a hook's answer": ({ out, err }) => /JSC options/.test(out + err),
};
/** These make each start fail, or say something. */
const FAILS = /^(?:BUN_INSPECT|a BUN_JSC_|IFS|CCG_CWD)(?!_)/;

describe.concurrent("a variable", () => {
	const copy = compiledCopy();
	test.each(attacksOf("launch variables"))("%s", async (name, script) => {
		for (const entry of FAILS.test(name) ? [HELP] : KINDS)
			for (const installed of [{}, await copy]) {
				const at = place(installed);
				const ran = await entry.start(at, { env: plantIn(at, script) });
				const isHit =
					caught(at) || HITS[name]?.(ran) === true || (FAILS.test(name) && (ran.code !== 0 || ran.err !== ""));
				expect([entry.name, isHit]).toEqual([entry.name, false]);
			}
	});

	test("harmless: the trap works, the compiled program without the launcher falls into it", async () => {
		const at = place();
		const env = plantIn(at, attacksOf("launch variables")[0]![1]);
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
				putEvilProgram(at, join(folder, name));
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
