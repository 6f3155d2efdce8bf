import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isProgram } from "../files/on-path.ts";
import { realPath } from "../files/real-path.ts";
import type { FoundClaude } from "../install/claude-version.ts";
import { type OwnCopy, packageIn } from "../install/own-copy.ts";
import { runProcess } from "../install/run-process.ts";
import type { Env } from "../store/paths.ts";
import { type DoctorCheck, look } from "./check.ts";

const TIME_LIMIT_MS = 10_000;

/** The launcher that is running: it finds Bun or Node, starts ccg, and runs bundles. The only one the doctor ever starts. */
export async function checkLauncher(launcher: string, env: Env): Promise<DoctorCheck[]> {
	const check = lookAtLauncher(launcher);
	if (check.status !== "info") return [check];
	const place = { cwd: "/", env, timeLimitMs: TIME_LIMIT_MS };
	const { code, out, err, timedOut } = await runProcess([launcher, "--version"], place);
	const { ok } = look(check.id, check.title);
	if (code === 0) return [ok(`${launcher} (ccg ${out.trim().split("\n").at(-1)})`), checkRuntime(launcher)];
	const problem = timedOut
		? `\`--version\` did not end within ${TIME_LIMIT_MS / 1000} s`
		: (err.trim().split("\n").at(-1) ?? `\`--version\` ended with exit code ${code}`);
	const fix = `run \`npm install\` in ${rootOf(launcher)}, or put Bun or Node on PATH`;
	return [ok(launcher), look("runtime.bun", "runtime").fail(`${launcher}: ${problem}`, fix)];
}

/** A launcher that a settings file names: looked at, never started. */
export function lookAtLauncher(launcher: string): DoctorCheck {
	const { info, fail } = look("runtime.launcher", "launcher");
	if (isProgram(launcher)) return info(`${launcher}, another one: not started`);
	const why = existsSync(launcher) ? "is not executable" : "is gone";
	return fail(`the launcher ${launcher} ${why}; hooks that name it end in silence`, "run `ccg install` again");
}

/** Which Claude Code reads the settings. */
export function checkClaude(found: readonly FoundClaude[]): DoctorCheck[] {
	const { ok, info } = look("runtime.claude", "Claude Code");
	if (found.length === 0) return [info("not found on PATH: whether it knows every event can't be told")];
	return found.map(({ version, path }) => ok(`${version} (${path})`));
}

/** What runs this is what the launcher found (`bin/find-runtime`). */
function checkRuntime(launcher: string): DoctorCheck {
	const { ok, info, warn } = look("runtime.bun", "runtime");
	const { bun, node } = process.versions;
	const program = process.execPath;
	const fix = "run `npm install` in ccg's folder, then it brings its own Bun";
	if (!bun) return warn(`Node ${node} (${program}): each hook takes 50 to 80 ms longer than with Bun`, fix);
	const isOwn = program.startsWith(`${rootOf(launcher)}/`) || program.includes("/node_modules/");
	return isOwn
		? ok(`Bun ${bun} (${program})`)
		: info(`Bun ${bun} (${program}), not ccg's own: whoever removes it stops ccg`, fix);
}

const rootOf = (launcher: string): string => dirname(dirname(realPath(launcher)));

/** Which copy of ccg sessions run, and whether it is what runs here. */
export function checkInstalled(copy: OwnCopy | null, launcher: string): DoctorCheck {
	const { ok, info, warn } = look("runtime.installed", "installed");
	const here = dirname(dirname(launcher));
	if (!copy) return info(`without a copy in the store: ${here}`);
	const { facts, folder } = copy;
	const detail = `ccg ${facts.ccg} in ${folder}, from ${facts.from}`;
	const other = launcher === copy.launcher ? null : packageIn(here);
	if (!other || other.hash === facts.hash) return ok(detail);
	return warn(
		`${detail}. What runs here is another one: ${other.version}, ${here}`,
		`\`${launcher} install\` puts it to work; to stay with the other one, type ${copy.launcher}`,
	);
}
