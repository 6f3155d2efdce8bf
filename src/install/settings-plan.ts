import { isStoreClosed, sandboxAdvice } from "../claude/machine/sandbox-settings.ts";
import { shellWord } from "../core/text/shell-word.ts";
import { coded } from "../files/system-failure.ts";
import { gitTop } from "../git/repository.ts";
import { type Catalog, catalog } from "./catalog.ts";
import { findEntries } from "./entries.ts";
import { type InstallPlan, type InstallRequest, launcherToTell, planTarget, receiptStore } from "./plan.ts";
import { bytesBefore, receiptFolder } from "./receipt.ts";
import type { Edit } from "./settings-file.ts";
import {
	hookSwitches,
	otherSettings,
	SCOPES,
	type Scope,
	type SettingsFile,
	settingsPath,
	settingsTarget,
} from "./settings-sources.ts";
import {
	addEntries,
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
	const others = otherSettings(request, target);
	const inherited = hiddenStatusLine(scope, others);
	const receipt = receiptFolder(receiptStore(request), target);
	const entries = requestedCatalog(request);
	const edit: Edit = (text) => {
		if (kind === "install") return addEntries(text ?? "", entries, { allowMemory, allowRecall, path, inherited });
		if (text === null) return null;
		const before = bytesBefore(receipt, target, text);
		return before === undefined ? removeEntries(text, { path, inherited }) : before;
	};
	const plan = await planTarget(kind, request, {
		path,
		files: () => [{ path, target, edit, mode: scope === "project" ? 0o644 : 0o600 }],
		receipt,
		isInstalled: (text) => findEntries(text).length > 0,
		shown: hideEnvironment,
	});
	const { before, changes } = plan;
	const [{ after } = { after: before }] = changes;
	const wraps = originalStatusLine(after ?? "")?.command;
	const notes = [
		...(kind === "install" ? installNotes(before ?? "", wraps, request) : []),
		...otherScopes(others, request),
	];
	return { ...plan, notes };
}

/** The entries this request registers. */
export function requestedCatalog(
	request: Pick<InstallRequest, "launcher" | "env" | "cwd" | "claude" | "statusLineOnly">,
): Catalog {
	const all = catalog(request.launcher, request.claude);
	return { ...all, told: launcherToTell(request), ...(request.statusLineOnly && { hooks: [] }) };
}

/**
 * What is committed goes to colleagues, whose machines have no such path, other versions of Claude Code, and a status line of
 * their own. Nothing is refused in a home folder that is a repository. Throws `SETTINGS_SHARED`.
 */
function refuseShared({ scope, env, cwd }: InstallRequest): void {
	const root = scope === "project" ? gitTop(cwd) : null;
	if (root === null || root === env.HOME || settingsPath(scope, env, cwd) === settingsPath("user", env, cwd)) return;
	throw coded(
		"SETTINGS_SHARED",
		`${settingsPath(scope, env, cwd)} is shared with everybody who uses this repository, and ccg would put this machine's path into it. ` +
			"Nothing was changed; `ccg install --scope local` registers it for you alone, in this repository.",
	);
}

/** That of the next file behind this scope's, which one in this scope would hide: Claude Code runs that of the nearest file alone. */
function hiddenStatusLine(scope: Scope, others: readonly SettingsFile[]): StatusLineValue | undefined {
	const behind: string[] = SCOPES.slice(0, SCOPES.indexOf(scope));
	return others
		.filter((source) => behind.includes(source.scope))
		.map(({ text }) => originalStatusLine(text ?? ""))
		.find((line) => line !== undefined);
}

function installNotes(before: string, wraps: string | undefined, request: InstallRequest): string[] {
	const { env, cwd } = request;
	const advice = sandboxAdvice(receiptStore(request), env);
	const found = findEntries(before);
	const others = new Set(found.map(({ launcher }) => launcher).filter((one) => one !== request.launcher));
	return [
		...(wraps !== undefined && !found.some(({ part }) => part === "statusline")
			? [`The status line you have goes on as it is: ccg runs it and adds its own part. Its command: ${wraps}`]
			: []),
		...[...others].map((launcher) => `This takes the place of the entries of ${launcher}.`),
		...(isStoreClosed(receiptStore(request), shellWord(launcherToTell(request)), cwd, env)
			? [`Warning: ${advice.detail}. To open it: ${advice.fix}.`]
			: []),
		...hookSwitches(request).map(
			({ title, detail, fix }) => `Warning: hooks are switched off: ${title} is ${detail}. To switch them on: ${fix}.`,
		),
	];
}

/** Hooks of all scopes add up: an installation in another scope would run beside this one. */
function otherScopes(others: readonly SettingsFile[], request: InstallRequest): string[] {
	return others.flatMap(({ scope, path, text }) => {
		const launchers = [...new Set(findEntries(text ?? "").map(({ launcher }) => launcher))];
		// identical entries of several scopes run once
		if (launchers.every((launcher) => launcher === request.launcher)) return [];
		return [
			`Warning: ${path} has entries of ccg too (${launchers.join(", ")}). ` +
				`Hooks of all scopes add up; \`ccg uninstall --scope ${scope}\` takes those out.`,
		];
	});
}
