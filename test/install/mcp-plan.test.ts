import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmdirSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyMcp, mcpFile, planMcp } from "../../src/install/mcp-plan.ts";
import { findMcp } from "../../src/install/mcp-text.ts";
import { scratch } from "../scratch-home.ts";
import { SHAPES } from "./shapes.ts";

const FAST = { betweenReadsMs: 1, patienceMs: 50, settleMs: 2, giveUpMs: 200 };
const LAUNCHER = "/opt/ccg/bin/ccg";
const ENTRY = { type: "stdio", command: LAUNCHER, args: ["mcp"], env: {} };
const withServers = (servers: unknown): string => JSON.stringify({ userID: "u", mcpServers: servers, zz: 1 }, null, 2);

/** A home with this file of Claude Code's, and the two changes of it. */
function world(text: string | null, { env = {}, launcher = LAUNCHER }: { env?: object; launcher?: string } = {}) {
	const home = scratch("home");
	const path = join(home, ".claude.json");
	if (text !== null) writeFileSync(path, text, { mode: 0o600 });
	const request = { env: { HOME: home, ...env }, cwd: home, launcher, timing: FAST, tell: () => {} };
	const change = async (kind: "install" | "uninstall") => applyMcp(await planMcp(kind, request), request);
	return {
		home,
		path,
		request,
		change,
		read: () => readFileSync(path, "utf8"),
		receipts: () => {
			const folder = join(home, ".claude-memory", "install");
			return existsSync(folder) ? readdirSync(folder) : [];
		},
	};
}

const CLAUDES: Record<string, string> = {
	"no servers yet": JSON.stringify({ numStartups: 3, oauthAccount: { a: 1 } }, null, 2),
	"an empty list": withServers({}),
	"other servers": withServers({ other: { type: "stdio", command: "x", args: [], env: {} } }),
};

describe("the MCP server in Claude Code's own file", () => {
	it.each(Object.entries({ ...SHAPES, ...CLAUDES }))("%s: registered, and the same bytes after it", async (_, text) => {
		const { path, change, request, receipts } = world(text);
		expect(await change("install")).toBe(true);
		expect(findMcp(readFileSync(path, "utf8"))).toEqual(ENTRY);
		expect((await planMcp("install", request)).changed).toBe(false);
		const others = JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
		delete others.mcpServers.ccg;
		const { mcpServers = {}, ...before } = JSON.parse(text.replace(/^\uFEFF/, ""));
		expect(others).toEqual({ ...before, mcpServers });
		expect(await change("uninstall")).toBe(true);
		expect(readFileSync(path)).toEqual(Buffer.from(text));
		expect([receipts(), existsSync(`${path}.lock`)]).toEqual([[], false]);
	});

	it("a file that was not there is made for its owner alone, and gone again", async () => {
		const { path, change } = world(null);
		await change("install");
		expect(statSync(path).mode & 0o777).toBe(0o600);
		await change("uninstall");
		expect(existsSync(path)).toBe(false);
	});

	it("what Claude Code has written since stays", async () => {
		const { path, change, read } = world(null);
		await change("install");
		writeFileSync(path, JSON.stringify({ userID: "new", ...JSON.parse(read()) }, null, 2));
		await change("uninstall");
		expect(JSON.parse(read())).toEqual({ userID: "new" });
	});

	it("an entry of another ccg is renewed, with what the user has set beside it", async () => {
		const old = { ...ENTRY, command: "/old/bin/ccg", alwaysLoad: true, timeout: 5_000 };
		const { change, read } = world(withServers({ a: { command: "a" }, ccg: old }));
		await change("install");
		expect(findMcp(read())).toMatchObject({ command: LAUNCHER, alwaysLoad: true, timeout: 5_000 });
	});

	it("a store of one's own goes into the entry", async () => {
		const store = scratch("own");
		const { change, read } = world("{}", { env: { CCG_HOME: store } });
		await change("install");
		expect(findMcp(read())).toEqual({ ...ENTRY, env: { CCG_HOME: store } });
	});

	it.each([
		["another server", { command: "npx", args: ["ccg"] }],
		["a remote one", { type: "http", url: "https://example.com" }],
		["a relative path", { command: "bin/ccg", args: ["mcp"] }],
		["no object", "x"],
	])("%s of the name is neither replaced nor taken out", async (_, entry) => {
		const { path, change, read } = world(withServers({ ccg: entry }));
		const before = read();
		await expect(change("install")).rejects.toThrow(`${path} has another MCP server of the name 'ccg'`);
		expect(await change("uninstall")).toBe(false);
		expect(read()).toBe(before);
	});

	it.each([
		["torn", '{"a": 1, "mcpServ'],
		["of another type", '{"mcpServers": []}'],
		["empty", ""],
	])("a file that is %s is not touched", async (_, text) => {
		const { change, read, receipts } = world(text);
		await expect(change("install")).rejects.toThrow(/Nothing was changed/);
		expect([read(), receipts()]).toEqual([text, []]);
	});

	it("the file may be a link, which stays one", async () => {
		const { home, path, change } = world(null);
		mkdirSync(join(home, "dot"));
		writeFileSync(join(home, "dot", "claude.json"), '{"a":1}');
		symlinkSync("dot/claude.json", path);
		await change("install");
		expect(findMcp(readFileSync(join(home, "dot", "claude.json"), "utf8"))).toEqual(ENTRY);
		await change("uninstall");
		expect(readFileSync(path, "utf8")).toBe('{"a":1}');
	});

	it("waits for Claude Code's lock, and edits what stands there then", async () => {
		const { path, change, read } = world('{"a":1}');
		mkdirSync(`${path}.lock`);
		const done = change("install");
		await Bun.sleep(300);
		expect(read()).toBe('{"a":1}');
		writeFileSync(path, '{"a":2,"b":3}');
		rmdirSync(`${path}.lock`);
		await done;
		expect(JSON.parse(read())).toMatchObject({ a: 2, b: 3, mcpServers: { ccg: ENTRY } });
	});

	it("the older file counts while it is there, and CLAUDE_CONFIG_DIR", () => {
		const home = scratch("home");
		const file = (env: object) => mcpFile({ env: { HOME: home, ...env }, cwd: "/" });
		expect(file({})).toBe(join(home, ".claude.json"));
		expect(file({ CLAUDE_CONFIG_DIR: "/c" })).toBe("/c/.claude.json");
		mkdirSync(join(home, ".claude"));
		writeFileSync(join(home, ".claude", ".config.json"), "{}");
		expect(file({})).toBe(join(home, ".claude", ".config.json"));
	});
});
