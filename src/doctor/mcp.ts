import { isDeepStrictEqual } from "node:util";
import { readText } from "../files/json-file.ts";
import { isProgram } from "../files/on-path.ts";
import { expandHome } from "../install/entries.ts";
import { findMcp, isOwnMcp, mcpEntry, mcpFile } from "../install/mcp-plan.ts";
import { type Finding, fail, info, ok, warn } from "./check.ts";
import type { Seen } from "./seen.ts";

const FIX = "run `ccg install --mcp`";

/** Whether the MCP server is registered as an install of this ccg would leave it. */
export function registeredServer({ env, cwd, launcher }: Seen): Finding {
	if (!env.HOME && !env.CLAUDE_CONFIG_DIR) return info("nobody's home folder is known");
	const path = mcpFile({ env, cwd });
	const entry = findMcp(readText(path) ?? "");
	if (entry === null) return info(`not registered in ${path}`, FIX);
	if (!isOwnMcp(entry)) return warn(`another server has the name ccg in ${path}`);
	const { command } = entry;
	if (!isProgram(expandHome(command))) return fail(`${command} is gone`, FIX);
	if (!isDeepStrictEqual({ ...entry, ...mcpEntry(launcher) }, entry))
		return warn(`not what this ccg registers: ${command} in ${path}`, FIX);
	return ok(`${command} mcp in ${path}`);
}
