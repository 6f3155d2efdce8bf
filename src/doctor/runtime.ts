import { dirname } from "node:path";
import { olderThan } from "../core/text/version.ts";
import { isExecutable } from "../files/on-path.ts";
import { readPackage } from "../install/own-copy.ts";
import { type CheckEntry, type Finding, fail, info, ok, warn } from "./check.ts";
import type { DoctorFacts } from "./seen.ts";

/** The runtime: launchers, how ccg is installed, what Claude Code there is. */
export const RUNTIME: CheckEntry[] = [
	["runtime.launcher", "launcher", checkLaunchers],
	["runtime.bun", "runtime", () => ok(`Bun ${Bun.version} (${process.execPath})`)],
	["runtime.installed", "installed", checkInstalledCopy],
	["runtime.claude", "Claude Code", checkClaudeVersions],
];

/** Whether every launcher that ccg's entries name is there. Others that are there are reported by `checkOtherInstallations`. */
function checkLaunchers({ entries, pluginStatusLine, launcher }: DoctorFacts): Finding[] {
	const named = [...entries, ...(pluginStatusLine ? [pluginStatusLine] : [])].map((entry) => entry.launcher);
	const missing = [...new Set([launcher, ...named])].filter((path) => !isExecutable(path));
	if (missing.length === 0) return [ok(launcher)];
	return missing.map((path) =>
		fail(`the launcher ${path} is gone, or no program; hooks that name it end in silence`, "run `ccg install` again"),
	);
}

/**
 * Whether each Claude Code is new enough. Before 2.0.30 it lacks events that ccg needs, and an unknown event makes it skip the whole settings
 * file. Before 2.1.139 it leaves out `args`, which the plugin's commands have (measured on 2.1.138 and 2.1.139).
 */
function checkClaudeVersions({ claude, entries, plugins }: DoctorFacts): Finding[] {
	if (claude.length === 0) return [info("none on PATH tells its version")];
	const runsAsPlugin = entries.length === 0 && plugins[0]?.isEnabled;
	const oldest: [number, number, number] = runsAsPlugin ? [2, 1, 139] : [2, 0, 30];
	return claude.map(({ version, path }) =>
		olderThan(version, oldest)
			? fail(`${version} (${path}) is older than ${oldest.join(".")} and runs nothing of ccg`, "update it")
			: ok(`${version} (${path})`),
	);
}

/** Which copy of ccg sessions run, and whether the running ccg is the same package. */
function checkInstalledCopy({ copy, runningLauncher }: DoctorFacts): Finding {
	const runningFolder = dirname(dirname(runningLauncher));
	if (!copy) return info(`without a copy in the store: ${runningFolder}`);
	const { manifest, folder } = copy;
	const detail = `ccg ${manifest.ccg} in ${folder}, from ${manifest.from}`;
	const runningPackage = runningLauncher === copy.launcher ? null : readPackage(runningFolder);
	if (!runningPackage || runningPackage.hash === manifest.hash) return ok(detail);
	return warn(
		`${detail}. What runs here is another one: ${runningPackage.version}, ${runningFolder}`,
		`\`${runningLauncher} install\` puts it to work; to stay with the other one, type ${copy.launcher}`,
	);
}
