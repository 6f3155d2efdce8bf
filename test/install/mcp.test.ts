import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpFile, planMcp } from "../../src/install/mcp-plan.ts";
import { isChange } from "../../src/install/plan.ts";
import { scratch } from "../scratch-home.ts";

const LAUNCHER = "/opt/ccg/bin/ccg";
const SERVER = { type: "stdio", command: LAUNCHER, args: ["mcp"], env: {} };
const OLD = { ...SERVER, command: "/old/bin/ccg", timeout: 5_000 };
const REMOVE = "mcp remove --scope user ccg\n";
const add = (server: object): string => `mcp add-json --scope user ccg ${JSON.stringify(server)}\n`;

/** A home whose MCP servers are these, and a Claude Code that writes down what it is asked, and where. */
function world(servers: object | null, lines = "") {
	const home = scratch("mcp");
	const [bin, asked] = [join(home, "bin"), join(home, "asked")];
	mkdirSync(bin);
	writeFileSync(join(bin, "claude"), `#!/bin/sh\necho "$@" >>'${asked}'\npwd >'${home}/cwd'\n${lines}\n`, {
		mode: 0o755,
	});
	if (servers) writeFileSync(join(home, ".claude.json"), JSON.stringify({ userID: "u", mcpServers: servers }));
	const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin` };
	const request = { scope: "user" as const, env, cwd: join(home, "work"), launcher: LAUNCHER };
	return { home, request, read: (name = asked) => readFileSync(join(home, name.replace(home, "")), "utf8") };
}

test.each<[string, "install" | "uninstall", object | null, string]>([
	["no file", "install", null, add(SERVER)],
	["another server", "install", { other: {} }, add(SERVER)],
	["ccg's own", "install", { ccg: { ...SERVER, alwaysLoad: true } }, ""],
	["one of another ccg, with what the user set", "install", { ccg: OLD }, REMOVE + add({ ...OLD, command: LAUNCHER })],
	["ccg's own", "uninstall", { ccg: OLD }, REMOVE],
	["another server of the name", "uninstall", { ccg: { command: "npx", args: ["ccg"] } }, ""],
	["no file", "uninstall", null, ""],
])("%s, %s: what Claude Code is asked for, in no folder of the project's", async (_, kind, servers, asked) => {
	const at = world(servers);
	const plan = planMcp(kind, at.request);
	expect(isChange(plan)).toBe(asked !== "");
	await plan.act();
	if (!asked) return;
	expect([at.read(), at.read("cwd")]).toEqual([asked, "/\n"]);
	expect(plan.commands.join("\n").replaceAll(/claude |'/g, "")).toBe(asked.trim());
});

test.each([
	["another server", { command: "npx", args: ["ccg"] }],
	["a remote one", { type: "http", url: "https://example.com" }],
	["a relative path", { command: "bin/ccg", args: ["mcp"] }],
	["no object", "x"],
])("%s of the name is not replaced", (_, ccg) => {
	expect(() => planMcp("install", world({ ccg }).request)).toThrow("has another MCP server of the name 'ccg'");
});

test("what Claude Code has against it is told, and what to type where none is found", async () => {
	const { request } = world(null, "echo 'no room' >&2; exit 1");
	await expect(planMcp("install", request).act()).rejects.toThrow("`claude mcp add-json` failed: no room");
	const without = { ...request, env: { ...request.env, PATH: "/usr/bin:/bin" } };
	expect(() => planMcp("install", without)).toThrow("run claude mcp add-json --scope user ccg '{");
});

test("the older file counts while it is there, and CLAUDE_CONFIG_DIR", () => {
	const home = scratch("home");
	const file = (env: object) => mcpFile({ env: { HOME: home, ...env }, cwd: "/" });
	expect([file({}), file({ CLAUDE_CONFIG_DIR: "/c" })]).toEqual([join(home, ".claude.json"), "/c/.claude.json"]);
	mkdirSync(join(home, ".claude"));
	writeFileSync(join(home, ".claude", ".config.json"), "{}");
	expect(file({})).toBe(join(home, ".claude", ".config.json"));
});
