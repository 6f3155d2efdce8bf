import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shellWord } from "../../src/core/text/quoted.ts";
import { type Catalog, catalog, GRANTED_COMMANDS, grantRules } from "../../src/install/catalog.ts";
import { isGrantOf, parseCcgCommand } from "../../src/install/entries.ts";
import { settingsExample } from "../../src/install/settings-text.ts";
import { printedBy, runNow } from "../kit/process.ts";
import { scratch } from "../scratch-home.ts";

const NASTY = `a b'c"d$e\`f}g\\h{i;j&k|l\nm(n)o*p~q!r é`;
const shellText = fc.string({ unit: fc.constantFrom(..."ab /'\"$`\\}{;&|\n*~!é=:-"), maxLength: 30 });

describe("build and recognise", () => {
	it("reads back every command, whatever the paths hold", () => {
		fc.assert(
			fc.property(shellText, fc.boolean(), fc.option(shellText), (path, isCopy, wrapped) => {
				const launcher = `/${path}${isCopy ? "/app/current" : ""}/bin/ccg`;
				const entries = catalog(launcher);
				const known = { launcher };
				for (const { part, handler } of entries.hooks)
					expect(parseCcgCommand(handler.command)).toEqual({ ...known, part });
				expect(parseCcgCommand(entries.statusLine())).toEqual({ ...known, part: "statusline" });
				if (wrapped !== null)
					expect(parseCcgCommand(entries.statusLine(wrapped))).toEqual({ ...known, part: "statusline", wrapped });
			}),
			{ numRuns: 200 },
		);
	});

	it("reads back a status line that wraps a ccg status line", () => {
		const inner = catalog("/old/bin/ccg").statusLine("echo 'it''s'");
		expect(parseCcgCommand(catalog("/new/bin/ccg").statusLine(inner))?.wrapped).toBe(inner);
	});
});

it.each(GRANTED_COMMANDS)("the permission for `ccg %s`, and what is none", (command) => {
	for (const launcher of ["/opt/ccg/bin/ccg", "/opt/my ccg/bin/ccg"])
		expect(grantRules(launcher).filter((rule) => isGrantOf(rule, [command]))).toHaveLength(1);
	expect(grantRules("/opt/my ccg/bin/ccg")).toContain(`Bash('/opt/my ccg/bin/ccg' ${command}:*)`);
	for (const rule of [
		`/opt/other ${command}:*`,
		`/x/ccg ${command}`,
		`/x /y/ccg ${command}:*`,
		"/x/ccg search:*",
		"rm:*",
	])
		expect(isGrantOf(`Bash(${rule})`, GRANTED_COMMANDS), rule).toBe(false);
	expect(isGrantOf(`Read(/x/ccg ${command}:*)`, GRANTED_COMMANDS)).toBe(false);
});

describe.each(["sh", "bash"].filter((shell) => runNow([shell, "-c", "exit 0"]).code === 0))("run by %s", (shell) => {
	it("shellWord names the same path", () => {
		for (const path of ["/plain/ccg", NASTY])
			expect(printedBy([shell, "-c", `printf %s ${shellWord(path)}`])).toBe(path);
	});

	it("starts the launcher with the right arguments and input; flags are those of the store in which it lies", () => {
		const { run, launcher, store } = world(shell, NASTY);
		const entries = catalog(launcher);
		touch(join(store, "run/flush/s1"));
		for (const { part, handler } of entries.hooks)
			for (const more of [{}, { CCG_HOME: "/x" }])
				expect(run(handler.command, more), part).toEqual({ code: 0, out: `hook,${part},|input`, err: "" });
		expect(run(entries.statusLine()).out).toBe("statusline,|input");
		const wrapped = `printf '%s' "$USER_LINE" '${"it'\\''s"}'`;
		expect(run(entries.statusLine(wrapped)).out).toBe(`statusline,--wrap,${wrapped},|input`);
	});

	it("of a launcher that lies in none the store below HOME is meant", () => {
		const { run, launcher, folder } = world(shell, "plain", "");
		const preCheck = commandOf(catalog(launcher), "pre-tool-use");
		expect(run(preCheck).out).toBe("");
		touch(join(folder, ".claude-memory/run/flush/s1"));
		expect(run(preCheck).out).toBe("hook,pre-tool-use,|input");
	});

	it.each(["flush", "halt", "follow-up"])("pre-tool-use starts once for this session's %s marker alone", (kind) => {
		const { run, launcher, store } = world(shell, NASTY);
		const preCheck = commandOf(catalog(launcher), "pre-tool-use");
		const nothing = { code: 0, out: "", err: "" };
		expect(run(preCheck)).toEqual(nothing);
		touch(join(store, "run", kind, "s2"));
		expect(run(preCheck)).toEqual(nothing);
		// a version that names no session: any marker counts
		expect(run(preCheck, { CLAUDE_CODE_SESSION_ID: undefined }).out).toContain("hook,pre-tool-use,");
		for (const folder of [kind, "flush"]) {
			touch(join(store, "run", folder, "s1"));
			expect(run(preCheck).out).toBe("hook,pre-tool-use,|input");
		}
	});

	it("measures nothing while a status line feeds the session", () => {
		const { run, launcher, store } = world(shell, NASTY);
		const measure = commandOf(catalog(launcher), "post-tool-use");
		const starts = (env: Record<string, string | undefined>) => run(measure, env).out.includes("hook,post-tool-use,");
		// a version that names no session
		for (const CLAUDE_CODE_SESSION_ID of ["s1", undefined]) expect(starts({ CLAUDE_CODE_SESSION_ID })).toBe(true);
		touch(join(store, "run/statusline/s1"));
		expect(run(measure)).toEqual({ code: 0, out: "", err: "" });
	});

	it("a launcher that is gone is 0 and nothing on stdout; a wrapped status line still shows", () => {
		const { run, folder } = world(shell, "plain");
		touch(join(folder, ".claude-memory/run/flush/s1"));
		const entries = catalog(`/gone/${NASTY}/bin/ccg`);
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

/** A launcher in a store of the given name, or elsewhere below it, that prints its arguments and its input. */
function world(shell: string, name: string, place = "app/current") {
	const folder = scratch("catalog");
	const store = join(folder, name);
	const launcher = join(store, place, "bin", "ccg");
	touch(launcher);
	writeFileSync(launcher, `#!/bin/sh\nprintf '%s,' "$@"\nprintf '|%s' "$(cat)"\n`);
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
