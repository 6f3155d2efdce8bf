import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { newerThan, TESTED } from "../core/text/version.ts";
import { isProgram } from "../files/on-path.ts";
import { realPath } from "../files/real-path.ts";
import { isTooOld } from "../install/claude-version.ts";
import { packageIn } from "../install/own-copy.ts";
import { type Finding, fail, info, type Look, ok, warn } from "./check.ts";
import { lastRun } from "./ran.ts";
import type { Seen } from "./seen.ts";

/** The runtime: launchers, how ccg is installed, what Claude Code there is. */
export const RUNTIME: Look[] = [
	["runtime.launcher", "launcher", launchers],
	["runtime.bun", "runtime", runtime],
	["runtime.installed", "installed", installation],
	["runtime.claude", "Claude Code", clients],
	["runtime.tested", "tested with", newerClients],
];

/** The one that is asked, and others only where they are gone: that they are there is told by "second installation". */
function launchers({ entries, launcher }: Seen): Finding[] {
	const gone = [...new Set([launcher, ...entries.map((entry) => entry.launcher)])].filter((path) => !isProgram(path));
	if (gone.length === 0) return [ok(launcher)];
	return gone.map((path) => {
		const why = existsSync(path) ? "is not executable" : "is gone";
		return fail(`the launcher ${path} ${why}; hooks that name it end in silence`, "run `ccg install` again");
	});
}

/** What runs this is what the launcher found (`bin/find-bun`). */
function runtime({ launcher }: Seen): Finding {
	const program = process.execPath;
	const isOwn = program.startsWith(`${dirname(dirname(realPath(launcher)))}/`) || program.includes("/node_modules/");
	if (isOwn) return ok(`Bun ${Bun.version} (${program})`);
	const fix = "run `npm install` in ccg's folder, then it brings its own Bun";
	return info(`Bun ${Bun.version} (${program}), not ccg's own: whoever removes it stops ccg`, fix);
}

function clients({ claude }: Seen): Finding[] {
	if (claude.length === 0) return [info("none on PATH tells its version")];
	return claude.map(({ version, path }) =>
		isTooOld(version)
			? fail(`${version} (${path}) is older than 2.0.30 and takes nothing from settings with ccg`, "update it")
			: ok(`${version} (${path})`),
	);
}

/** What is here, or ran last, and came after this ccg. */
function newerClients(seen: Seen): Finding[] {
	const versions = [...seen.claude, lastRun(seen, Date.now())].map((one) => one?.version ?? "");
	const newer = [...new Set(versions.filter((version) => newerThan(version, TESTED)))].join(", ");
	if (!newer) return [];
	return [info(`Claude Code ${newer} is newer than ${TESTED.join(".")}, the newest that this ccg was tested with`)];
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
