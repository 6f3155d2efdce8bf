import { whyOf } from "../../files/system-failure.ts";
import { applyMcp, type McpPlan, type McpRequest } from "../../install/mcp-plan.ts";
import { isObject } from "../../install/settings-sources.ts";
import { shellWord } from "../../install/shell-word.ts";
import type { Io } from "./io.ts";
import { say } from "./say.ts";

/** The change of Claude Code's own file as lines of a diff: of that file, which holds a login, nothing else is shown. */
export function mcpDiff({ path, before, after }: McpPlan): string[] {
	return [`--- ${path}: mcpServers.ccg`, `+++ ${path}: mcpServers.ccg`, ...lines("-", before), ...lines("+", after)];
}

function lines(sign: string, entry: unknown): string[] {
	if (entry === null) return [];
	return JSON.stringify(withoutValues(entry), null, 2)
		.split("\n")
		.map((line) => `${sign}${line}`);
}

/** Keys may stand in what somebody else has put into its environment. */
function withoutValues(entry: unknown): unknown {
	if (!isObject(entry) || !isObject(entry.env)) return entry;
	const env = Object.entries(entry.env).map(([name, value]) => [name, name === "CCG_HOME" ? value : "…"]);
	return { ...entry, env: Object.fromEntries(env) };
}

/** Registers the server or takes it out. A failure is told, with the command of Claude Code's own that does the same. */
export async function changeMcp(plan: McpPlan, request: McpRequest, io: Io): Promise<boolean> {
	try {
		await applyMcp(plan, request);
	} catch (error) {
		const instead =
			plan.kind === "install"
				? `claude mcp add --scope user ccg ${shellWord(request.launcher)} mcp`
				: "claude mcp remove --scope user ccg";
		io.err(
			`ccg: ${plan.path} was not changed: ${whyOf(error).replace(/\.$/, "")}. Claude Code can do it as well: ${instead}`,
		);
		io.exit(1);
		return false;
	}
	say(
		plan.kind === "install"
			? `Registered the MCP server ccg in ${plan.path}. New sessions start it; Claude Code asks before a tool's first call.`
			: `Took the MCP server ccg out of ${plan.path}.`,
		io,
	);
	return true;
}
