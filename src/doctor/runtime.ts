import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { newerThan, TESTED } from "../core/text/version.ts";
import { isProgram } from "../files/on-path.ts";
import { realPath } from "../files/real-path.ts";
import { packageIn } from "../install/own-copy.ts";
import { runProcess } from "../install/run-process.ts";
import { checked, type Finding, fail, info, type Look, ok, warn } from "./check.ts";
import { lastRuns } from "./ran.ts";
import type { Seen } from "./seen.ts";

const TIME_LIMIT_MS = 10_000;

/** What can be told of the runtime without starting it: how ccg is installed, what else is registered, what Claude Code there is. */
export const RUNTIME: Look[] = [
	["runtime.installed", "installed", installed],
	[
		"runtime.launcher",
		"launcher",
		({ entries, launcher }) =>
			[...new Set(entries.map((entry) => entry.launcher))].filter((path) => path !== launcher).map(launcherAt),
	],
	[
		"runtime.claude",
		"Claude Code",
		({ claude }) =>
			claude.length > 0
				? claude.map(({ version, path }) => ok(`${version} (${path})`))
				: info("none on PATH tells its version: whether it knows every event can't be told"),
	],
	["runtime.tested", "tested with", untested],
];

/** What is here, or ran last, and came after this ccg. */
function untested(seen: Seen): Finding[] {
	const versions = [...seen.claude, ...lastRuns(seen, Date.now())].map(({ version }) => version);
	const newer = [...new Set(versions.filter((version) => newerThan(version, TESTED)))].join(", ");
	if (!newer) return [];
	return [info(`Claude Code ${newer} is newer than ${TESTED.join(".")}, the newest that this ccg was tested with`)];
}

/** The launcher that is running: it finds Bun and starts ccg. The only one the doctor ever starts. */
export async function checkLauncher({ launcher, env }: Pick<Seen, "launcher" | "env">): Promise<Finding[]> {
	const looked = launcherAt(launcher);
	if (looked.status === "fail") return [looked];
	const place = { cwd: "/", env, timeLimitMs: TIME_LIMIT_MS };
	// asked twice: once alone the launcher answers by itself, and finds no runtime
	const { code, out, err, timedOut } = await runProcess([launcher, "--version", "--version"], place);
	if (code === 0)
		return [
			ok(`${launcher} (ccg ${out.trim().split("\n").at(-1)})`),
			...checked("runtime.bun", "runtime", runtimeOf(launcher)),
		];
	const problem = timedOut
		? `\`--version\` did not end within ${TIME_LIMIT_MS / 1000} s`
		: (err.trim().split("\n").at(-1) ?? `\`--version\` ended with exit code ${code}`);
	const fix = `run \`npm install\` in ${rootOf(launcher)}, or put Bun on PATH`;
	return [ok(launcher), ...checked("runtime.bun", "runtime", fail(`${launcher}: ${problem}`, fix))];
}

/** A launcher that a settings file names: looked at, never started. */
function launcherAt(launcher: string): Finding {
	if (isProgram(launcher)) return info(`${launcher}, another one: not started`);
	const why = existsSync(launcher) ? "is not executable" : "is gone";
	return fail(`the launcher ${launcher} ${why}; hooks that name it end in silence`, "run `ccg install` again");
}

/** What runs this is what the launcher found (`bin/find-bun`). */
function runtimeOf(launcher: string): Finding {
	const program = process.execPath;
	const fix = "run `npm install` in ccg's folder, then it brings its own Bun";
	const isOwn = program.startsWith(`${rootOf(launcher)}/`) || program.includes("/node_modules/");
	return isOwn
		? ok(`Bun ${Bun.version} (${program})`)
		: info(`Bun ${Bun.version} (${program}), not ccg's own: whoever removes it stops ccg`, fix);
}

const rootOf = (launcher: string): string => dirname(dirname(realPath(launcher)));

/** Which copy of ccg sessions run, and whether it is what runs here. */
function installed({ copy, running }: Seen): Finding {
	const here = dirname(dirname(running));
	if (!copy) return info(`without a copy in the store: ${here}`);
	const { facts, folder } = copy;
	const detail = `ccg ${facts.ccg} in ${folder}, from ${facts.from}`;
	const other = running === copy.launcher ? null : packageIn(here);
	if (!other || other.hash === facts.hash)
		return facts.compiled
			? ok(detail)
			: info(`${detail}; not compiled, so hooks start slower`, "`ccg install` tries again");
	return warn(
		`${detail}. What runs here is another one: ${other.version}, ${here}`,
		`\`${running} install\` puts it to work; to stay with the other one, type ${copy.launcher}`,
	);
}
