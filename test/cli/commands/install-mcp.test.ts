import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findMcp } from "../../../src/install/mcp-text.ts";
import { findEntries } from "../../../src/install/settings-text.ts";
import { ccg, LAUNCHER, type Sandbox, sandbox } from "../../kit/sandbox.ts";

const CLAUDE = '{\n  "oauthAccount": "somebody@example.com",\n  "numStartups": 3\n}';

function home(text: string | null = CLAUDE): Sandbox & { file: string; settings: string; read(): string } {
	const at = sandbox();
	const file = join(at.home, ".claude.json");
	if (text !== null) writeFileSync(file, text);
	// outside of a session
	return {
		...at,
		env: at.machine,
		file,
		settings: join(at.home, ".claude", "settings.json"),
		read: () => readFileSync(file, "utf8"),
	};
}

test("--dry-run shows the server, nothing else of that file, and writes nothing", async () => {
	const at = home();
	const { out, code } = await ccg(at, ["install", "--in-place", "--mcp", "--dry-run"]);
	expect(code).toBe(0);
	expect(out).toContain(`+++ ${at.file}: mcpServers.ccg`);
	expect(out).toContain(`+  "command": "${LAUNCHER}"`);
	expect(out).toContain("registers an MCP server");
	expect(out).not.toContain("somebody");
	expect([at.read(), existsSync(at.settings), existsSync(at.store)]).toEqual([CLAUDE, false, false]);
});

test("without a terminal it asks for --yes, and names --mcp", async () => {
	const at = home();
	const { err, code } = await ccg(at, ["install", "--in-place", "--mcp"]);
	expect([code, at.read()]).toEqual([2, CLAUDE]);
	expect(err).toContain("install --mcp --in-place --yes");
});

test("registers hooks and server; uninstall takes both out, to the byte", async () => {
	const at = home();
	const { out, code } = await ccg(at, ["install", "--in-place", "--mcp", "--yes"]);
	expect(code).toBe(0);
	expect(out).toContain(`Registered the MCP server ccg in ${at.file}.`);
	expect(findMcp(at.read())).toMatchObject({ command: LAUNCHER, args: ["mcp"] });
	expect((await ccg(at, ["install", "--in-place", "--mcp"])).out).toContain(
		`Already up to date: ${at.settings}, ${at.file}`,
	);
	const undone = await ccg(at, ["uninstall", "--yes"]);
	expect(undone.out).toContain(`Took the MCP server ccg out of ${at.file}.`);
	expect([at.read(), existsSync(at.settings)]).toEqual([CLAUDE, false]);
});

test("beside an installation it adds the server alone; an install without --mcp leaves it", async () => {
	const at = home();
	await ccg(at, ["install", "--in-place", "--yes"]);
	expect(findMcp(at.read())).toBe(null);
	const before = readFileSync(at.settings, "utf8");
	const { out } = await ccg(at, ["install", "--in-place", "--mcp", "--yes"]);
	expect(out).not.toContain(`+++ ${at.settings}`);
	expect(readFileSync(at.settings, "utf8")).toBe(before);
	await ccg(at, ["install", "--in-place", "--yes", "--allow-memory"]);
	expect(findMcp(at.read())).not.toBe(null);
});

test("it is the user's: another scope is refused", async () => {
	const at = home();
	const { err, code } = await ccg(at, ["install", "--in-place", "--mcp", "--scope", "local", "--yes"]);
	expect([code, at.read()]).toEqual([1, CLAUDE]);
	expect(err).toContain("leave --scope local out");
	await ccg(at, ["install", "--in-place", "--mcp", "--yes"]);
	await ccg(at, ["uninstall", "--scope", "local", "--yes"]);
	expect(findMcp(at.read())).not.toBe(null);
});

test("a file that can't be read keeps nobody from uninstalling the rest", async () => {
	const at = home();
	await ccg(at, ["install", "--in-place", "--mcp", "--yes"]);
	writeFileSync(at.file, "{torn");
	const { err, code } = await ccg(at, ["uninstall", "--yes"]);
	expect([code, existsSync(at.settings), at.read()]).toEqual([0, false, "{torn"]);
	expect(err).toContain("the MCP server was not looked for");
});

test("where that file can't be written, the hooks are registered and Claude Code's own command is named", async () => {
	const at = home();
	chmodSync(at.file, 0o444);
	const { err, code } = await ccg(at, ["install", "--in-place", "--mcp", "--yes"]);
	expect(code).toBe(1);
	expect(err).toContain("marked read-only");
	expect(err).toContain(`claude mcp add --scope user ccg ${LAUNCHER} mcp\n`);
	expect(findEntries(readFileSync(at.settings, "utf8")).length).toBeGreaterThan(0);
	expect(at.read()).toBe(CLAUDE);
});
