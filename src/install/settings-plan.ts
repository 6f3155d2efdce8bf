import { gitTop } from "../git/repository.ts";
import { type Catalog, catalog } from "./catalog.ts";
import { findEntries } from "./entries.ts";
import { type InstallPlan, type InstallRequest, ownStore, planned, storeOf, toldIn } from "./plan.ts";
import {
	backupIn,
	bytesBefore,
	dropReceipt,
	isLeft,
	keepReceipt,
	madeFor,
	readReceipt,
	receiptFolder,
	sha256,
	withBytes,
} from "./receipt.ts";
import { changeSettings, type Edit, readSettled } from "./settings-file.ts";
import { SCOPES, settingsError, settingsPath, settingsTarget } from "./settings-path.ts";
import { hookSwitches, otherSettings } from "./settings-sources.ts";
import {
	addEntries,
	EMPTY_SETTINGS,
	hideEnvironment,
	originalStatusLine,
	removeEntries,
	type StatusLineValue,
} from "./settings-text.ts";

/**
 * The change of a settings file. Writes nothing. Throws `SETTINGS_INVALID`, `SETTINGS_SHARED`, `SETTINGS_LINK`, `NO_HOME` or what the
 * file system says.
 */
export async function planSettings(kind: InstallPlan["kind"], request: InstallRequest): Promise<InstallPlan> {
	const { scope, env, cwd, allowMemory, allowRecall } = request;
	const { path, target } = settingsTarget(scope, env, cwd);
	if (kind === "install") refuseShared(request);
	const inherited = hiddenStatusLine(request, target);
	const folder = receiptFolder(storeOf(request), target);
	const entries = requestedCatalog(request);
	const edit: Edit = (text) => {
		if (kind === "install")
			return addEntries(text ?? EMPTY_SETTINGS, entries, { allowMemory, allowRecall, path, inherited });
		if (text === null) return null;
		const before = bytesBefore(folder, readReceipt(folder).files[0], text);
		return before === undefined ? removeEntries(text, { path, inherited: inherited?.command }) : before;
	};
	const before = await readSettled(target);
	const after = edit(before);
	const wraps = after === null ? undefined : originalStatusLine(after)?.command;
	return planned(request, {
		kind,
		path,
		before,
		changes: [{ path, before, after }],
		notes: [...(kind === "install" ? installNotes(before ?? "", wraps, request) : []), ...otherScopes(target, request)],
		shown: hideEnvironment,
		wraps,
		backup: () => backupIn(folder),
		act: async () => {
			const change = { target, edit, mode: scope === "project" ? 0o644 : 0o600 };
			const made = madeFor(folder, [target]);
			if (kind === "install")
				return changeSettings({ ...change, beforeWrite: (...texts) => keep(folder, target, made, ...texts) });
			const wrote = await changeSettings(change);
			if (wrote) dropReceipt(folder);
			return wrote;
		},
	});
}

/**
 * The backup is written once, before the first change. Bytes others have edited since are never traded for it, as their edits would
 * go with them.
 */
function keep(folder: string, path: string, made: string[], before: string | null, after: string): void {
	const isFresh = before === null || findEntries(before).length === 0;
	const known = isFresh ? undefined : readReceipt(folder).files[0];
	const file = known ?? { path, before: isFresh && before !== null ? sha256(before) : null, after: [] };
	const isTraded = isFresh || isLeft(file, before);
	keepReceipt(folder, { made, files: [isTraded ? withBytes(file, after) : file] }, isFresh ? before : undefined);
}

/** The entries this request registers. `CCG_HOME` goes into the commands: a session's environment need not hold it. */
export function requestedCatalog(
	request: Pick<InstallRequest, "launcher" | "env" | "cwd" | "claude" | "statusLineOnly">,
): Catalog {
	const all = catalog(request.launcher, ownStore(request), request.claude ?? null);
	return { ...all, told: toldIn(request), ...(request.statusLineOnly && { hooks: [] }) };
}

/**
 * What is committed goes to colleagues, whose machines have no such path, other versions of Claude Code, and a status line of
 * their own. Nothing is refused in a home folder that is a repository. Throws `SETTINGS_SHARED`.
 */
function refuseShared({ scope, env, cwd }: InstallRequest): void {
	const root = scope === "project" ? gitTop(cwd) : null;
	if (root === null || root === env.HOME || settingsPath(scope, env, cwd) === settingsPath("user", env, cwd)) return;
	throw settingsError(
		"SETTINGS_SHARED",
		`${settingsPath(scope, env, cwd)} is shared with everybody who uses this repository, and ccg would put this machine's path into it. ` +
			"Nothing was changed; `ccg install --scope local` registers it for you alone, in this repository.",
	);
}

/** That of the next file behind this scope's, which one in this scope would hide: Claude Code runs that of the nearest file alone. */
function hiddenStatusLine({ scope, ...place }: InstallRequest, own: string): StatusLineValue | undefined {
	const behind = SCOPES.slice(0, SCOPES.indexOf(scope));
	return otherSettings(place, own)
		.filter((source) => behind.some((one) => one === source.scope))
		.map(({ text }) => originalStatusLine(text ?? ""))
		.find((line) => line !== undefined);
}

function installNotes(before: string, wraps: string | undefined, request: InstallRequest): string[] {
	const found = findEntries(before);
	const others = new Set(found.map(({ launcher }) => launcher).filter((one) => one !== request.launcher));
	return [
		...(wraps !== undefined && !found.some(({ part }) => part === "statusline")
			? [`The status line you have goes on as it is: ccg runs it and adds its own part. Its command: ${wraps}`]
			: []),
		...[...others].map((launcher) => `This takes the place of the entries of ${launcher}.`),
		...hookSwitches(request).map(
			({ title, detail, fix }) => `Warning: hooks are switched off: ${title} is ${detail}. To switch them on: ${fix}.`,
		),
	];
}

/** Hooks of all scopes add up: an installation in another scope would run beside this one. */
function otherScopes(target: string, request: InstallRequest): string[] {
	return otherSettings(request, target).flatMap(({ scope, path, text }) => {
		const launchers = [...new Set(findEntries(text ?? "").map(({ launcher }) => launcher))];
		// identical entries of several scopes run once
		if (launchers.every((launcher) => launcher === request.launcher)) return [];
		return [
			`Warning: ${path} has entries of ccg too (${launchers.join(", ")}). ` +
				`Hooks of all scopes add up; \`ccg uninstall --scope ${scope}\` takes those out.`,
		];
	});
}
