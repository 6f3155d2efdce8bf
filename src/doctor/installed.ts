import { dirname } from "node:path";
import { type CopyFacts, wayOf } from "../install/origin.ts";
import { currentCopy, type OwnCopy, packageIn } from "../install/own-copy.ts";
import { appFolder, stableLauncher } from "../store/app-folder.ts";
import type { DoctorCheck } from "./check.ts";

/** The copy in the store that registered commands start; `null` where they start a folder itself. */
export const installedCopy = (root: string | null): OwnCopy | null => (root ? currentCopy(appFolder(root)) : null);

/** How ccg was installed, and whether what runs in sessions is what runs here. */
export function checkInstalled(copy: OwnCopy | null, launcher: string, root: string | null): DoctorCheck {
	const check = { id: "runtime.installed", title: "installed" };
	const here = dirname(dirname(launcher));
	if (!copy) {
		if (root && launcher === stableLauncher(appFolder(root)))
			return { ...check, status: "fail", detail: `${here} is not whole`, fix: "install ccg again, by any of its ways" };
		return { ...check, status: "info", detail: `${WAY_TEXT[wayOf(here)]}, without a copy in the store: ${here}` };
	}
	const { facts, folder } = copy;
	const detail = `${WAY_TEXT[facts.way]}, from ${facts.from}, on ${facts.at.slice(0, 10)}; ccg ${facts.ccg} in ${folder}`;
	const other = launcher === copy.launcher ? null : packageIn(here);
	if (other && other.hash !== facts.hash)
		return {
			...check,
			status: "warn",
			detail: `${detail}. What runs here is another one: ${other.version}, ${here}`,
			fix:
				Bun.semver.order(other.version, facts.ccg) < 0
					? `the one here is older: type ${copy.launcher}, or update it (${facts.way === "npm global" ? "`npm update --global claude-context-guard`" : "as it was installed"})`
					: `\`${launcher} install\` puts it to work`,
		};
	return { ...check, status: "ok", detail };
}

export const WAY_TEXT: Record<CopyFacts["way"], string> = {
	clone: "by a clone",
	"npm global": "by `npm install --global`",
	"npm project": "by npm, in a project",
	npx: "by npx",
	plugin: "as a plugin",
	folder: "by a folder",
};
