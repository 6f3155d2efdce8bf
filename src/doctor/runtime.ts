import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isProgram } from "../files/on-path.ts";
import { realPath } from "../files/real-path.ts";
import { type FoundClaude, lackOf } from "../install/claude-version.ts";
import { type OwnCopy, packageIn, type Way, wayOf } from "../install/own-copy.ts";
import { runProcess } from "../install/run-process.ts";
import { appFolder, stableLauncher } from "../store/app-folder.ts";
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

/** Which Claude Code reads the settings, and what of ccg the version can't do. */
export function checkClaude(found: readonly FoundClaude[]): DoctorCheck[] {
	const { ok, info } = look("runtime.claude", "Claude Code");
	if (found.length === 0) return [info("not found on PATH: whether it knows every event can't be told")];
	return found.map(({ version, path }) => {
		const lack = lackOf(version);
		return lack.length > 0 ? info(`${version} (${path}): ${lack.join(" ")}`) : ok(`${version} (${path})`);
	});
}

/** What runs this is what the launcher found (`bin/find-runtime`). */
function checkRuntime(launcher: string): DoctorCheck {
	const program = process.execPath;
	const fix = "run `npm install` in ccg's folder, then it brings its own Bun";
	if (!process.versions.bun) {
		const { warn } = look("runtime.bun", "runtime");
		const slower = "since no Bun of 1.4.3 or newer was found: each hook takes 50 to 80 ms longer";
		return warn(`Node ${process.versions.node} (${program}), ${slower}`, fix);
	}
	const { ok, info } = look("runtime.bun", "Bun");
	const detail = `${process.versions.bun} (${program})`;
	if (program.startsWith(`${rootOf(launcher)}/`) || program.includes("/node_modules/")) return ok(detail);
	return info(`${detail}, found elsewhere since ccg has none of its own: whoever removes it stops ccg`, fix);
}

const rootOf = (launcher: string): string => dirname(dirname(realPath(launcher)));

/** How ccg was installed, and whether what runs in sessions is what runs here. */
export function checkInstalled(copy: OwnCopy | null, launcher: string, root: string | null): DoctorCheck {
	const { ok, info, warn, fail } = look("runtime.installed", "installed");
	const here = dirname(dirname(launcher));
	if (!copy && root && launcher === stableLauncher(appFolder(root)))
		return fail(`${here} is not whole`, "install ccg again, by any of its ways");
	if (!copy) return info(`${WAY_TEXT[wayOf(here)]}, without a copy in the store: ${here}`);
	const { facts, folder } = copy;
	const detail = `${WAY_TEXT[facts.way]}, from ${facts.from}, on ${facts.at.slice(0, 10)}; ccg ${facts.ccg} in ${folder}`;
	const other = launcher === copy.launcher ? null : packageIn(here);
	if (!other || other.hash === facts.hash) return ok(detail);
	const update = facts.way === "npm global" ? "`npm update --global claude-context-guard`" : "as it was installed";
	return warn(
		`${detail}. What runs here is another one: ${other.version}, ${here}`,
		Bun.semver.order(other.version, facts.ccg) < 0
			? `the one here is older: type ${copy.launcher}, or update it (${update})`
			: `\`${launcher} install\` puts it to work`,
	);
}

const WAY_TEXT: Record<Way, string> = {
	clone: "by a clone",
	"npm global": "by `npm install --global`",
	"npm project": "by npm, in a project",
	npx: "by npx",
	plugin: "as a plugin",
	folder: "by a folder",
};
