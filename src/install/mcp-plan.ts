import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod/mini";
import { withFileLock } from "../store/cold-lock.ts";
import { claudeRoot, type Env, storeRoot } from "../store/paths.ts";
import type { Tell } from "../store/problems.ts";
import { refusePathLinks } from "../store/refuse-links.ts";
import { type FileKind, readGood, writeVersioned } from "../store/versioned-file.ts";
import { addMcp, findMcp, hasServers, mcpEntry, removeMcp } from "./mcp-text.ts";
import { receiptFolder, sha256 } from "./receipt.ts";
import { settingsError } from "./settings-error.ts";
import { changeSettings } from "./settings-file.ts";
import { realTarget } from "./settings-path.ts";
import { readSettled, type Timing } from "./settings-read.ts";
import { EMPTY_SETTINGS } from "./settings-text.ts";

/** What a change of Claude Code's own file is made from. */
export interface McpRequest {
	env: Env;
	/** Absolute. */
	cwd: string;
	launcher: string;
	/** Where to tell what files of the store are like. */
	tell: Tell;
	timing?: Timing;
}

/** A change of what Claude Code has registered under ccg's name, as a value. */
export interface McpPlan {
	kind: "install" | "uninstall";
	/** As the user knows it. */
	path: string;
	/** The registered server before and after; `null` where there is none. */
	before: unknown;
	after: unknown;
	changed: boolean;
	/** Where the receipt lies. */
	folder: string;
}

/** What the install found, so that an uninstall leaves no trace. No backup: the file holds a login, and changes all the time. */
const receiptShape = z.object({
	version: z.literal(1),
	path: z.string(),
	existedBefore: z.boolean(),
	/** There was an `mcpServers` before. */
	hadServers: z.boolean(),
	/** Of the text we left, where the file was ours alone. */
	sha256After: z.string(),
	at: z.string(),
	launcher: z.string(),
});
type McpReceipt = z.infer<typeof receiptShape>;

const RECEIPT: FileKind<McpReceipt> = { name: "MCP receipt", version: 1, schema: receiptShape, keepLast: true };

/**
 * The file in which Claude Code keeps the user's MCP servers, beside its login and much else: measured on 2.1.330, the older name
 * included, which counts while it is there. Throws `NO_HOME`.
 */
export function mcpFile({ env, cwd }: Pick<McpRequest, "env" | "cwd">): string {
	const root = claudeRoot(env);
	const home = env.CLAUDE_CONFIG_DIR || env.HOME;
	if (!root || !home)
		throw settingsError("NO_HOME", "where Claude Code keeps its MCP servers is unknown; set HOME or CLAUDE_CONFIG_DIR");
	const older = resolve(cwd, root, ".config.json");
	return existsSync(older) ? older : resolve(cwd, home, ".claude.json");
}

/** Throws `SETTINGS_INVALID`, `NO_HOME` or what the file system says. Writes nothing. */
export async function planMcp(kind: McpPlan["kind"], request: McpRequest): Promise<McpPlan> {
	const store = storeRoot(request.env);
	if (!store) throw settingsError("NO_HOME", "there is no folder to keep the receipt in; set HOME or CCG_HOME");
	const path = mcpFile(request);
	const target = realTarget(path);
	const folder = receiptFolder(resolve(request.cwd, store), target);
	const text = await readSettled(target, request.timing);
	const after = editOf(kind, request, path, folder)(text);
	const shown = (one: string | null) => (one === null ? null : findMcp(one));
	return { kind, path, before: shown(text), after: shown(after), changed: text !== after, folder };
}

/**
 * Does what the plan says, on the text that stands there by now: under the lock that Claude Code takes for each of its own writes,
 * by compare and swap. Gives whether anything was written. Throws `ELOCKED` and what `changeSettings` throws.
 */
export async function applyMcp(
	{ kind, path, folder }: McpPlan,
	request: McpRequest,
	now = new Date(),
): Promise<boolean> {
	const edit = editOf(kind, request, path, folder);
	const wrote = await withFileLock(path, () =>
		changeSettings({
			target: realTarget(path),
			edit,
			mode: 0o600,
			timing: request.timing,
			beforeWrite: (before, after) => {
				if (kind === "install" && after !== null) keepReceipt(folder, { path, before, after, request, now });
			},
		}),
	);
	if (kind === "uninstall" && wrote) rmSync(folder, { recursive: true, force: true });
	return wrote;
}

function editOf(kind: McpPlan["kind"], { env, cwd, launcher, tell }: McpRequest, path: string, folder: string) {
	if (kind === "uninstall") return (text: string | null) => (text === null ? null : without(text, path, folder, tell));
	const entry = mcpEntry(launcher, env.CCG_HOME ? resolve(cwd, env.CCG_HOME) : undefined);
	return (text: string | null) => addMcp(text ?? EMPTY_SETTINGS, entry, path);
}

function without(text: string, path: string, folder: string, tell: Tell): string | null {
	const receipt = readMcpReceipt(folder, tell);
	if (receipt && !receipt.existedBefore && receipt.sha256After === sha256(text)) return null;
	return removeMcp(text, path, { withList: receipt?.hadServers === false });
}

interface Written {
	path: string;
	before: string | null;
	after: string;
	request: McpRequest;
	now: Date;
}

/** A re-install keeps what the first one found. */
function keepReceipt(folder: string, { path, before, after, request, now }: Written): void {
	refusePathLinks(resolve(folder, "..", ".."), folder);
	const earlier = before !== null && findMcp(before) !== null ? readMcpReceipt(folder, request.tell) : null;
	const found = earlier ?? {
		existedBefore: before !== null,
		hadServers: before !== null && hasServers(before, path),
	};
	const { existedBefore, hadServers } = found;
	const facts = { existedBefore, hadServers, sha256After: sha256(after), launcher: request.launcher };
	const receipt: McpReceipt = { version: 1, path, at: now.toISOString(), ...facts };
	writeVersioned(receiptPath(folder), RECEIPT, receipt, { durable: true, indent: 2, tell: request.tell });
}

export const readMcpReceipt = (folder: string, tell: Tell): McpReceipt | null =>
	readGood(receiptPath(folder), RECEIPT, tell);

const receiptPath = (folder: string): string => join(folder, "mcp-receipt.json");
