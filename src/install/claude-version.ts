import { isAbsolute, join } from "node:path";
import { visible } from "../core/text/invisible.ts";
import { olderThan } from "../core/text/version.ts";
import { namesIn } from "../files/names-in.ts";
import { isProgram, programsOnPath } from "../files/on-path.ts";
import { realPath } from "../files/real-path.ts";
import { claudeRoot, type Env } from "../store/paths.ts";
import { isOutside, runProcess } from "./run-process.ts";

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
const EXTENSION = "anthropic.claude-code-";

/**
 * Every Claude Code that would read the user's settings: the one on PATH, those of the two installers, which an alias may
 * put before it, and the newest of each editor's extensions. Programs are asked with `--version`; none of the folder this
 * runs in is, it may be anybody's.
 */
export async function findClaude(env: Env, cwd: string): Promise<FoundClaude[]> {
	const asked = await Promise.all(claudePrograms(env, cwd).map((path) => askVersion(path, env)));
	return [...asked.filter((found) => found !== null), ...extensions(env)];
}

/** The one on PATH first, and each once. */
export function claudePrograms(env: Env, cwd: string): string[] {
	const isOwn = isOutside(env, cwd);
	const onPath = programsOnPath("claude", env.PATH ?? "")
		.filter(isOwn)
		.take(1);
	const installed = [join(claudeRoot(env) ?? "", "local", "claude"), join(env.HOME ?? "", ".local", "bin", "claude")];
	const programs = [...onPath, ...installed.filter((path) => isAbsolute(path) && isProgram(path) && isOwn(path))];
	const unique = new Map(programs.toReversed().map((path) => [realPath(path), path]));
	return [...unique.values()].toReversed();
}

/** The oldest, since all of them read the same settings; `null` when none was found. */
export const oldestOf = (found: readonly FoundClaude[]): FoundClaude | null => found.toSorted(byAge)[0] ?? null;

const byAge = (a: FoundClaude, b: FoundClaude): number => Bun.semver.order(a.version, b.version);

/** Whether a text is a version of Claude Code: three numbers. */
export const isVersion = (text: string): boolean => /^\d{1,4}\.\d{1,4}\.\d{1,5}$/.test(text);

/** Before this one events are missing that ccg can't do without. */
export const isTooOld = (version: string): boolean => olderThan(version, [2, 0, 30]);

async function askVersion(path: string, env: Env): Promise<FoundClaude | null> {
	const own = { ...env, DISABLE_AUTOUPDATER: "1" };
	const how = { cwd: "/", env: own, timeLimitMs: TIME_LIMIT_MS, until: /\(Claude Code\)/ };
	const { out, err } = await runProcess([path, "--version"], how);
	// a shim prints around it, in colours, and ends as it likes
	const [, version] = /(?<![\d.])(\d{1,4}\.\d{1,4}\.\d{1,5}) \(Claude Code\)/.exec(visible(`${out}\n${err}`)) ?? [];
	return version ? { version, path } : null;
}

/** Old ones stay beside a new one for a while; the newest runs. */
function extensions({ HOME = "" }: Env): FoundClaude[] {
	if (!isAbsolute(HOME)) return [];
	return EDITORS.flatMap((editor) => {
		const folder = join(HOME, editor, "extensions");
		const found = namesIn(folder).flatMap((name) => {
			const [version = ""] = name.slice(EXTENSION.length).split("-");
			return name.startsWith(EXTENSION) && isVersion(version) ? [{ version, path: join(folder, name) }] : [];
		});
		return found.toSorted(byAge).slice(-1);
	});
}
