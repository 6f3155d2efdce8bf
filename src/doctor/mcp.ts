import { isProgram } from "../files/on-path.ts";
import { addMcp, atHome, findMcp, isOwnMcp, mcpEntry, mcpFile } from "../install/mcp-plan.ts";
import { runProcess } from "../install/run-process.ts";
import { readText } from "../store/json-file.ts";
import { type Finding, fail, info, ok, warn } from "./check.ts";
import { inScratch } from "./sandbox.ts";
import type { Seen } from "./seen.ts";

const FIX = "run `ccg install --mcp`";

/**
 * Whether the MCP server is registered, and starts: only an entry that an install of this ccg would leave as it is is started, in a
 * store and a project of its own.
 */
export async function checkMcp(seen: Seen): Promise<Finding> {
	const { env, cwd, launcher } = seen;
	if (!env.HOME && !env.CLAUDE_CONFIG_DIR) return info("nobody's home folder is known");
	const path = mcpFile({ env, cwd });
	const text = readText(path) ?? "{}";
	const entry = findMcp(text);
	if (entry === null) return info(`not registered in ${path}`, FIX);
	if (!isOwnMcp(entry)) return warn(`another server has the name ccg in ${path}`);
	const { command } = entry;
	if (!isProgram(atHome(command))) return fail(`${command} is gone`, FIX);
	if (addMcp(text, mcpEntry(launcher), path) !== text)
		return warn(`not what this ccg registers, so not started: ${command} in ${path}`, FIX);
	const { problem, ms } = await start(seen);
	if (problem) return fail(`${command} mcp in ${path}: ${problem}`);
	return ok(`${command} mcp in ${path}, starts in ${ms} ms`);
}

const CLIENT = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "ccg doctor", version: "1" } };
const HELLO = [
	{ id: 1, method: "initialize", params: CLIENT },
	{ id: 2, method: "tools/list", params: {} },
];

/** Greets the server as a client does. */
const start = (seen: Seen): Promise<{ problem: string | null; ms: number }> =>
	inScratch(seen, async ({ project: cwd, env, launcher }) => {
		const { timeLimitMs } = seen;
		const input = HELLO.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join("");
		const { out, err, code, ms, timedOut } = await runProcess([launcher, "mcp"], { cwd, env, input, timeLimitMs });
		if (timedOut) return { problem: `it did not end within ${timeLimitMs / 1000} s`, ms };
		if (code === 0 && out.includes('"id":2') && out.includes('"recall"')) return { problem: null, ms };
		return { problem: `it did not answer (exit ${code}): ${err.trim().split("\n").at(-1)?.slice(0, 200) ?? ""}`, ms };
	});
