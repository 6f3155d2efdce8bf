import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { shellWord } from "../core/text/quoted.ts";
import { isObject } from "../core/transcript/decode.ts";
import { readText } from "../files/json-file.ts";
import { inHome } from "../store/app-folder.ts";
import { claudePrograms } from "./claude-version.ts";
import { expandHome, settingsIn } from "./entries.ts";
import type { InstallPlan, InstallRequest } from "./plan.ts";
import { runProcess } from "./run-process.ts";
import { claudeFolder } from "./settings-sources.ts";

const HOME = "$" + "{HOME}";

export const mcpEntry = (launcher: string) => ({
	type: "stdio",
	command: inHome(launcher, HOME),
	args: ["mcp"],
	env: {},
});

const REMOVE = ["mcp", "remove", "--scope", "user", "ccg"];

/**
 * The change of the user's MCP servers, which Claude Code's own command makes: the file also holds the login and much else. Runs
 * nothing. Throws where another server has the name, or there is no Claude Code to run, and `NO_HOME`.
 */
export function planMcp(kind: InstallPlan["kind"], request: InstallRequest): InstallPlan {
	const path = mcpFile(request);
	const found = findMcp(readText(path) ?? "");
	const { env, cwd, launcher } = request;
	if (kind === "install" && found !== null && !isOwnMcp(found))
		throw new Error(
			`${path} has another MCP server of the name 'ccg'. Nothing was changed; take it out with \`claude mcp remove --scope user ccg\`, then run the command again.`,
		);
	// what the user has set beside it (timeout, alwaysLoad) stays
	const wanted = kind === "install" ? { ...(found as object | null), ...mcpEntry(launcher) } : null;
	const commands: string[][] = [];
	if (!isDeepStrictEqual(found, wanted)) {
		// one that is there is not replaced (measured on 2.1.118 and 2.1.332)
		if (isOwnMcp(found)) commands.push(REMOVE);
		if (wanted) commands.push(["mcp", "add-json", "--scope", "user", "ccg", JSON.stringify(wanted)]);
	}
	const typed = commands.map((words) => ["claude", ...words].map(shellWord).join(" "));
	const [program] = commands.length > 0 ? claudePrograms(env, cwd) : [];
	if (commands.length > 0 && !program)
		throw new Error(`no Claude Code is on PATH, which --mcp needs; where there is one, run ${typed.join(" && ")}`);
	return {
		kind,
		target: "mcp",
		path,
		changes: [],
		commands: typed,
		notes: [],
		async act() {
			for (const words of commands) {
				const own = { ...env, DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
				const { code, out, err } = await runProcess([program!, ...words], { cwd: "/", env: own, timeLimitMs: 30_000 });
				if (code !== 0)
					throw new Error(`\`claude ${words[0]} ${words[1]}\` failed: ${(err || out).trim() || "killed"}`);
			}
		},
	};
}

/** Measured on 2.1.330, the older name included, which counts while it is there. Throws `NO_HOME`. */
export function mcpFile({ env, cwd }: Pick<InstallRequest, "env" | "cwd">): string {
	const older = join(claudeFolder(env, cwd), ".config.json");
	return existsSync(older) ? older : resolve(cwd, env.CLAUDE_CONFIG_DIR || env.HOME!, ".claude.json");
}

/** What is registered under ccg's name; `null` where nothing is, or the file is none. */
export function findMcp(text: string): unknown {
	const servers = settingsIn(text)?.mcpServers;
	return (isObject(servers) ? servers.ccg : null) ?? null;
}

/** Whether an entry is one of ccg's, of this installation or another. */
export function isOwnMcp(value: unknown): value is Record<string, unknown> & { command: string } {
	if (!isObject(value) || typeof value.command !== "string") return false;
	const isCall = Array.isArray(value.args) && value.args.length === 1 && value.args[0] === "mcp";
	return isAbsolute(expandHome(value.command)) && value.command.endsWith("/bin/ccg") && isCall;
}
