import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asTyped } from "../../src/cli/support/own-name.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { scratch } from "../scratch-home.ts";
import { sessionStore } from "./session-store.ts";

const { home, sid } = sessionStore();
const shell = (line: string, env: Record<string, string> = {}) =>
	run(["/bin/bash", "-c", line, "bash", LAUNCHER], { env: { HOME: home, ...env }, cwd: scratch() });

/** Everything that answers. */
const COMMANDS = [
	"--help",
	"--version",
	"help task",
	"completion bash",
	"status",
	"status --json",
	"sessions",
	`sessions export ${sid}`,
	"sessions show",
	"approvals",
	"report",
	"env",
	"profile",
	"memory list",
	"memory list --notes",
	"memory edit",
	"memory check",
	"memory inventory",
	`task --session ${sid}`,
	"gc --dry-run",
];

describe("a full disk is no success, and said in one line", () => {
	test.each(COMMANDS)("ccg %s > /dev/full", async (command) => {
		const { code, err } = await shell(`"$1" ${command} > /dev/full`);
		expect(code).toBe(1);
		expect(err.trim().split("\n").at(-1)).toBe(
			"ccg: the answer could not be written to standard output: the disk is full",
		);
		expect(err).not.toMatch(/^\s+at /m);
	});
});

describe("a reader that goes away is no failure", () => {
	test.each(COMMANDS)("ccg %s | true", async (command) => {
		const before = (await shell(`"$1" ${command} > /dev/null`)).code;
		for (const reader of ["true", "head -c 1"]) {
			const { code, err } = await shell(`"$1" ${command} | ${reader} > /dev/null; exit \${PIPESTATUS[0]}`);
			expect(code, err).toBe(before);
			expect(err).not.toMatch(/EPIPE|^\s+at |rror/m);
		}
	});

	test("the work is done to its end", async () => {
		const own = scratch("home");
		await shell('"$1" memory save --global "kept all the same" | true', { HOME: own });
		expect((await shell('"$1" memory show --global', { HOME: own })).out).toContain("kept all the same");
	});
});

test("stderr on a full disk changes nothing", async () => {
	expect(await shell('"$1" status 2> /dev/full')).toMatchObject({ code: 0 });
	expect(await shell('"$1" nonsense 2> /dev/full')).toMatchObject({ code: 2 });
});

test("without any session status says what brings one", async () => {
	const { out } = await shell('"$1" status', { HOME: scratch("home") });
	expect(out).toMatch(/^No session yet: .*ccg install` registers them/);
	expect(out).not.toContain("two days");
});

describe("colours", () => {
	const coloured = async (line: string, env: Record<string, string> = {}) =>
		(await shell(line, env)).out.includes("\u001b[");
	// script gives it a terminal
	const onTerminal = 'script -qec "$1 status $2" /dev/null < /dev/null';
	test.each([
		["piped", '"$1" status', {}, false],
		["piped, in a CI", '"$1" status', { CI: "1" }, false],
		["piped, forced", '"$1" status', { FORCE_COLOR: "1" }, true],
		["piped, forced and refused", '"$1" status --no-color', { FORCE_COLOR: "1" }, false],
		["on a terminal", onTerminal, { TERM: "xterm" }, true],
		["on a terminal, NO_COLOR", onTerminal, { TERM: "xterm", NO_COLOR: "1" }, false],
		["on a dumb terminal", onTerminal, { TERM: "dumb" }, false],
	] as [string, string, Record<string, string>, boolean][])("%s", async (_, line, env, wanted) => {
		expect(await coloured(line, env)).toBe(wanted);
	});
});

test("limits of config.json that do not count are told", async () => {
	const own = sessionStore();
	writeFileSync(join(own.store, "config.json"), '{"recovery":{"maxChars":99999},"steering":{"maxChars":1}}');
	const told = [
		"recovery.maxChars: 99999 is out of bounds (500 to 19000); 19000 counts",
		"steering.maxChars: 1 is out of bounds (800 to 9500); 800 counts",
	];
	for (const command of ["status", "profile show", "doctor"]) {
		const { out, err } = await shell(`"$1" ${command}`, { HOME: own.home });
		for (const line of told) expect((out + err).replace(/\s+/g, " "), command).toContain(line);
	}
});

describe("what is printed can be typed", () => {
	const ownHome = scratch("home");
	const NOT_ON_PATH = { env: { PATH: "/nowhere" }, launcher: LAUNCHER };
	test.each([
		["on PATH", true, "ccg"],
		["not on PATH", false, LAUNCHER],
		["another ccg on PATH", "other", LAUNCHER],
	])("%s", async (_, onPath, name) => {
		const bin = scratch("bin");
		if (onPath === true) symlinkSync(LAUNCHER, join(bin, "ccg"));
		if (onPath === "other") writeFileSync(join(bin, "ccg"), "#!/bin/sh\n", { mode: 0o755 });
		const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: scratch("home") };
		expect((await shell('"$1" report --session x', env)).err).toContain(`'${name} sessions list'`);
		expect((await shell('"$1" gc --nonsense', env)).err).toContain(`(${name} gc --help shows what there is)`);
		const { out } = await shell('"$1" help task', env);
		expect(out).toContain(`\n  ${name} task bundle\n`);
		expect((await shell('"$1" --help', env)).out).toContain(`\n  ${name} install --dry-run\n`);
	});

	// nothing of it is quoted: what is a command there is one to type
	test.each([
		"status",
		"memory",
		"memory delete 1",
		"install --dry-run",
		"install --yes",
		"install --yes --scope local",
		"doctor",
		"doctor --json",
		"memory save x",
		"memory delete",
		"memory edit",
		"memory move",
		"memory list --notes",
		"memory check",
		"memory inventory",
		"statusline legend",
		"uninstall --yes",
		"demo",
		"demo --full",
		"task status",
	])("ccg %s: by its path where PATH does not find it", async (command) => {
		const { out, err } = await shell(`"$1" ${command}`, { HOME: ownHome });
		const bare = `${out}\n${err}`.split("\n").filter((line) => asTyped(line, NOT_ON_PATH) !== line);
		// what the status line says has no room for a path
		if (command === "statusline legend") expect(bare.splice(0)).toEqual([expect.stringContaining("⚠ hook failed:")]);
		expect(bare).toEqual([]);
	});
});
