import { rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { readText } from "../files/json-file.ts";
import { tryOrUndefined } from "../files/quietly.ts";
import { realPath } from "../files/real-path.ts";
import { withFileLock } from "../store/lock.ts";
import { deleteBackup, findBackup, keepBackup } from "./backup.ts";
import { type Catalog, catalog } from "./catalog.ts";
import { parseEntries, parseSettings } from "./entries.ts";
import { EMPTY } from "./json-text.ts";
import { backupStore, type InstallPlan, type InstallRequest, shortLauncherFor } from "./plan.ts";
import { changeSettings, type Edit, readWhenParsable } from "./settings-file.ts";
import { readAllSettings, settingsTarget } from "./settings-sources.ts";
import { addCcgEntries, hideEnvironment, originalStatusLine, removeCcgEntries } from "./settings-text.ts";

/**
 * Plans the change of one settings file: an install adds ccg's entries, an uninstall removes them, or gives back the file of before where nobody
 * else has changed it. Writes nothing. Throws `SETTINGS_INVALID`, `SETTINGS_LINK`, `NO_HOME` and errors of the file system.
 */
export async function planSettings(kind: InstallPlan["kind"], request: InstallRequest): Promise<InstallPlan> {
	const { scope, env, cwd } = request;
	const grantFor = request.allow ? shortLauncherFor(request) : undefined;
	const { path, target: file } = settingsTarget(scope, env, cwd);
	const inherited = scope === "local" ? hiddenStatusLine(request, file) : undefined;
	const store = backupStore(request);
	const entries = requestedCatalog(request);
	const edit: Edit = (text) => {
		if (kind === "install") return addCcgEntries(text ?? "", entries, { grantFor, path, inherited });
		if (text === null) return null;
		const withoutEntries = removeCcgEntries(text, path, inherited);
		if (withoutEntries === text) return text;
		const backup = findBackup(store, file);
		const before = backup === null ? null : readText(backup);
		if (before !== null && isUnchangedByOthers(before, text, inherited)) return before;
		return before === null && withoutEntries === EMPTY ? null : withoutEntries;
	};
	const isInstalled = (text: string | null): boolean => text !== null && parseEntries(text).length > 0;
	const beforeWrite = (text: string | null): void => keepBackup(store, file, isInstalled(text) ? undefined : text);
	const before = await readWhenParsable(file);
	const after = edit(before);
	const wrapped = originalStatusLine(after ?? "")?.command;
	return {
		kind,
		target: "settings",
		path,
		changes: before === after ? [] : [{ path, before, after }],
		commands: [],
		shown: hideEnvironment,
		notes: kind === "install" ? installNotes(before ?? "", wrapped, request) : [],
		async apply() {
			const change = { target: file, edit, mode: 0o600, ...(kind === "install" && { beforeWrite }) };
			await withFileLock(file, () => changeSettings(change));
			if (kind === "install") return;
			deleteBackup(store, file);
			// the folder that an install may have made, if it is empty
			tryOrUndefined(() => rmdirSync(dirname(file)));
		},
		backup: () => findBackup(store, file),
	};
}

/** Whether a settings file, ccg's entries aside, means what it meant before the first install: then nobody else has changed it since. */
function isUnchangedByOthers(before: string, text: string, inherited: ReturnType<typeof originalStatusLine>): boolean {
	const options = { grantFor: "/bin/ccg", inherited };
	// adds entries and removes them again: that takes empty lists out of both texts
	const normalize = (settings: string): string =>
		JSON.stringify(
			parseSettings(removeCcgEntries(addCcgEntries(settings, catalog("/bin/ccg"), options), undefined, inherited)),
		);
	return tryOrUndefined(() => normalize(before) === normalize(text)) ?? false;
}

/** The entries that this request registers. */
export function requestedCatalog({ launcher, statusLineOnly }: InstallRequest): Catalog {
	const all = catalog(launcher);
	return statusLineOnly ? { ...all, hooks: [] } : all;
}

/** The status line of the user's or project's settings that one in the local file would replace: Claude Code runs only one. */
const hiddenStatusLine = (request: InstallRequest, target: string): ReturnType<typeof originalStatusLine> =>
	readAllSettings(request)
		.filter(({ scope, path }) => scope !== "managed" && realPath(path) !== target)
		.map(({ text }) => originalStatusLine(text ?? ""))
		.find((line) => line !== undefined);

/** What an install tells the user: that it keeps the status line, and whose entries it replaces. */
function installNotes(before: string, wrapped: string | undefined, { launcher }: InstallRequest): string[] {
	const entries = parseEntries(before);
	const others = new Set(entries.map((entry) => entry.launcher).filter((other) => other !== launcher));
	return [
		...(wrapped !== undefined && !entries.some(({ part }) => part === "statusline")
			? [`The status line you have goes on as it is: ccg runs it and adds its own part. Its command: ${wrapped}`]
			: []),
		...[...others].map((launcher) => `This takes the place of the entries of ${launcher}.`),
	];
}
