import { dirname } from "node:path";
import { olderThan } from "../core/text/version.ts";
import { isProgram } from "../files/on-path.ts";
import { packageIn } from "../install/own-copy.ts";
import { type Finding, fail, info, type Look, ok, warn } from "./check.ts";
import type { Seen } from "./seen.ts";

/** The runtime: launchers, how ccg is installed, what Claude Code there is. */
export const RUNTIME: Look[] = [
	["runtime.launcher", "launcher", launchers],
	["runtime.bun", "runtime", () => ok(`Bun ${Bun.version} (${process.execPath})`)],
	["runtime.installed", "installed", installation],
	["runtime.claude", "Claude Code", clients],
];

/** The one that is asked, and others only where they are gone: that they are there is told by "second installation". */
function launchers({ entries, line, launcher }: Seen): Finding[] {
	const named = [...entries, ...(line ? [line] : [])].map((entry) => entry.launcher);
	const gone = [...new Set([launcher, ...named])].filter((path) => !isProgram(path));
	if (gone.length === 0) return [ok(launcher)];
	return gone.map((path) =>
		fail(`the launcher ${path} is gone, or no program; hooks that name it end in silence`, "run `ccg install` again"),
	);
}

/**
 * Before 2.0.30 events are missing that ccg can't do without, and one that is not known makes it skip the whole settings file. The plugin's
 * commands have `args`, which those before 2.1.139 leave out (measured on 2.1.138 and 2.1.139).
 */
function clients({ claude, entries, plugins }: Seen): Finding[] {
	if (claude.length === 0) return [info("none on PATH tells its version")];
	const since: [number, number, number] = entries.length === 0 && plugins[0]?.isEnabled ? [2, 1, 139] : [2, 0, 30];
	return claude.map(({ version, path }) =>
		olderThan(version, since)
			? fail(`${version} (${path}) is older than ${since.join(".")} and runs nothing of ccg`, "update it")
			: ok(`${version} (${path})`),
	);
}

/** Which copy of ccg sessions run, and whether it is what runs here. */
function installation({ copy, running }: Seen): Finding {
	const here = dirname(dirname(running));
	if (!copy) return info(`without a copy in the store: ${here}`);
	const { facts, folder } = copy;
	const detail = `ccg ${facts.ccg} in ${folder}, from ${facts.from}`;
	const other = running === copy.launcher ? null : packageIn(here);
	if (!other || other.hash === facts.hash) return ok(detail);
	return warn(
		`${detail}. What runs here is another one: ${other.version}, ${here}`,
		`\`${running} install\` puts it to work; to stay with the other one, type ${copy.launcher}`,
	);
}
