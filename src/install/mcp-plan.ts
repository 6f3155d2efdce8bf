import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isObject } from "../core/transcript/decode.ts";
import { coded } from "../files/system-failure.ts";
import { inHome } from "../store/app-folder.ts";
import { expandHome, settingsIn } from "./entries.ts";
import { EMPTY, editJson, mapContainer } from "./json-text.ts";
import { type InstallPlan, type InstallRequest, planTarget } from "./plan.ts";
import type { Edit } from "./settings-file.ts";
import { claudeFolder, realTarget } from "./settings-sources.ts";

const HOME = "$" + "{HOME}";

/** As `claude mcp add --scope user ccg -- LAUNCHER mcp` stores it (measured on 2.1.330). */
export const mcpEntry = (launcher: string) => ({
	type: "stdio",
	command: inHome(launcher, HOME),
	args: ["mcp"],
	env: {},
});

/**
 * The change of the file in which Claude Code keeps the user's MCP servers, beside the login and much else. It changes all the
 * time, so no bytes of it are kept. Throws `SETTINGS_INVALID`, also where another server has the name, and `NO_HOME`.
 */
export async function planMcp(kind: InstallPlan["kind"], request: InstallRequest): Promise<InstallPlan> {
	const path = mcpFile(request);
	const target = realTarget(path);
	const entry = mcpEntry(request.launcher);
	const edit: Edit = (text) => {
		if (kind === "install") return addMcp(text ?? "", entry, path);
		const without = text === null ? null : removeMcp(text, path);
		return without === EMPTY ? null : without;
	};
	return planTarget(kind, request, {
		path,
		files: () => [{ path, target, edit, mode: 0o600 }],
		lock: path,
		// of a file that holds a login, the server alone
		shown: (text) => JSON.stringify(withoutValues(findMcp(text)), null, 2) ?? "",
	});
}

/** Measured on 2.1.330, the older name included, which counts while it is there. Throws `NO_HOME`. */
export function mcpFile({ env, cwd }: Pick<InstallRequest, "env" | "cwd">): string {
	const older = join(claudeFolder(env, cwd), ".config.json");
	return existsSync(older) ? older : resolve(cwd, env.CLAUDE_CONFIG_DIR || env.HOME!, ".claude.json");
}

/** The file with the server registered, every other byte kept. Throws `SETTINGS_INVALID`, and where the name is another server's. */
export const addMcp = (text: string, entry: object, path: string): string =>
	editJson(
		text,
		path,
		(file) => {
			const servers = isObject(file.mcpServers) ? file.mcpServers : {};
			const found = servers.ccg ?? null;
			if (found !== null && !isOwnMcp(found)) throw nameTakenError(path);
			// what the user has set beside it (timeout, alwaysLoad) stays
			return { ...file, mcpServers: { ...servers, ccg: { ...found, ...entry } } };
		},
		{ mcpServers: "object" },
	);

/** The file without the server, and without a list of servers that held nothing else. Another's of the name stays. */
const removeMcp = (text: string, path: string): string =>
	editJson(text, path, ({ mcpServers, ...file }) => ({
		...file,
		mcpServers: mapContainer(mcpServers, (one) =>
			isOwnMcp(one) && isObject(mcpServers) && one === mcpServers.ccg ? undefined : one,
		),
	}));

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

/** Keys stand in environments. */
function withoutValues(entry: unknown): unknown {
	if (entry === null) return undefined;
	if (!isObject(entry) || !isObject(entry.env)) return entry;
	return { ...entry, env: mapContainer(entry.env, () => "…") };
}

const nameTakenError = (path: string): Error =>
	coded(
		"SETTINGS_INVALID",
		`${path} has another MCP server of the name 'ccg'. Nothing was changed; take it out with \`claude mcp remove --scope user ccg\`, then run the command again.`,
	);
