import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { shellWord } from "../core/text/quoted.ts";
import { isObject } from "../core/transcript/decode.ts";
import { readText } from "../files/json-file.ts";
import { replaceHome } from "../store/app-folder.ts";
import { claudePrograms } from "./claude-version.ts";
import { expandHome, parseSettings } from "./entries.ts";
import type { InstallPlan, InstallRequest } from "./plan.ts";
import { runProcess } from "./run-process.ts";
import { claudeFolder } from "./settings-sources.ts";

const HOME = "$" + "{HOME}";

/** The MCP server's entry as an install with this launcher writes it. */
export function mcpServerEntry(launcher: string) {
	return { type: "stdio", command: replaceHome(launcher, HOME), args: ["mcp"], env: {} };
}

const REMOVE_SERVER = ["mcp", "remove", "--scope", "user", "ccg"];

/**
 * Plans the change of the user's MCP servers by Claude Code's own command, since the file also holds the login. Changes nothing. Throws where
 * another server has the name, or no Claude Code is found, and `NO_HOME`.
 */
export function planMcp(kind: InstallPlan["kind"], request: InstallRequest): InstallPlan {
	const path = mcpFilePath(request);
	const found = findMcpServer(readText(path) ?? "");
	const { env, cwd, launcher } = request;
	if (kind === "install" && found !== null && !isCcgServer(found))
		throw new Error(
			`${path} has another MCP server of the name 'ccg'. Nothing was changed; take it out with \`claude mcp remove --scope user ccg\`, then run the command again.`,
		);
	// other keys that the user has set (timeout, alwaysLoad) stay
	const wanted = kind === "install" ? { ...(found as object | null), ...mcpServerEntry(launcher) } : null;
	const commands: string[][] = [];
	if (!Bun.deepEquals(found, wanted, true)) {
		// `add-json` does not replace an entry (measured on 2.1.118 and 2.1.332)
		if (isCcgServer(found)) commands.push(REMOVE_SERVER);
		if (wanted) commands.push(["mcp", "add-json", "--scope", "user", "ccg", JSON.stringify(wanted)]);
	}
	const typed = commands.map((words) => ["claude", ...words].map(shellWord).join(" "));
	const [program] = commands.length > 0 ? claudePrograms(env, cwd) : [];
	if (commands.length > 0 && !program)
		throw new Error(`no Claude Code is on PATH, which --mcp needs; where there is one, run ${typed.join(" && ")}`);
	const apply = async (): Promise<void> => {
		const quietEnv = { ...env, DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
		const options = { cwd: "/", env: quietEnv, timeLimitMs: 30_000 };
		for (const words of commands) {
			const { code, out, err } = await runProcess([program!, ...words], options);
			if (code !== 0) throw new Error(`\`claude ${words[0]} ${words[1]}\` failed: ${(err || out).trim() || "killed"}`);
		}
	};
	return { kind, target: "mcp", path, changes: [], commands: typed, notes: [], apply };
}

/** Where Claude Code keeps the user's MCP servers: the older name counts while that file exists (measured on 2.1.330). Throws `NO_HOME`. */
export function mcpFilePath({ env, cwd }: Pick<InstallRequest, "env" | "cwd">): string {
	const older = join(claudeFolder(env, cwd), ".config.json");
	return existsSync(older) ? older : resolve(cwd, env.CLAUDE_CONFIG_DIR || env.HOME!, ".claude.json");
}

/** The MCP server named ccg in the text of that file; `null` where there is none. */
export function findMcpServer(text: string): unknown {
	const servers = parseSettings(text)?.mcpServers;
	return (isObject(servers) ? servers.ccg : null) ?? null;
}

/** Whether an MCP server's entry starts ccg, of this installation or another. */
export function isCcgServer(value: unknown): value is Record<string, unknown> & { command: string } {
	if (!isObject(value) || typeof value.command !== "string") return false;
	const isCall = Array.isArray(value.args) && value.args.length === 1 && value.args[0] === "mcp";
	return isAbsolute(expandHome(value.command)) && value.command.endsWith("/bin/ccg") && isCall;
}
