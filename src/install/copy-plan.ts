import { existsSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { readText } from "../files/json-file.ts";
import { quietly } from "../files/quietly.ts";
import { coded, whyOf } from "../files/system-failure.ts";
import { findRepository } from "../git/repository.ts";
import { appFolder, removeShortLauncher, stableLauncher, storeOfLauncher } from "../store/app-folder.ts";
import { withColdLock } from "../store/lock.ts";
import { type Env, storeRoot } from "../store/paths.ts";
import { refusePathLinks } from "../store/refuse-links.ts";
import { installedFiles } from "./backup.ts";
import { currentCopy, makeCopy, packageIn } from "./own-copy.ts";
import { SCOPES, settingsPath } from "./settings-sources.ts";

/** What an installation does with ccg's own files. */
export type CopyPlan = NonNullable<ReturnType<typeof planCopy>>;

/**
 * The copy that an install makes; `null` where what is registered starts from where it lies: wanted so, run from sources without
 * bundles, or running from the copy already. Writes nothing.
 */
export function planCopy(
	{ env, launcher: running }: { env: Env; launcher: string },
	{ inPlace }: { inPlace?: boolean },
) {
	const root = storeRoot(env);
	if (!root) return null;
	const app = appFolder(root);
	const launcher = stableLauncher(app);
	const before = currentCopy(app);
	const from = packageIn(dirname(dirname(running)));
	if (env.CCG_HOME && !storeOfLauncher(running)) refuseNamed(root, !inPlace && !!from);
	if (inPlace || !from || running === launcher) return null;
	/** `before` is the copy at work until then, `launcher` what registered commands are to name. */
	return { from, root, app, before, changed: before?.facts.hash !== from.hash, launcher };
}

/** Throws where a person's store would not be used, or be what a repository brings along. */
function refuseNamed(root: string, isCopied: boolean): void {
	const top = findRepository(root)?.top;
	if (isCopied && !top) return;
	const why = top
		? `it lies in the repository ${top}, which brings along what it likes`
		: "only a copy of ccg that lies there would use it: leave --in-place out, and of a clone run 'npm run build' before";
	throw new Error(`CCG_HOME names no store with ${root}: ${why}. Nothing was changed.`);
}

/** Copies, and puts the copy to work. Throws `STORE_READONLY`; the one before stays then. */
export async function applyCopy({ from, root, app }: Pick<CopyPlan, "from" | "root" | "app">) {
	try {
		refusePathLinks(root, app);
		return await withColdLock(`${root}/run/copy`, () => makeCopy({ from, app }));
	} catch (error) {
		throw coded(
			"STORE_READONLY",
			`ccg's own files can't be copied to ${app} (${whyOf(error)}). Nothing was registered; make that folder writable, set CCG_HOME, ` +
				"or register this folder itself with --in-place.",
			error,
		);
	}
}

/**
 * Deletes the copies where no settings file starts them any more: of those that ccg has changed, and those of this folder. Gives
 * what was done. Last of all: this may run from one.
 */
export function removeUnusedCopies(
	{ env, cwd }: { env: Env; cwd: string },
	{ inPlace = false } = {},
): "removed" | "in use" | "none" {
	const root = storeRoot(env);
	if (!root) return "none";
	const app = appFolder(root);
	const here = SCOPES.flatMap((scope) => quietly(() => settingsPath(scope, env, cwd)) ?? []);
	const launcher = stableLauncher(app);
	if ([...installedFiles(root), ...here].some((path) => readText(path)?.includes(launcher))) return "in use";
	// in place it leads elsewhere by now
	if (!inPlace) removeShortLauncher(root);
	if (!existsSync(app)) return "none";
	rmSync(app, { recursive: true, force: true });
	// where nothing was saved, nothing stays
	for (const folder of ["install", "run", ""]) quietly(() => rmdirSync(join(root, folder)));
	return "removed";
}
