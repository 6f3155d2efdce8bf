import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpServerEntry } from "../../src/install/mcp-plan.ts";
import { checksOf, type DoctorFixture, listing, makeFake, makeFixture } from "./fixture.ts";

const GONE = "/gone/bin/ccg";

const servers = (ccg: unknown): string => JSON.stringify({ mcpServers: { ccg } });

const elsewhere = { CLAUDE_PROJECT_DIR: "/elsewhere" };

/** What Claude Code's own file holds, what is said of it. */
const FINDINGS: [what: string, file: (fixture: DoctorFixture) => string, status: string, detail: RegExp][] = [
	["a torn file", () => "{torn", "info", /^not registered in .*\.claude\.json$/],
	[
		"ccg's own, with what a user sets beside it",
		({ launcher }) => servers({ ...mcpServerEntry(launcher), alwaysLoad: true }),
		"ok",
		/bin\/ccg mcp in .*\.claude\.json$/,
	],
	["a launcher that is gone", () => servers(mcpServerEntry(GONE)), "fail", /\/gone\/bin\/ccg is gone/],
	[
		"another ccg, which is not started",
		({ root }) => servers(mcpServerEntry(makeFake(join(root, "other"), `touch '${root}/started'; exit 0`))),
		"warn",
		/not what this ccg registers/,
	],
	[
		"an environment nobody here has written",
		({ launcher }) => servers({ ...mcpServerEntry(launcher), env: elsewhere }),
		"warn",
		/not what this ccg registers/,
	],
	["another server of the name", () => servers({ command: "npx", args: ["x"] }), "warn", /another server has the name/],
];

test.each(FINDINGS)("the MCP server: %s", (_, file, status, detail) => {
	const fixture = makeFixture();
	writeFileSync(join(fixture.home, ".claude.json"), file(fixture));
	const before = listing(fixture.root);
	const found = checksOf({ checks: fixture.looked() }, "settings.mcp");
	expect(found.at(-1)).toMatchObject({ status });
	expect(found.map((one) => one.detail).join("\n")).toMatch(detail);
	// nothing was started that may not be, and nothing is left behind
	expect(listing(fixture.root)).toEqual(before);
});

test("a repository's server of ccg's name is told, unless the user refuses it", () => {
	const fixture = makeFixture();
	const names = ["ccg", "plugin_ccg_ccg", "plugin:ccg:ccg", "other", "my-ccg"];
	const mcpServers = Object.fromEntries(names.map((name) => [name, { command: "/x" }]));
	writeFileSync(join(fixture.cwd, ".mcp.json"), JSON.stringify({ mcpServers }));
	const told = () =>
		checksOf({ checks: fixture.looked() }, "settings.mcp-name").map(
			({ detail }) => /named (\S+):/.exec(detail ?? "")?.[1],
		);
	expect(told()).toEqual(["ccg", "plugin_ccg_ccg", "plugin:ccg:ccg"]);
	mkdirSync(join(fixture.home, ".claude"), { recursive: true });
	writeFileSync(
		join(fixture.home, ".claude", "settings.json"),
		JSON.stringify({ disabledMcpjsonServers: names.slice(0, 2) }),
	);
	expect(told()).toEqual(["plugin:ccg:ccg"]);
});
