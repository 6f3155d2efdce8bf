import { isAbsolute, join } from "node:path";
import { stripInvisible } from "../core/text/invisible.ts";
import { isExecutable, programsOnPath } from "../files/on-path.ts";
import { realPath } from "../files/real-path.ts";
import { claudeRoot, type Env } from "../store/paths.ts";
import { outsideWorkspaceTest, runProcess } from "./run-process.ts";

/** A Claude Code of this machine. */
export interface FoundClaude {
	/** As `2.1.329`. */
	version: string;
	path: string;
}

/** Old versions need seconds to print their version. */
const TIME_LIMIT_MS = 5_000;

/**
 * The version of every Claude Code on this machine, by its own `--version`: the one on PATH first, then those of the two installers, which an
 * alias may call.
 */
export async function findClaudeVersions(env: Env, cwd: string): Promise<FoundClaude[]> {
	const answers = await Promise.all(claudePrograms(env, cwd).map((path) => askVersion(path, env)));
	return answers.filter((answer) => answer !== null);
}

/** The paths of Claude Code's programs, each once; none inside the workspace, where a repository may have put it. */
export function claudePrograms(env: Env, cwd: string): string[] {
	const isOutside = outsideWorkspaceTest(env, cwd);
	const onPath = programsOnPath("claude", env.PATH ?? "").find(isOutside) ?? [];
	const installed = [join(claudeRoot(env) ?? "", "local", "claude"), join(env.HOME ?? "", ".local", "bin", "claude")];
	const others = installed.filter((path) => isAbsolute(path) && isExecutable(path) && isOutside(path));
	const programs = [onPath, others].flat();
	const unique = new Map(programs.toReversed().map((path) => [realPath(path), path]));
	return [...unique.values()].toReversed();
}

/** Runs a Claude Code for its version; `null` where it prints none. */
async function askVersion(path: string, env: Env): Promise<FoundClaude | null> {
	const quietEnv = { ...env, DISABLE_AUTOUPDATER: "1" };
	const { out, err } = await runProcess([path, "--version"], { cwd: "/", env: quietEnv, timeLimitMs: TIME_LIMIT_MS });
	// a wrapper may print other text beside it, in colours, and end with any exit code
	const [, version] =
		/(?<![\d.])(\d{1,4}\.\d{1,4}\.\d{1,5}) \(Claude Code\)/.exec(stripInvisible(`${out}\n${err}`)) ?? [];
	return version ? { version, path } : null;
}
