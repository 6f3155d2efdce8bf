import { isAbsolute, join } from "node:path";
import { olderThan } from "../core/pressure/model.ts";
import { namesIn } from "../files/names-in.ts";
import { isProgram, programsOnPath } from "../files/on-path.ts";
import { realPath } from "../files/real-path.ts";
import { readText } from "../store/json-file.ts";
import { claudeRoot, type Env } from "../store/paths.ts";
import { unknownEvents } from "./catalog.ts";
import { type Entry, findEntries } from "./entries.ts";
import { isWithin, runProcess, workspacesOf } from "./run-process.ts";
import { type Scope, settingsPath } from "./settings-path.ts";

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
	return found.toSorted(byAge)[0] ?? null;
}

/** The Claude Code to register for: the oldest that is found, else what the settings are made for already. `null` when nothing tells. */
export async function claudeOf({
	scope,
	env,
	cwd,
}: {
	scope: Scope;
	env: Env;
	cwd: string;
}): Promise<FoundClaude | null> {
	return oldestOf(await findClaude(env, cwd)) ?? registeredFor(settingsPath(scope, env, cwd));
}

/** Whether a text is a version of Claude Code: three numbers. */
export const isVersion = (text: string): boolean => /^\d{1,4}\.\d{1,4}\.\d{1,5}$/.test(text);

/** Before this one events are missing that ccg can't do without. */
export const isTooOld = (version: string): boolean => olderThan(version, [2, 0, 30]);

/** What this Claude Code has to do without, one sentence each; none when it knows every event. */
export function lackOf(version: string): string[] {
	const unknown = unknownEvents(version);
	return [
		...(unknown.includes("PostToolBatch") ? ["Context use is measured after each tool call (PostToolUse)."] : []),
		...(unknown.includes("PostCompact") ? ["There is no report of what a summary lost, and no follow-up block."] : []),
	];
}

/** The newest version that settings without the newest events can be made for; `null` where they hold them all. */
export function madeFor(entries: readonly Entry[]): string | null {
	const has = (event: string): boolean => entries.some((one) => one.event === event);
	if (!entries.some(({ event, part }) => event === "PostToolUse" && part === "post-tool-batch")) return null;
	return has("PostCompact") ? "2.1.117" : "2.1.75";
}

function registeredFor(path: string): FoundClaude | null {
	const version = madeFor(findEntries(readText(path) ?? ""));
	return version === null ? null : { version, path: `as ${path} is made for` };
}

/** The oldest first. */
const byAge = (a: FoundClaude, b: FoundClaude): number => Bun.semver.order(a.version, b.version);

function candidates(env: Env, cwd: string): string[] {
	const root = claudeRoot(env);
	const installed = [...(root ? [join(root, "local", "claude")] : []), join(env.HOME ?? "", ".local", "bin", "claude")];
	const workspaces = workspacesOf(env, cwd);
	const isOwn = (path: string): boolean => !isWithin(path, workspaces);
	const onPath = [...programsOnPath("claude", env.PATH ?? "")].filter(isOwn).slice(0, 1);
	return [...onPath, ...installed.filter((path) => isAbsolute(path) && isProgram(path) && isOwn(path))];
}

function unique(paths: readonly string[]): string[] {
	const seen = new Set<string>();
	return paths.filter((path) => {
		const real = realPath(path);
		return !seen.has(real) && seen.add(real);
	});
}

async function askVersion(path: string, env: Env): Promise<FoundClaude | null> {
	const own = { ...env, DISABLE_AUTOUPDATER: "1" };
	const { code, out } = await runProcess([path, "--version"], { cwd: "/", env: own, timeLimitMs: TIME_LIMIT_MS });
	const version = /^(\d{1,4}\.\d{1,4}\.\d{1,5})\b/.exec(out.trim())?.[1];
	return code === 0 && version ? { version, path } : null;
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
		const newest = found.toSorted(byAge).at(-1);
		return newest ? [newest] : [];
	});
}
