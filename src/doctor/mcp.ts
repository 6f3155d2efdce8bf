import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { foldersUp } from "../files/folders-up.ts";
import { isProgram } from "../files/on-path.ts";
import { mcpFile } from "../install/mcp-plan.ts";
import { findMcp, isOwnMcp, mcpEntry } from "../install/mcp-text.ts";
import { runProcess } from "../install/run-process.ts";
import { isObject, type SettingsFile } from "../install/settings-sources.ts";
import { readJson, readText } from "../store/json-file.ts";
import type { DoctorCheck, DoctorInput } from "./check.ts";
import { makeFixture } from "./fixture.ts";
import { makeScratch } from "./scratch.ts";

const TIME_LIMIT_MS = 15_000;
const CHECK = { id: "settings.mcp", title: "MCP server" };
const FIX = "run `ccg install --mcp`";

/**
 * Whether the MCP server is registered, and starts: only an entry that this installation would itself write is started, in a store
 * and a project of its own.
 */
export async function checkMcp(input: DoctorInput, root: string | null): Promise<DoctorCheck> {
	const { env, cwd, launcher } = input;
	if (!env.HOME && !env.CLAUDE_CONFIG_DIR) return { ...CHECK, status: "info", detail: "nobody's home folder is known" };
	const path = mcpFile({ env, cwd });
	const entry = findMcp(readText(path) ?? "{}");
	if (entry === null) return { ...CHECK, status: "info", detail: `not registered in ${path}`, fix: FIX };
	if (!isOwnMcp(entry)) return { ...CHECK, status: "warn", detail: `another server has the name ccg in ${path}` };
	if (!isProgram(entry.command)) return { ...CHECK, status: "fail", detail: `${entry.command} is gone`, fix: FIX };
	const home = isObject(entry.env) && typeof entry.env.CCG_HOME === "string" ? entry.env.CCG_HOME : undefined;
	const { type, command, args, env: own } = entry;
	if (!isDeepStrictEqual({ type, command, args, env: own }, mcpEntry(launcher, home)))
		return {
			...CHECK,
			status: "warn",
			detail: `not what this ccg registers, so not started: ${command} in ${path}`,
			fix: FIX,
		};
	const { problem, ms } = await start(input, root);
	if (problem) return { ...CHECK, status: "fail", detail: `${command} mcp in ${path}: ${problem}` };
	return { ...CHECK, status: "ok", detail: `${command} mcp in ${path}, starts in ${ms} ms` };
}

/**
 * Servers of a repository that bear ccg's name, or the one that its plugin's tools are called by: in that folder they take the place of
 * the user's own, without being asked where there is no terminal, and permission rules for the name let them in (measured on 2.1.330).
 */
export function checkSameName(cwd: string, sources: readonly SettingsFile[]): DoctorCheck[] {
	const own = sources.filter(({ scope }) => scope === "user" || scope === "managed");
	const refused = own.flatMap(({ settings }) => settings?.disabledMcpjsonServers ?? []);
	return [...foldersUp(cwd)].flatMap((folder) => {
		const path = join(folder, ".mcp.json");
		const servers = readJson<{ mcpServers: object }>(path)?.mcpServers ?? {};
		const names = Object.keys(servers).filter((name) => SAME_NAME.test(name) && !refused.includes(name));
		return names.map((name) => ({
			id: "settings.mcp-name",
			title: "MCP server of the same name",
			status: "warn" as const,
			detail: `${path} has a server named ${name}: there it takes the place of yours, and permission rules for that name allow what it does`,
			fix: `add ${JSON.stringify(name)} to "disabledMcpjsonServers" in your own settings`,
		}));
	});
}

/** As Claude Code makes names of tools: what is no letter, digit, `_` or `-` becomes `_`. */
const SAME_NAME = /^(?:plugin[^A-Za-z0-9-]ccg[^A-Za-z0-9-])?ccg$/;

const HELLO = [
	{
		id: 1,
		method: "initialize",
		params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "ccg doctor", version: "1" } },
	},
	{ id: 2, method: "tools/list", params: {} },
];

/** Greets the server as a client does. */
async function start(
	{ env, launcher, timeLimitMs = TIME_LIMIT_MS }: DoctorInput,
	root: string | null,
): Promise<{ problem: string | null; ms: number }> {
	const scratch = makeScratch(root);
	try {
		const fixture = makeFixture(scratch.path, 0, { env, root });
		const { out, err, code, ms, timedOut } = await runProcess([launcher, "mcp"], {
			cwd: fixture.project,
			env: fixture.env,
			input: HELLO.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join(""),
			timeLimitMs,
		});
		if (timedOut) return { problem: `it did not end within ${timeLimitMs / 1000} s`, ms };
		if (code === 0 && /"id":2\b/.test(out) && out.includes('"recall"')) return { problem: null, ms };
		return { problem: `it did not answer (exit ${code}): ${err.trim().split("\n").at(-1)?.slice(0, 200) ?? ""}`, ms };
	} finally {
		scratch.remove();
	}
}
