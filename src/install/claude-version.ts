import { accessSync, constants, readdirSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { olderThan } from "../core/pressure/model.ts";
import { claudeRoot, type Env } from "../store/paths.ts";
import { unknownEvents } from "./catalog.ts";
import { runProcess } from "./doctor-shell.ts";

/** A Claude Code of this machine. */
export interface FoundClaude {
	/** As `2.1.329`. */
	version: string;
	/** The program or the editor's extension. */
	path: string;
}

/** Old versions need seconds to print it. */
const TIME_LIMIT_MS = 15_000;

const EDITORS = [".vscode", ".vscode-server", ".vscode-insiders", ".cursor", ".cursor-server", ".windsurf"];

/**
 * Every Claude Code that would read the user's settings: the one on PATH, those of the two installers, which an alias may
 * put before it, and the newest of each editor's extensions. Programs are asked with `--version`; none of the folder this
 * runs in is, it may be anybody's.
 */
export async function findClaude(env: Env, cwd: string): Promise<FoundClaude[]> {
	const programs = unique(candidates(env, cwd));
	const asked = await Promise.all(programs.map((path) => askVersion(path, env)));
	return [...asked.filter((found) => found !== null), ...extensions(env)];
}

/** The oldest, since all of them read the same settings; `null` when none was found. */
export function oldestOf(found: readonly FoundClaude[]): FoundClaude | null {
	return found.reduce<FoundClaude | null>((least, one) => (!least || isOlder(one, least) ? one : least), null);
}

export const isVersion = (text: string): boolean => /^\d{1,4}\.\d{1,4}\.\d{1,5}$/.test(text);

/** What this Claude Code has to do without, one sentence each; none when it knows every event. */
export function lackOf(version: string): string[] {
	const unknown = unknownEvents(version);
	return [
		...(unknown.includes("PostToolBatch") ? ["Context use is measured after each tool call (PostToolUse)."] : []),
		...(unknown.includes("PostCompact") ? ["There is no report of what a summary lost, and no second part."] : []),
	];
}

function isOlder({ version }: FoundClaude, than: FoundClaude): boolean {
	const parts = than.version.split(".").map(Number) as [number, number, number];
	return olderThan(version, parts);
}

function candidates(env: Env, cwd: string): string[] {
	const onPath = (env.PATH ?? "")
		.split(":")
		.filter((folder) => isAbsolute(folder) && !isWorkspace(folder, env, cwd))
		.map((folder) => join(folder, "claude"))
		.find(isProgram);
	const root = claudeRoot(env);
	const installed = [
		...(root && isAbsolute(root) ? [join(root, "local", "claude")] : []),
		...(env.HOME && isAbsolute(env.HOME) ? [join(env.HOME, ".local", "bin", "claude")] : []),
	];
	return [...(onPath ? [onPath] : []), ...installed.filter(isProgram)];
}

/** A home folder is no workspace, nor is what it lies in. */
function isWorkspace(folder: string, env: Env, cwd: string): boolean {
	return [cwd, env.CLAUDE_PROJECT_DIR].some((place) => {
		if (!place || `${env.HOME}/`.startsWith(`${place.replace(/\/$/, "")}/`)) return false;
		return `${folder}/`.startsWith(`${place.replace(/\/$/, "")}/`);
	});
}

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}

function unique(paths: readonly string[]): string[] {
	const seen = new Set<string>();
	return paths.filter((path) => {
		const real = realpathSync(path);
		return !seen.has(real) && seen.add(real);
	});
}

async function askVersion(path: string, env: Env): Promise<FoundClaude | null> {
	const own = { ...env, DISABLE_AUTOUPDATER: "1" };
	const { exit, stdout } = await runProcess([path, "--version"], { cwd: "/", env: own, timeLimitMs: TIME_LIMIT_MS });
	const version = /^(\d{1,4}\.\d{1,4}\.\d{1,5})\b/.exec(stdout.trim())?.[1];
	return exit === 0 && version ? { version, path } : null;
}

/** Old ones stay beside a new one for a while; the newest runs. */
function extensions({ HOME }: Env): FoundClaude[] {
	if (!HOME || !isAbsolute(HOME)) return [];
	return EDITORS.flatMap((editor) => {
		const folder = join(HOME, editor, "extensions");
		const found = namesIn(folder).flatMap((name) => {
			const version = /^anthropic\.claude-code-(\d{1,4}\.\d{1,4}\.\d{1,5})(?:-|$)/.exec(name)?.[1];
			return version ? [{ version, path: join(folder, name) }] : [];
		});
		const newest = found.reduce<FoundClaude | null>((most, one) => (!most || isOlder(most, one) ? one : most), null);
		return newest ? [newest] : [];
	});
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
