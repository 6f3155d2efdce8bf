import { existsSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { readText } from "../files/json-file.ts";
import { tryOrUndefined } from "../files/quietly.ts";
import { codedError, errorText } from "../files/system-failure.ts";
import { findRepository } from "../git/repository.ts";
import { appFolder, launcherStore, removeShortLauncher, stableLauncherPath } from "../store/app-folder.ts";
import { withLongLock } from "../store/lock.ts";
import { type Env, storeRoot } from "../store/paths.ts";
import { refusePathLinks } from "../store/refuse-links.ts";
import { installedFiles } from "./backup.ts";
import { currentCopy, makeCopy, readPackage } from "./own-copy.ts";
import { SCOPES, settingsPath } from "./settings-sources.ts";

/** What an installation does with ccg's own files. */
export type CopyPlan = NonNullable<ReturnType<typeof planCopy>>;

/**
 * Plans the copy of ccg that an install makes; `null` without one: with `inPlace`, from sources without bundles, without a store, or when the
 * running ccg is the copy. Writes nothing.
 */
export function planCopy(running: { env: Env; launcher: string }, { inPlace }: { inPlace?: boolean }) {
	const root = storeRoot(running.env);
	if (!root) return null;
	const app = appFolder(root);
	const launcher = stableLauncherPath(app);
	const before = currentCopy(app);
	const from = readPackage(dirname(dirname(running.launcher)));
	if (running.env.CCG_HOME && !launcherStore(running.launcher)) refuseUnusableStore(root, !inPlace && !!from);
	if (inPlace || !from || running.launcher === launcher) return null;
	/** `before`: the copy in use until then. `launcher`: the path that registered commands will name. */
	return { from, root, app, before, changed: before?.manifest.hash !== from.hash, launcher };
}

/** Throws where the store that CCG_HOME names lies in a repository, or would not be used, since no copy of ccg lies there. */
function refuseUnusableStore(root: string, willCopy: boolean): void {
	const top = findRepository(root)?.top;
	if (willCopy && !top) return;
	const why = top
		? `it lies in the repository ${top}, which brings along what it likes`
		: "only a copy of ccg that lies there would use it: leave --in-place out, and of a clone run 'npm run build' before";
	throw new Error(`CCG_HOME names no store with ${root}: ${why}. Nothing was changed.`);
}

/** Makes the planned copy the one in use. Throws `STORE_READONLY`; the one before stays in use then. */
export async function applyCopy({ from, root, app }: Pick<CopyPlan, "from" | "root" | "app">) {
	try {
		refusePathLinks(root, app);
		return await withLongLock(`${root}/run/copy`, () => makeCopy({ from, app }));
	} catch (error) {
		throw codedError(
			"STORE_READONLY",
			`ccg's own files can't be copied to ${app} (${errorText(error)}). Nothing was registered; make that folder writable, set CCG_HOME, ` +
				"or register this folder itself with --in-place.",
			error,
		);
	}
}

/**
 * Deletes ccg's copies in the store after an uninstall, unless a settings file still starts them: one that ccg was installed into, or one of this
 * folder. The last step, since the running ccg may be one of them.
 */
export function removeUnusedCopies(
	{ env, cwd }: { env: Env; cwd: string },
	{ inPlace = false } = {},
): "removed" | "in use" | "none" {
	const root = storeRoot(env);
	if (!root) return "none";
	const app = appFolder(root);
	const settingsHere = SCOPES.flatMap((scope) => tryOrUndefined(() => settingsPath(scope, env, cwd)) ?? []);
	// (from the store on: below the home commands name it as "$HOME"/…)
	const launcher = relative(dirname(root), stableLauncherPath(app));
	if ([...installedFiles(root), ...settingsHere].some((path) => readText(path)?.includes(launcher))) return "in use";
	// with `inPlace` the short launcher leads to another ccg by now
	if (!inPlace) removeShortLauncher(root);
	if (!existsSync(app)) return "none";
	rmSync(app, { recursive: true, force: true });
	// (succeeds only for folders that are empty)
	for (const folder of ["install", "run", ""]) tryOrUndefined(() => rmdirSync(join(root, folder)));
	return "removed";
}
