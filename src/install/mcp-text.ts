import { isAbsolute } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { appendProperty, type Node, parseObject, property, removeValue, replaceValue, wrongType } from "./json-text.ts";
import { settingsError } from "./settings-error.ts";
import { isObject } from "./settings-sources.ts";
import { stripMark, withoutMark } from "./settings-text.ts";

/** The name Claude Code knows the server by: its tools are `mcp__ccg__recall` and so on. */
const NAME = "ccg";

/** As `claude mcp add --scope user ccg -- LAUNCHER mcp` stores it (measured on 2.1.330). */
export interface McpEntry {
	type: "stdio";
	command: string;
	args: ["mcp"];
	env: Record<string, string>;
}

/** `home`: a store of one's own; a session's environment need not name it. */
export const mcpEntry = (launcher: string, home?: string): McpEntry => ({
	type: "stdio",
	command: launcher,
	args: ["mcp"],
	env: home === undefined ? {} : { CCG_HOME: home },
});

/** Claude Code's file with the server registered, every other byte kept. Throws `SETTINGS_INVALID`, and where the name is another server's. */
export function addMcp(text: string, entry: McpEntry, path: string): string {
	return withoutMark(text, (body) => added(body, entry, path));
}

function added(text: string, entry: McpEntry, path: string): string {
	const root = parseObject(text, path);
	const servers = property(root, "mcpServers");
	if (!servers) return appendProperty(text, root, "mcpServers", { [NAME]: entry });
	if (servers.type !== "object") throw wrongType(text, servers, path, "mcpServers", "an object");
	const present = property(servers, NAME);
	if (!present) return appendProperty(text, servers, NAME, entry);
	const found = parsed(text, present);
	if (!isOwnMcp(found)) throw taken(path);
	// what the user has set beside it (timeout, alwaysLoad) stays
	const wanted = { ...found, ...entry };
	return isDeepStrictEqual(found, wanted) ? text : replaceValue(text, present, wanted);
}

/** The file without the server. `withList`: also without `mcpServers` when nothing else stands there. Another's of the name stays. */
export function removeMcp(text: string, path: string, { withList }: { withList: boolean }): string {
	return withoutMark(text, (body) => removed(body, path, withList));
}

function removed(text: string, path: string, withList: boolean): string {
	const servers = property(parseObject(text, path), "mcpServers");
	const present = property(servers, NAME);
	if (!servers || !present || !isOwnMcp(parsed(text, present))) return text;
	const isAlone = servers.children!.length === 1;
	return removeValue(text, isAlone && withList ? servers : present);
}

/** What is registered under ccg's name; `null` where nothing is, or the file is none. */
export function findMcp(text: string): unknown {
	try {
		const present = property(property(parseObject(stripMark(text), ""), "mcpServers"), NAME);
		return present ? parsed(stripMark(text), present) : null;
	} catch {
		return null;
	}
}

/** Whether an entry is one of ccg's, of this installation or another. */
export function isOwnMcp(value: unknown): value is McpEntry & Record<string, unknown> {
	if (!isObject(value) || typeof value.command !== "string") return false;
	return isAbsolute(value.command) && value.command.endsWith("/bin/ccg") && isDeepStrictEqual(value.args, ["mcp"]);
}

export const hasServers = (text: string, path: string): boolean =>
	property(parseObject(stripMark(text), path), "mcpServers") !== undefined;

const parsed = (text: string, { offset, length }: Node): unknown => JSON.parse(text.slice(offset, offset + length));

const taken = (path: string): Error =>
	settingsError(
		"SETTINGS_INVALID",
		`${path} has another MCP server of the name '${NAME}'. Nothing was changed; take it out with \`claude mcp remove --scope user ${NAME}\`, then run the command again.`,
	);
