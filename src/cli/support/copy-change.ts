import { existsSync, rmdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { namesIn } from "../../files/names-in.ts";
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
	removeCopies,
} from "../../install/own-copy.ts";
import { settingsError } from "../../install/settings-error.ts";
import { SCOPES, settingsPath } from "../../install/settings-path.ts";
import { appFolder, removeShortLauncher, stableLauncher } from "../../store/app-folder.ts";
import { withColdLock } from "../../store/cold-lock.ts";
import { readJson, readText } from "../../store/json-file.ts";
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
	const isOlder = before && Bun.semver.order(from.version, before.facts.ccg) < 0;
	const instead = before
		? `, in place of ${before.facts.ccg} (${before.folder})${isOlder ? ": this is an older version" : ""}`
		: "";
	return [
		`ccg ${from.version} is copied to ${app}/${copyName(from, null)}${instead}.`,
		"What is registered starts from there, whatever becomes of the folder it came from.",
	];
}

/** Copies and puts the copy to work. Throws `STORE_READONLY`; the one before stays at work then. */
export async function applyCopy(
	{ from, way, root, app, source }: Pick<CopyPlan, "from" | "way" | "root" | "app"> & { source?: string },
	runtime = process.execPath,
): Promise<OwnCopy> {
	try {
		refusePathLinks(root, app);
		return await withColdLock(`${root}/run/copy`, () => makeCopy({ from, way, source, app, runtime }));
	} catch (error) {
		throw settingsError(
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
	{ env, cwd }: Pick<Io, "env" | "cwd">,
	{ inPlace = false } = {},
): "removed" | "in use" | "none" {
	const store = storeRoot(env);
	const root = store && resolve(cwd, store);
	if (!root) return "none";
	const app = appFolder(root);
	const receipts = join(root, "install");
	const known = namesIn(receipts).flatMap((name) =>
		["receipt.json", "mcp-receipt.json"].flatMap((file) => {
			const { settingsPath: settings, path } = readJson<Record<string, unknown>>(join(receipts, name, file)) ?? {};
			return [settings, path].filter((one) => typeof one === "string");
		}),
	);
	const here = SCOPES.flatMap((scope) => quiet(() => settingsPath(scope, env, cwd)) ?? []);
	const launcher = stableLauncher(app);
	if ([...known, ...here].some((path) => readText(path)?.includes(launcher))) return "in use";
	// in place it leads elsewhere by now
	if (!inPlace) removeShortLauncher(root);
	if (!existsSync(app)) return "none";
	removeCopies(app);
	// where nothing was saved, nothing stays
	for (const folder of ["install", "run", ""]) quiet(() => rmdirSync(join(root, folder)));
	return "removed";
}

function quiet<T>(act: () => T): T | null {
	try {
		return act();
	} catch {
		return null;
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
