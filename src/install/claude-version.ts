import { isAbsolute, join } from "node:path";
import { visible } from "../core/text/invisible.ts";
import { isProgram, programsOnPath } from "../files/on-path.ts";
import { realPath } from "../files/real-path.ts";
import { claudeRoot, type Env } from "../store/paths.ts";
import { isOutside, runProcess } from "./run-process.ts";

/** A Claude Code of this machine. */
export interface FoundClaude {
	/** As `2.1.329`. */
	version: string;
	path: string;
}

/** Old versions need seconds to print it; what a child of a shim keeps open is not waited for. */
const TIME_LIMIT_MS = 5_000;

/**
 * Every Claude Code of the machine, as it answers to `--version`: the one on PATH first, and those of the two installers, which an alias
 * may put before it.
 */
export async function findClaude(env: Env, cwd: string): Promise<FoundClaude[]> {
	const asked = await Promise.all(claudePrograms(env, cwd).map((path) => askVersion(path, env)));
	return asked.filter((found) => found !== null);
}

/** Their programs, each once; none of the folder this runs in, which may be anybody's. */
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

async function askVersion(path: string, env: Env): Promise<FoundClaude | null> {
	const own = { ...env, DISABLE_AUTOUPDATER: "1" };
	const { out, err } = await runProcess([path, "--version"], { cwd: "/", env: own, timeLimitMs: TIME_LIMIT_MS });
	// a shim prints around it, in colours, and ends as it likes
	const [, version] = /(?<![\d.])(\d{1,4}\.\d{1,4}\.\d{1,5}) \(Claude Code\)/.exec(visible(`${out}\n${err}`)) ?? [];
	return version ? { version, path } : null;
}
