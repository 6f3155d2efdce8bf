import { rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { readText } from "../files/json-file.ts";
import { quietly } from "../files/quietly.ts";
import { realPath } from "../files/real-path.ts";
import { withFileLock } from "../store/lock.ts";
import { backupOf, dropBackup, keepBackup } from "./backup.ts";
import { type Catalog, catalog } from "./catalog.ts";
import { findEntries, settingsIn } from "./entries.ts";
import { EMPTY } from "./json-text.ts";
import { backupStore, type InstallPlan, type InstallRequest, launcherToTell } from "./plan.ts";
import { changeSettings, type Edit, readSettled } from "./settings-file.ts";
import { readSources, settingsTarget } from "./settings-sources.ts";
import { addEntries, hideEnvironment, originalStatusLine, removeEntries } from "./settings-text.ts";

/**
 * The change of a settings file. Writes nothing. Throws `SETTINGS_INVALID`, `SETTINGS_LINK`, `NO_HOME` or what the
 * file system says.
 */
export async function planSettings(kind: InstallPlan["kind"], request: InstallRequest): Promise<InstallPlan> {
	const { scope, env, cwd } = request;
	const allow = request.allow ? launcherToTell(request) : undefined;
	const { path, target: file } = settingsTarget(scope, env, cwd);
	const inherited = scope === "local" ? hiddenStatusLine(request, file) : undefined;
	const store = backupStore(request);
	const entries = requestedCatalog(request);
	const edit: Edit = (text) => {
		if (kind === "install") return addEntries(text ?? "", entries, { allow, path, inherited });
		if (text === null) return null;
		const left = removeEntries(text, path, inherited);
		if (left === text) return text;
		const backup = backupOf(store, file);
		const before = backup === null ? null : readText(backup);
		if (before !== null && meansSame(before, text, inherited)) return before;
		return before === null && left === EMPTY ? null : left;
	};
	const isInstalled = (text: string | null): boolean => text !== null && findEntries(text).length > 0;
	const beforeWrite = (text: string | null): void => keepBackup(store, file, isInstalled(text) ? undefined : text);
	const before = await readSettled(file);
	const after = edit(before);
	const wraps = originalStatusLine(after ?? "")?.command;
	return {
		kind,
		target: "settings",
		path,
		changes: before === after ? [] : [{ path, before, after }],
		commands: [],
		shown: hideEnvironment,
		notes: kind === "install" ? installNotes(before ?? "", wraps, request) : [],
		async act() {
			const change = { target: file, edit, mode: 0o600, ...(kind === "install" && { beforeWrite }) };
			await withFileLock(file, () => changeSettings(change));
			if (kind === "install") return;
			dropBackup(store, file);
			// one that an install may have made
			quietly(() => rmdirSync(dirname(file)));
		},
		backup: () => backupOf(store, file),
	};
}

/** Whether a file holds, in its order, what it held before the first install, but for ccg's entries: nobody else has changed it since. */
function meansSame(before: string, text: string, inherited: ReturnType<typeof originalStatusLine>): boolean {
	const all = { allow: "/bin/ccg", inherited };
	// an entry leaves no empty list behind, also where there was one
	const meaning = (of: string): string =>
		JSON.stringify(settingsIn(removeEntries(addEntries(of, catalog("/bin/ccg"), all), undefined, inherited)));
	return quietly(() => meaning(before) === meaning(text)) ?? false;
}

/** The entries this request registers. */
export function requestedCatalog({ launcher, statusLineOnly }: InstallRequest): Catalog {
	const all = catalog(launcher);
	return statusLineOnly ? { ...all, hooks: [] } : all;
}

/** That of the next file behind the local one, which one there would hide: Claude Code runs that of the nearest file alone. */
const hiddenStatusLine = (request: InstallRequest, target: string): ReturnType<typeof originalStatusLine> =>
	readSources(request)
		.filter(({ scope, path }) => scope !== "managed" && realPath(path) !== target)
		.map(({ text }) => originalStatusLine(text ?? ""))
		.find((line) => line !== undefined);

function installNotes(before: string, wraps: string | undefined, { launcher }: InstallRequest): string[] {
	const found = findEntries(before);
	const others = new Set(found.map((entry) => entry.launcher).filter((one) => one !== launcher));
	return [
		...(wraps !== undefined && !found.some(({ part }) => part === "statusline")
			? [`The status line you have goes on as it is: ccg runs it and adds its own part. Its command: ${wraps}`]
			: []),
		...[...others].map((launcher) => `This takes the place of the entries of ${launcher}.`),
	];
}
