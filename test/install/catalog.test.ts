import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	catalog,
	memoryRule,
	recallRule,
	recogniseMemoryRule,
	recogniseRecallRule,
	settingsExample,
} from "../../src/install/catalog.ts";
import { recognise } from "../../src/install/recognise.ts";
import { shellWord } from "../../src/install/shell-word.ts";
import { printedBy, runNow } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";

const NASTY = `a b'c"d$e\`f}g\\h{i;j&k|l\nm(n)o*p~q!r é`;
const shellText = fc.string({ unit: fc.constantFrom(..."ab /'\"$`\\}{;&|\n*~!é=:-"), maxLength: 30 });

describe("build and recognise", () => {
	it("reads back every command, whatever the paths hold", () => {
		fc.assert(
			fc.property(shellText, fc.option(shellText), fc.option(shellText), (path, home, wrapped) => {
				const entries = catalog(`/${path}/bin/ccg`, home || undefined);
				const known = { launcher: `/${path}/bin/ccg`, ...(home && { home }) };
				for (const { part, handler } of entries.hooks) expect(recognise(handler.command)).toEqual({ ...known, part });
				expect(recognise(entries.statusLine())).toEqual({ ...known, part: "statusline" });
				if (wrapped !== null)
					expect(recognise(entries.statusLine(wrapped))).toEqual({ ...known, part: "statusline", wrapped });
			}),
			{ numRuns: 500 },
		);
	});

	it("measures nothing while the mod has done so in this session, and in any other environment", () => {
		const folder = scratch("mod-sign");
		const launcher = join(folder, "bin", "ccg");
		mkdirSync(join(folder, "bin"));
		writeFileSync(launcher, "#!/bin/sh\necho measured\n", { mode: 0o700 });
		const { command } = catalog(launcher).hooks.find(({ event }) => event === "PostToolBatch")!.handler;
		const printed = (env: Record<string, string>) =>
			printedBy(["/bin/sh", "-c", command], { env: { HOME: folder, ...env } });
		const CLAUDE_CODE_SESSION_ID = "s-1";
		expect(printed({ CLAUDE_CODE_SESSION_ID, CCG_MOD: "s-1" })).toBe("");
		for (const CCG_MOD of ["on", "-", "", "s-2"])
			expect(printed({ CLAUDE_CODE_SESSION_ID, CCG_MOD })).toBe("measured\n");
		// a version that names no session
		for (const CCG_MOD of ["on", "-", ""]) expect(printed({ CCG_MOD })).toBe("measured\n");
		expect(printed({ CLAUDE_CODE_SESSION_ID })).toBe("measured\n");
	});

	it("reads back a status line that wraps a ccg status line", () => {
		const inner = catalog("/old/bin/ccg").statusLine("echo 'it''s'");
		expect(recognise(catalog("/new/bin/ccg").statusLine(inner))?.wrapped).toBe(inner);
	});
});

describe("by the version of Claude Code", () => {
	const events = (claude: string | null) =>
		catalog("/opt/ccg/bin/ccg", undefined, claude).hooks.map(({ event }) => event);

	it.each([
		["2.0.30", ["PostToolUse"], ["PostToolBatch", "PostCompact"]],
		["2.1.75", ["PostToolUse"], ["PostToolBatch", "PostCompact"]],
		["2.1.76", ["PostToolUse", "PostCompact"], ["PostToolBatch"]],
		["2.1.117", ["PostToolUse", "PostCompact"], ["PostToolBatch"]],
		["2.1.118", ["PostToolBatch", "PostCompact"], ["PostToolUse"]],
		["9.0.0", ["PostToolBatch", "PostCompact"], ["PostToolUse"]],
		[null, ["PostToolBatch", "PostCompact"], ["PostToolUse"]],
	])("%s gets the events it knows", (claude, has, lacks) => {
		expect(events(claude)).toEqual(expect.arrayContaining([...has, "SessionStart", "PreCompact", "SessionEnd"]));
		for (const event of lacks) expect(events(claude)).not.toContain(event);
	});

	it("one of them measures, and only one", () => {
		for (const claude of ["2.0.30", "2.1.117", "2.1.118", null])
			expect(catalog("/ccg", undefined, claude).hooks.filter(({ part }) => part === "post-tool-batch")).toHaveLength(1);
	});
});

it("the recall permission, and what is none", () => {
	expect(recallRule("/opt/my ccg/bin/ccg")).toBe("Bash('/opt/my ccg/bin/ccg' recall:*)");
	expect(recogniseRecallRule(recallRule("/opt/my ccg/bin/ccg"))).toBe("/opt/my ccg/bin/ccg");
	for (const rule of ["Bash(/x/other recall:*)", "Bash(/x/ccg search:*)", "Bash(/x/ccg recall)", memoryRule("/x/ccg")])
		expect(recogniseRecallRule(rule)).toBeNull();
});

describe("the memory permission", () => {
	it.each([
		["/opt/ccg/bin/ccg", "Bash(/opt/ccg/bin/ccg memory save:*)"],
		["/opt/my ccg/bin/ccg", "Bash('/opt/my ccg/bin/ccg' memory save:*)"],
	])("%s", (launcher, rule) => {
		expect(memoryRule(launcher)).toBe(rule);
		expect(recogniseMemoryRule(rule)).toBe(launcher);
	});

	it.each(["Bash(/opt/other memory save:*)", "Bash(/x/ccg memory:*)", "Bash(rm:*)", "Read(/x/ccg memory save:*)"])(
		"leaves %s alone",
		(rule) => expect(recogniseMemoryRule(rule)).toBeNull(),
	);
});

describe.each(["sh", "bash"].filter((shell) => runNow([shell, "-c", "exit 0"]).code === 0))("run by %s", (shell) => {
	it("shellWord names the same path", () => {
		for (const path of ["/plain/ccg", NASTY])
			expect(printedBy([shell, "-c", `printf %s ${shellWord(path)}`])).toBe(path);
	});

	it("starts the launcher with the right arguments, input and store", () => {
		const { run, launcher, store } = world(shell, NASTY);
		const entries = catalog(launcher, store);
		touch(join(store, "run/flush/s1"));
		for (const { part, handler } of entries.hooks)
			expect(run(handler.command), part).toEqual({ code: 0, out: `hook,${part},|input|${store}`, err: "" });
		expect(run(entries.statusLine()).out).toBe(`statusline,|input|${store}`);
		const wrapped = `printf '%s' "$USER_LINE" '${"it'\\''s"}'`;
		expect(run(entries.statusLine(wrapped)).out).toBe(`statusline,--wrap,${wrapped},|input|${store}`);
	});

	it("an own CCG_HOME of the session wins over the installed one", () => {
		const { run, launcher, store } = world(shell, "plain");
		const { handler } = catalog(launcher, store).hooks[0]!;
		expect(run(handler.command, { CCG_HOME: "/other" }).out).toBe("hook,session-start,|input|/other");
	});

	it("without a store variable the one below HOME is meant", () => {
		const { run, launcher, folder } = world(shell, "plain");
		const entries = catalog(launcher);
		const preCheck = entries.hooks.find(({ part }) => part === "pre-tool-use")!.handler.command;
		expect(run(preCheck).out).toBe("");
		touch(join(folder, ".claude-memory/run/flush/s1"));
		expect(run(preCheck).out).toBe("hook,pre-tool-use,|input|");
	});

	it("pre-tool-use starts nothing without this session's marker, and looks at all markers without a session", () => {
		const { run, launcher, store } = world(shell, NASTY);
		const preCheck = catalog(launcher, store).hooks.find(({ part }) => part === "pre-tool-use")!.handler.command;
		expect(run(preCheck)).toEqual({ code: 0, out: "", err: "" });
		touch(join(store, "run/flush/s2"));
		expect(run(preCheck)).toEqual({ code: 0, out: "", err: "" });
		expect(run(preCheck, { CLAUDE_CODE_SESSION_ID: undefined }).out).toContain("hook,pre-tool-use,");
	});

	it("pre-tool-use starts once for this session's halt marker, beside a flush marker too", () => {
		const { run, launcher, store } = world(shell, NASTY);
		const preCheck = catalog(launcher, store).hooks.find(({ part }) => part === "pre-tool-use")!.handler.command;
		touch(join(store, "run/halt/s2"));
		expect(run(preCheck)).toEqual({ code: 0, out: "", err: "" });
		for (const folder of ["halt", "flush"]) {
			touch(join(store, `run/${folder}/s1`));
			expect(run(preCheck).out).toBe(`hook,pre-tool-use,|input|${store}`);
		}
		expect(run(preCheck, { CLAUDE_CODE_SESSION_ID: undefined }).out).toContain("hook,pre-tool-use,");
	});

	it("pre-tool-use starts once for a marker of what is still to be given", () => {
		const { run, launcher, store } = world(shell, NASTY);
		const preCheck = catalog(launcher, store).hooks.find(({ part }) => part === "pre-tool-use")!.handler.command;
		touch(join(store, "run/follow-up/s2"));
		expect(run(preCheck)).toEqual({ code: 0, out: "", err: "" });
		for (const folder of ["follow-up", "flush"]) touch(join(store, `run/${folder}/s1`));
		expect(run(preCheck).out).toBe(`hook,pre-tool-use,|input|${store}`);
	});

	it("usage starts nothing while a status line feeds the session", () => {
		const { run, launcher, store } = world(shell, NASTY);
		const usage = catalog(launcher, store).hooks.find(({ part }) => part === "post-tool-batch")!.handler.command;
		expect(run(usage).out).toContain("hook,post-tool-batch,");
		touch(join(store, "run/statusline/s1"));
		expect(run(usage)).toEqual({ code: 0, out: "", err: "" });
	});

	it("a launcher that is gone is 0 and nothing on stdout; a wrapped status line still shows", () => {
		const { run, store } = world(shell, "plain");
		touch(join(store, "run/flush/s1"));
		const entries = catalog(`/gone/${NASTY}/bin/ccg`, store);
		for (const command of [...entries.hooks.map(({ handler }) => handler.command), entries.statusLine()]) {
			const { code, out, err } = run(command);
			expect({ code, out }).toEqual({ code: 0, out: "" });
			// (what Claude Code keeps in its debug log)
			if (err) expect(err).toMatch(/bin\/ccg: (not found|No such file or directory)\n$/);
		}
		const original = `read -r x; printf '%s|%s' "$USER_LINE" "$x"`;
		expect(run(entries.statusLine(original))).toEqual({ code: 0, out: "mine $1|input", err: "" });
	});
});

it("settings.example.json is what the catalog says", () => {
	const file = join(import.meta.dirname, "../../settings.example.json");
	expect(readFileSync(file, "utf8")).toBe(settingsExample("/path/to/ccg/bin/ccg"));
});

/** A launcher below a folder of the given name that prints its arguments, its input and its store. */
function world(shell: string, name: string) {
	const folder = scratch("catalog");
	const launcher = join(folder, name, "bin", "ccg");
	const store = join(folder, `store ${name}`);
	mkdirSync(join(folder, name, "bin"), { recursive: true });
	writeFileSync(launcher, `#!/bin/sh\nprintf '%s,' "$@"\nprintf '|%s|%s' "$(cat)" "$CCG_HOME"\n`);
	chmodSync(launcher, 0o755);
	const run = (command: string, more: Record<string, string | undefined> = {}) => {
		const env = { PATH: process.env.PATH, HOME: folder, CLAUDE_CODE_SESSION_ID: "s1", USER_LINE: "mine $1", ...more };
		return runNow([shell, "-c", command], { input: "input", env });
	};
	return { folder, launcher, store, run };
}

function touch(path: string): void {
	mkdirSync(join(path, ".."), { recursive: true });
	if (!existsSync(path)) writeFileSync(path, "");
}
