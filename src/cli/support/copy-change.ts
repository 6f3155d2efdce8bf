import { dirname, resolve } from "node:path";
import { whyOf } from "../../files/system-failure.ts";
import { compileBundles } from "../../install/bytecode.ts";
import { type Way, wayOf } from "../../install/origin.ts";
import {
	copyName,
	currentCopy,
	makeCopy,
	type OwnCopy,
	type Package,
	packageIn,
	recompile,
} from "../../install/own-copy.ts";
import { settingsError } from "../../install/settings-error.ts";
import { appFolder, stableLauncher } from "../../store/app-folder.ts";
import { withColdLock } from "../../store/cold-lock.ts";
import { storeRoot } from "../../store/paths.ts";
import { refusePathLinks } from "../../store/refuse-links.ts";
import type { Io } from "./io.ts";
import { progressBar } from "./progress-bar.ts";

/** What an installation does with ccg's own files. */
export interface CopyPlan {
	from: Package;
	way: Way;
	root: string;
	app: string;
	/** The copy at work before. */
	before: OwnCopy | null;
	changed: boolean;
	/** What registered commands are to name. */
	launcher: string;
}

/**
 * The copy that an install makes; `null` where what is registered starts from where it lies: wanted so, run from sources without
 * bundles, or running from the copy already. Writes nothing.
 */
export function planCopy(
	io: Pick<Io, "env" | "cwd" | "launcher">,
	{ inPlace }: { inPlace?: boolean },
): CopyPlan | null {
	const store = storeRoot(io.env);
	if (inPlace || !store) return null;
	const root = resolve(io.cwd, store);
	const app = appFolder(root);
	const launcher = stableLauncher(app);
	const before = currentCopy(app);
	if (io.launcher === launcher)
		return before && { from: packageOf(before), way: before.facts.way, root, app, before, changed: false, launcher };
	const from = packageIn(dirname(dirname(io.launcher)));
	if (!from) return null;
	const isSame = before?.facts.ccg === from.version && before.facts.hash === from.hash;
	return { from, way: wayOf(from.root), root, app, before, changed: !isSame, launcher };
}

const packageOf = ({ folder, facts }: OwnCopy): Package => ({
	root: folder,
	version: facts.ccg,
	hash: facts.hash,
	files: [],
	hasBytecode: facts.bytecode !== null,
});

/** What it does, for people. */
export function copySummary({ from, app, before }: CopyPlan): string[] {
	const instead = before ? `, in place of ${before.facts.ccg} (${before.folder})` : "";
	return [
		`ccg ${from.version} is copied to ${app}/${copyName(from, null)}${instead}.`,
		"What is registered starts from there, whatever becomes of the folder it came from.",
	];
}

/** Copies and puts the copy to work. Throws `STORE_READONLY`; the one before stays at work then. */
export async function applyCopy(
	{ from, way, root, app }: Pick<CopyPlan, "from" | "way" | "root" | "app">,
	runtime = process.execPath,
): Promise<OwnCopy> {
	try {
		refusePathLinks(root, app);
		return await withColdLock(`${root}/run/copy`, () => makeCopy({ from, way, app, runtime }));
	} catch (error) {
		throw settingsError(
			"STORE_READONLY",
			`ccg's own files can't be copied to ${app} (${whyOf(error)}). Nothing was registered; make that folder writable, set CCG_HOME, ` +
				"or register this folder itself with --in-place.",
			error,
		);
	}
}

/** Makes bytecode for a copy that has none. It works without, so a failure is only told. */
export async function speedUp(copy: OwnCopy, app: string, io: Io): Promise<void> {
	if (copy.facts.bytecode || !process.versions.bun) return;
	const bar = progressBar(
		io,
		"making it start faster",
		Object.keys(copy.facts.files).filter((name) => name.endsWith(".js")).length,
	);
	try {
		await withColdLock(`${dirname(app)}/run/copy`, () =>
			recompile(app, copy, (bundles, from, to) => compileBundles(bundles, { from, to, onProgress: bar })),
		);
	} catch (error) {
		io.err(`ccg: no bytecode could be made (${whyOf(error)}); everything works, hooks start slower`);
	} finally {
		bar(null);
	}
}
