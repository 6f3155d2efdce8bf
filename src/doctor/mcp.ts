import { join } from "node:path";
import { isProgram } from "../files/on-path.ts";
import { foldersUp } from "../files/real-path.ts";
import { isObject } from "../install/entries.ts";
import { addMcp, findMcp, isOwnMcp, mcpEntry, mcpFile } from "../install/mcp-plan.ts";
import { runProcess } from "../install/run-process.ts";
import type { SettingsFile } from "../install/settings-sources.ts";
import { readJson, readText } from "../store/json-file.ts";
import { type DoctorCheck, type DoctorInput, look } from "./check.ts";
import { inScratch } from "./sandbox.ts";

const TIME_LIMIT_MS = 15_000;
const CHECK = look("settings.mcp", "MCP server");
const FIX = "run `ccg install --mcp`";

/**
 * Whether the MCP server is registered, and starts: only an entry that an install of this ccg would leave as it is is started, in a
 * store and a project of its own.
 */
export async function checkMcp(input: DoctorInput, root: string | null): Promise<DoctorCheck> {
	const { env, cwd, launcher } = input;
	if (!env.HOME && !env.CLAUDE_CONFIG_DIR) return CHECK.info("nobody's home folder is known");
	const path = mcpFile({ env, cwd });
	const text = readText(path) ?? "{}";
	const entry = findMcp(text);
	if (entry === null) return CHECK.info(`not registered in ${path}`, FIX);
	if (!isOwnMcp(entry)) return CHECK.warn(`another server has the name ccg in ${path}`);
	const { command, env: own } = entry;
	if (!isProgram(command)) return CHECK.fail(`${command} is gone`, FIX);
	const home = isObject(own) && typeof own.CCG_HOME === "string" ? own.CCG_HOME : undefined;
	if (addMcp(text, mcpEntry(launcher, home), path) !== text)
		return CHECK.warn(`not what this ccg registers, so not started: ${command} in ${path}`, FIX);
	const { problem, ms } = await start(input, root);
	if (problem) return CHECK.fail(`${command} mcp in ${path}: ${problem}`);
	return CHECK.ok(`${command} mcp in ${path}, starts in ${ms} ms`);
}

/**
 * Servers of a repository that bear ccg's name, or the one that its plugin's tools are called by: in that folder they take the place of
 * the user's own, without being asked where there is no terminal, and permission rules for the name let them in (measured on 2.1.330).
 */
export function checkSameName(cwd: string, sources: readonly SettingsFile[]): DoctorCheck[] {
	const { warn } = look("settings.mcp-name", "MCP server of the same name");
	const own = sources.filter(({ scope }) => scope === "user" || scope === "managed");
	const refused = own.flatMap(({ settings }) => settings?.disabledMcpjsonServers ?? []);
	return [...foldersUp(cwd)].flatMap((folder) => {
		const path = join(folder, ".mcp.json");
		const servers = readJson<{ mcpServers: object }>(path)?.mcpServers ?? {};
		const names = Object.keys(servers).filter((name) => SAME_NAME.test(name) && !refused.includes(name));
		return names.map((name) =>
			warn(
				`${path} has a server named ${name}: there it takes the place of yours, and permission rules for that name allow what it does`,
				`add ${JSON.stringify(name)} to "disabledMcpjsonServers" in your own settings`,
			),
		);
	});
}

/** As Claude Code makes names of tools: what is no letter, digit, `_` or `-` becomes `_`. */
const SAME_NAME = /^(?:plugin[^A-Za-z0-9-]ccg[^A-Za-z0-9-])?ccg$/;

const CLIENT = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "ccg doctor", version: "1" } };
const HELLO = [
	{ id: 1, method: "initialize", params: CLIENT },
	{ id: 2, method: "tools/list", params: {} },
];

/** Greets the server as a client does. */
function start(
	{ env, launcher, timeLimitMs = TIME_LIMIT_MS }: DoctorInput,
	root: string | null,
): Promise<{ problem: string | null; ms: number }> {
	return inScratch(
		{ env, root },
		() => "",
		async (sandbox) => {
			const { out, err, code, ms, timedOut } = await runProcess([launcher, "mcp"], {
				cwd: sandbox.project,
				env: sandbox.env,
				input: HELLO.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join(""),
				timeLimitMs,
			});
			if (timedOut) return { problem: `it did not end within ${timeLimitMs / 1000} s`, ms };
			if (code === 0 && /"id":2\b/.test(out) && out.includes('"recall"')) return { problem: null, ms };
			return { problem: `it did not answer (exit ${code}): ${err.trim().split("\n").at(-1)?.slice(0, 200) ?? ""}`, ms };
		},
	);
}
