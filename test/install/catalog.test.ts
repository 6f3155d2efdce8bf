import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shellWord } from "../../src/core/text/shell-word.ts";
import { type Catalog, catalog, GRANTS, grantRule } from "../../src/install/catalog.ts";
import { callIn, recogniseRule } from "../../src/install/entries.ts";
import { settingsExample } from "../../src/install/settings-text.ts";
import { printedBy, runNow } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";

const NASTY = `a b'c"d$e\`f}g\\h{i;j&k|l\nm(n)o*p~q!r é`;
const shellText = fc.string({ unit: fc.constantFrom(..."ab /'\"$`\\}{;&|\n*~!é=:-"), maxLength: 30 });

describe("build and recognise", () => {
	it("reads back every command, whatever the paths hold", () => {
		fc.assert(
			fc.property(shellText, fc.option(shellText), fc.option(shellText), (path, home, wrapped) => {
				const entries = catalog(`/${path}/bin/ccg`, home || undefined);
				const known = { launcher: `/${path}/bin/ccg`, isShared: false, ...(home && { home }) };
				for (const { part, handler } of entries.hooks) expect(callIn(handler.command)).toEqual({ ...known, part });
				expect(callIn(entries.statusLine())).toEqual({ ...known, part: "statusline" });
				if (wrapped !== null)
					expect(callIn(entries.statusLine(wrapped))).toEqual({ ...known, part: "statusline", wrapped });
			}),
			{ numRuns: 500 },
		);
	});

	it("reads back a status line that wraps a ccg status line", () => {
		const inner = catalog("/old/bin/ccg").statusLine("echo 'it''s'");
		expect(callIn(catalog("/new/bin/ccg").statusLine(inner))?.wrapped).toBe(inner);
	});
});

describe("by the version of Claude Code", () => {
	const events = (claude?: string | null) =>
		catalog("/opt/ccg/bin/ccg", undefined, claude).hooks.map(({ event }) => event);

	it.each([
		["2.0.30", ["PostToolUse"], ["PostToolBatch", "PostCompact"]],
		["2.1.76", ["PostToolUse", "PostCompact"], ["PostToolBatch"]],
		["2.1.118", ["PostToolBatch", "PostCompact"], ["PostToolUse"]],
		[null, ["PostToolUse"], ["PostToolBatch", "PostCompact"]],
		[undefined, ["PostToolBatch", "PostCompact"], ["PostToolUse"]],
	])("%s gets the events it knows", (claude, has, lacks) => {
		expect(events(claude)).toEqual(expect.arrayContaining([...has, "SessionStart", "PreCompact", "SessionEnd"]));
		expect(events(claude).filter((event) => lacks.includes(event))).toEqual([]);
	});
});

it.each(Object.values(GRANTS))("the permission for `ccg %s`, and what is none", (command) => {
	for (const launcher of ["/opt/ccg/bin/ccg", "/opt/my ccg/bin/ccg"])
		expect(recogniseRule(grantRule(launcher, command), command)).toBe(launcher);
	expect(grantRule("/opt/my ccg/bin/ccg", command)).toBe(`Bash('/opt/my ccg/bin/ccg' ${command}:*)`);
	for (const rule of [`/opt/other ${command}:*`, `/x/ccg ${command}`, "/x/ccg search:*", "rm:*"])
		expect(recogniseRule(`Bash(${rule})`, command)).toBeNull();
	expect(recogniseRule(`Read(/x/ccg ${command}:*)`, command)).toBeNull();
});

describe.each(["sh", "bash"].filter((shell) => runNow([shell, "-c", "exit 0"]).code === 0))("run by %s", (shell) => {
	it("shellWord names the same path", () => {
		for (const path of ["/plain/ccg", NASTY])
			expect(printedBy([shell, "-c", `printf %s ${shellWord(path)}`])).toBe(path);
	});

	it("starts the launcher with the right arguments, input and store; an own store of the session goes first", () => {
		const { run, launcher, store } = world(shell, NASTY);
		const entries = catalog(launcher, store);
		touch(join(store, "run/flush/s1"));
		for (const { part, handler } of entries.hooks)
			expect(run(handler.command), part).toEqual({ code: 0, out: `hook,${part},|input|${store}`, err: "" });
		expect(run(entries.statusLine()).out).toBe(`statusline,|input|${store}`);
		const wrapped = `printf '%s' "$USER_LINE" '${"it'\\''s"}'`;
		expect(run(entries.statusLine(wrapped)).out).toBe(`statusline,--wrap,${wrapped},|input|${store}`);
		expect(run(entries.hooks[0]!.handler.command, { CCG_HOME: "/x" }).out).toBe("hook,session-start,|input|/x");
	});

	it("without a store variable the one below HOME is meant", () => {
		const { run, launcher, folder } = world(shell, "plain");
		const preCheck = commandOf(catalog(launcher), "pre-tool-use");
		expect(run(preCheck).out).toBe("");
		touch(join(folder, ".claude-memory/run/flush/s1"));
		expect(run(preCheck).out).toBe("hook,pre-tool-use,|input|");
	});

	it.each(["flush", "halt", "follow-up"])("pre-tool-use starts once for this session's %s marker alone", (kind) => {
		const { run, launcher, store } = world(shell, NASTY);
		const preCheck = commandOf(catalog(launcher, store), "pre-tool-use");
		const nothing = { code: 0, out: "", err: "" };
		expect(run(preCheck)).toEqual(nothing);
		touch(join(store, "run", kind, "s2"));
		expect(run(preCheck)).toEqual(nothing);
		// a version that names no session: any marker counts
		expect(run(preCheck, { CLAUDE_CODE_SESSION_ID: undefined }).out).toContain("hook,pre-tool-use,");
		for (const folder of [kind, "flush"]) {
			touch(join(store, "run", folder, "s1"));
			expect(run(preCheck).out).toBe(`hook,pre-tool-use,|input|${store}`);
		}
	});

	it("measures nothing while a status line feeds the session", () => {
		const { run, launcher, store } = world(shell, NASTY);
		const measure = commandOf(catalog(launcher, store), "post-tool-batch");
		const starts = (env: Record<string, string | undefined>) => run(measure, env).out.includes("hook,post-tool-batch,");
		// a version that names no session
		for (const CLAUDE_CODE_SESSION_ID of ["s1", undefined]) expect(starts({ CLAUDE_CODE_SESSION_ID })).toBe(true);
		touch(join(store, "run/statusline/s1"));
		expect(run(measure)).toEqual({ code: 0, out: "", err: "" });
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

const commandOf = ({ hooks }: Catalog, wanted: string): string =>
	hooks.find(({ part }) => part === wanted)!.handler.command;

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
