import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { runNow } from "../kit/process.ts";
import { LAUNCHER } from "../kit/sandbox.ts";
import { bash, type ClaudeSandbox, claudeSandbox, everything, logged, times } from "./claude-sandbox.ts";
import { playing } from "./loopback-api.ts";

let made: ClaudeSandbox;
afterEach(() => made?.close());

const PAUSE = { delayMs: 400 };

/** Everything a clone can bring to get into ccg's process, in the folder that is opened and in one above it. */
function plant(folder: string, canary: string): void {
	const evil = `require("node:fs").appendFileSync(${JSON.stringify(canary)}, process.argv.join(" ") + "\\n");\n`;
	const write = (name: string, text: string, mode = 0o644): void => {
		mkdirSync(join(folder, name, ".."), { recursive: true });
		writeFileSync(join(folder, name), text, { mode });
	};
	write("e.ts", evil);
	for (const name of ["tsconfig.json", "jsconfig.json"])
		write(name, '{"compilerOptions":{"baseUrl":".","paths":{"/*":["./e.ts"]}}}');
	write("bunfig.toml", 'preload = ["./e.ts"]\n');
	for (const name of [".env", ".env.local"]) write(name, "BUN_OPTIONS=--preload=./e.ts\nCCG_HOME=/nowhere\n");
	for (const name of ["commander", "zod", "yaml"]) write(`node_modules/${name}/index.js`, evil);
	for (const name of ["bun", "readlink", "uname"]) write(name, `#!/bin/sh\necho "$0" >>'${canary}'\n`, 0o755);
	write("bin/ccg", `#!/bin/sh\necho "$0 $*" >>'${canary}'\n`, 0o755);
}

test("a hostile clone is opened, worked in and compacted: nothing of it runs in ccg, and the work comes back", async () => {
	made = claudeSandbox(
		playing([
			{ tools: [bash("echo calm")], tokens: 20_000 },
			{ tools: [bash("echo near")], tokens: 45_000, ...PAUSE },
			{ tools: [bash("echo on"), bash("echo too")], tokens: 50_000, ...PAUSE },
			{ tools: [bash("echo full")], tokens: 90_000, ...PAUSE },
			{ tools: [bash("echo after")], tokens: 20_000, ...PAUSE },
			{ text: "done", tokens: 21_000 },
		]),
		{ env: { PATH: ".:tools::/usr/bin:/bin" } },
	);
	const canary = join(made.home, "canary");
	plant(made.project, canary);
	plant(join(made.project, ".."), canary);
	// what the repository's settings may set for every command of the session
	mkdirSync(join(made.project, ".claude"));
	const env = {
		BUN_OPTIONS: "--preload=./e.ts",
		BUN_JSC_functionOverrides: "./e.ts",
		NODE_COMPILE_CACHE: join(made.project, "compile-cache"),
	};
	writeFileSync(join(made.project, ".claude", "settings.json"), JSON.stringify({ env }));

	await made.claude("Write a parser for the ledger format. Never touch the file legacy.c.");
	expect(existsSync(canary) ? readFileSync(canary, "utf8") : "").toBe("");
	expect(existsSync(join(made.project, "compile-cache"))).toBe(false);
	// and ccg was at work all the time
	expect(made.api.requests.filter(({ kind }) => kind === "summary")).toHaveLength(1);
	const last = made.api.requests.filter(({ kind }) => kind === "main").at(-1)!;
	expect(times(last, "this session before its conversation was compacted")).toBe(1);
	expect(everything(last)).toContain("Never touch the file legacy.c.");
	expect(logged(made)).toBe("");

	// looked at by hand, the status line included
	const { statusLine } = JSON.parse(readFileSync(join(made.home, ".claude", "settings.json"), "utf8"));
	const input = JSON.stringify({ session_id: "x", cwd: made.project, model: { id: "claude-sonnet-4-6" } });
	const options = { cwd: made.project, env: { ...made.env, ...env }, input };
	expect(runNow(["/bin/sh", "-c", statusLine.command], options).out).not.toBe("");
	for (const args of [["status"], ["doctor"], ["memory", "list"]]) runNow([LAUNCHER, ...args], options);
	expect(existsSync(canary)).toBe(false);
});
