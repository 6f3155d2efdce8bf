import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shellWord } from "../../src/core/text/quoted.ts";
import { logPath } from "../../src/store/paths.ts";
import { LAUNCHER, sandbox } from "../kit/sandbox.ts";
import { plant } from "../search/kit.ts";
import { connect } from "./client.ts";

const lines = (text: string): unknown[] =>
	text
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));

test("stdout holds the protocol and nothing else, whatever comes in", async () => {
	const at = sandbox();
	const client = await connect(at);
	for (const line of [
		"no JSON",
		"{}",
		"[]",
		'{"jsonrpc":"2.0","id":900,"method":"nope/nope"}',
		'{"jsonrpc":"2.0","id":901,"method":"tools/call"}',
		'{"jsonrpc":"2.0","id":902,"method":"tools/call","params":{"name":5}}',
		'{"jsonrpc":"2.0","method":"notifications/what"}',
		`{"jsonrpc":"2.0","id":904,"result":{"x":${"[".repeat(2_000)}${"]".repeat(2_000)}}}`,
		"\u0000\u0001",
	])
		client.send(line);
	expect((await client.ask("tools/list")).result!.tools).toHaveLength(4);
	const answers = lines(client.out()) as { jsonrpc: string; id?: number; error?: object }[];
	expect(answers.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
	for (const id of [900, 901, 902])
		expect(answers.find((answer) => answer.id === id)).toMatchObject({ error: { message: expect.any(String) } });
	const began = performance.now();
	expect(await client.end()).toBe(0);
	expect(performance.now() - began).toBeLessThan(3_000);
	expect(await client.err()).toBe("");
});

function isAlive(pid: string): boolean {
	try {
		process.kill(Number(pid), 0);
	} catch {
		return false;
	}
	// one that ended and that nobody has waited for
	const stat = `/proc/${pid}/stat`;
	return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, "utf8"));
}

test("it ends when its parent is gone, though somebody else holds the pipe", async () => {
	const at = sandbox();
	const pidFile = join(at.top, "pid");
	// the inner shell ends and leaves the server behind; `sleep` keeps the other end of its stdin open
	const script = `sleep 15 | { exec 3<&0; ${shellWord(LAUNCHER)} mcp <&3 & echo $! >${shellWord(pidFile)}; sleep 1; }`;
	const shell = Bun.spawn(["/bin/sh", "-c", script], { cwd: at.project, env: at.env, stdout: "pipe" });
	await Bun.sleep(1_500);
	const pid = readFileSync(pidFile, "utf8").trim();
	expect(isAlive(pid)).toBe(true);
	for (let i = 0; i < 90 && isAlive(pid); i++) await Bun.sleep(100);
	expect(isAlive(pid)).toBe(false);
	// the pipe was open to the end
	expect(shell.exitCode).toBe(null);
	shell.kill();
}, 20_000);

test("a message over 4 MB ends the connection, with a line in the log", async () => {
	const at = sandbox();
	mkdirSync(at.store, { mode: 0o700 });
	const client = await connect(at);
	client.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"x":"${"y".repeat(5_000_000)}"}}`);
	expect(await client.exited).toBe(0);
	expect(readFileSync(logPath(at.store), "utf8")).toMatch(/^\S+ mcp: .*\n$/);
});

test("a store that is open to others is neither read nor written", async () => {
	const at = sandbox();
	plant(at, at.project, ["The drum cache."]);
	chmodSync(at.store, 0o777);
	const client = await connect(at);
	for (const [name, given] of [
		["recall", { query: "drum" }],
		["save_memory", { text: "x" }],
	] as const)
		expect(await client.call(name, given)).toMatchObject({ isError: true, text: expect.stringContaining("chmod") });
	expect(readdirSync(at.store)).not.toContain("log");
});
