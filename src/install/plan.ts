import { existsSync, rmdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { whyOf } from "../files/system-failure.ts";
import { gitTop } from "../git/git-top.ts";
import { shortLauncher } from "../store/app-folder.ts";
import { quietly } from "../store/atomic-write.ts";
import { withColdLock } from "../store/cold-lock.ts";
import { readText } from "../store/json-file.ts";
import { type Env, storeRoot } from "../store/paths.ts";
import type { Tell } from "../store/problems.ts";
import { refusePathLinks } from "../store/refuse-links.ts";
import { type Allowed, type Catalog, catalog, memoryRule, recallRule } from "./catalog.ts";
import { hookSwitches } from "./hook-switches.ts";
import { backupPath, dropReceipt, keepReceipt, readReceipt, receiptFolder, undo } from "./receipt.ts";
import { settingsError } from "./settings-error.ts";
import { changeSettings, type Edit } from "./settings-file.ts";
import { realTarget, SCOPES, type Scope, settingsPath, settingsTarget } from "./settings-path.ts";
import { readSettled, type Timing } from "./settings-read.ts";
import {
	addEntries,
	EMPTY_SETTINGS,
	findEntries,
	originalStatusLine,
	type StatusLineValue,
	wrappedStatusLine,
} from "./settings-text.ts";

/** What a plan is made from. */
export interface InstallRequest extends Allowed {
	scope: Scope;
	env: Env;
	/** Absolute. */
	cwd: string;
	launcher: string;
	/** The version of Claude Code to register for; absent for one that knows every event. */
	claude?: string | null;
	/** What a plugin can't register: its hooks are in its own folder. */
	statusLineOnly?: boolean;
	timing?: Timing;
	/** Where to tell what the store's files are like. */
	tell: Tell;
}

/** A change of one settings file as a value: shown first, applied by `applyPlan`. `null` stands for no file. */
export interface InstallPlan {
	kind: "install" | "uninstall";
	/** As the user knows it. */
	path: string;
	/** The file written, links resolved. */
	target: string;
	before: string | null;
	after: string | null;
	changed: boolean;
	/** The status line command that goes on running inside ours. */
	wraps?: string | undefined;
	/** Facts to show beside the diff, one sentence each. */
	notes: string[];
	/** Where receipt and backup lie. */
	folder: string;
}

/** How the installation will be told: by the short command that it makes. */
export function toldIn({ launcher, env, cwd }: Pick<InstallRequest, "launcher" | "env" | "cwd">): string {
	const root = storeRoot(env);
	return root ? shortLauncher(resolve(cwd, root)) : launcher;
}

/** The entries this request registers. `CCG_HOME` goes into the commands: a session's environment need not hold it. */
export function requestedCatalog({
	launcher,
	env,
	cwd,
	claude,
	statusLineOnly,
}: Pick<InstallRequest, "launcher" | "env" | "cwd" | "claude" | "statusLineOnly">): Catalog {
	const all = catalog(launcher, env.CCG_HOME ? resolve(cwd, env.CCG_HOME) : undefined, claude ?? null);
	const told = toldIn({ launcher, env, cwd });
	const rules = { memoryRule: memoryRule(told), recallRule: recallRule(told) };
	return { ...all, ...rules, ...(statusLineOnly && { hooks: [] }) };
}

/** Throws `SETTINGS_INVALID`, `SETTINGS_SHARED`, `NO_HOME` or what the file system says. Writes nothing. */
export async function planInstall(request: InstallRequest): Promise<InstallPlan> {
	refuseShared(request);
	const plan = await planEdit("install", request);
	if (plan.after !== null) plan.wraps = wrappedStatusLine(plan.after);
	plan.notes = installNotes(plan, request);
	return plan;
}

/** Throws like `planInstall`. Writes nothing. */
export async function planUninstall(request: InstallRequest): Promise<InstallPlan> {
	const plan = await planEdit("uninstall", request);
	plan.notes = uninstallNotes(plan, request);
	return plan;
}

/**
 * Does what the plan shows, or the same edit on the text that stands there by now. Gives whether anything was written.
 * Throws `SETTINGS_READONLY`, `STORE_READONLY`, `SETTINGS_BUSY`, `SETTINGS_INVALID`; the file is untouched then.
 */
export async function applyPlan(plan: InstallPlan, request: InstallRequest, now = new Date()): Promise<boolean> {
	// where it can't be locked the swap alone must do
	const store = dirname(dirname(plan.folder));
	refusePathLinks(store, join(store, "run"));
	return withColdLock(join(store, "run", "install"), () => apply(plan, request, now), { ifPossible: true });
}

async function apply(
	{ kind, path, target, folder }: InstallPlan,
	request: InstallRequest,
	now: Date,
): Promise<boolean> {
	const madeFolder = !existsSync(dirname(target));
	const wrote = await changeSettings({
		target,
		edit: editOf(kind, request, path, folder),
		mode: request.scope === "project" ? 0o644 : 0o600,
		timing: request.timing,
		beforeWrite: (before, after) => {
			if (kind === "install" && after !== null)
				keepBackup(folder, {
					target,
					before,
					after,
					madeFolder,
					launcher: request.launcher,
					inherited: hiddenStatusLine(request)?.command ?? null,
					now,
					tell: request.tell,
				});
		},
	});
	if (kind === "uninstall" && wrote) {
		// one that holds anything stays: rmdir refuses
		if (readReceipt(folder, request.tell)?.madeFolder) quietly(() => rmdirSync(dirname(target)));
		dropReceipt(folder);
	}
	return wrote;
}

/** Where the file as it was before the first install is kept; `null` when there was none. */
export function backupOf({ folder }: InstallPlan): string | null {
	return existsSync(backupPath(folder)) ? backupPath(folder) : null;
}

async function planEdit(kind: InstallPlan["kind"], request: InstallRequest): Promise<InstallPlan> {
	const store = storeRoot(request.env);
	if (!store) throw settingsError("NO_HOME", "there is no folder to keep the backup in; set HOME or CCG_HOME");
	const { path, target } = settingsTarget(request.scope, request.env, request.cwd);
	const folder = receiptFolder(resolve(request.cwd, store), target);
	const before = await readSettled(target, request.timing);
	const after = editOf(kind, request, path, folder)(before);
	return { kind, path, target, before, after, changed: before !== after, notes: [], folder };
}

function editOf(kind: InstallPlan["kind"], request: InstallRequest, path: string, folder: string): Edit {
	if (kind === "uninstall") return (text) => undo(folder, text, path);
	const inherited = hiddenStatusLine(request);
	const copied = readReceipt(folder, request.tell)?.inherited ?? undefined;
	const entries = requestedCatalog(request);
	const { allowMemory, allowRecall } = request;
	return (text) => addEntries(text ?? EMPTY_SETTINGS, entries, { allowMemory, allowRecall, path, inherited, copied });
}

/**
 * The status line that one in this scope's file would hide: Claude Code runs that of the nearest file alone. Not ccg's own.
 */
function hiddenStatusLine(request: InstallRequest): StatusLineValue | undefined {
	const own = reachable(request.scope, request);
	for (const scope of SCOPES.slice(0, SCOPES.indexOf(request.scope)).reverse()) {
		const file = reachable(scope, request);
		const text = file === null || file.target === own?.target ? null : readText(file.target);
		const found = text === null ? undefined : originalStatusLine(text);
		if (found) return found;
	}
	return undefined;
}

/**
 * What is committed goes to colleagues, whose machines have no such path, other versions of Claude Code, and a status line of
 * their own. Nothing is refused in a home folder that is a repository.
 */
function refuseShared({ scope, env, cwd }: InstallRequest): void {
	if (scope !== "project" || settingsPath("project", env, cwd) === settingsPath("user", env, cwd)) return;
	// what is wrong with the file itself is told first
	settingsTarget(scope, env, cwd);
	const root = gitTop(cwd);
	if (root === null || root === env.HOME) return;
	throw settingsError(
		"SETTINGS_SHARED",
		`${settingsPath(scope, env, cwd)} is shared with everybody who uses this repository, and ccg would put this machine's path into it. ` +
			"Nothing was changed; `ccg install --scope local` registers it for you alone, in this repository.",
	);
}

function keepBackup(folder: string, facts: Parameters<typeof keepReceipt>[1]): void {
	try {
		keepReceipt(folder, facts);
	} catch (error) {
		throw settingsError(
			"STORE_READONLY",
			`the backup can't be written below ${folder} (${whyOf(error)}). The settings were not changed; make that folder writable or set CCG_HOME.`,
			error,
		);
	}
}

function installNotes({ before, wraps }: InstallPlan, request: InstallRequest): string[] {
	const found = before === null ? [] : findEntries(before);
	const notes: string[] = [];
	if (wraps !== undefined && !found.some(({ part }) => part === "statusline"))
		notes.push(`The status line you have goes on as it is: ccg runs it and adds its own part. Its command: ${wraps}`);
	for (const launcher of new Set(found.map((entry) => entry.launcher)))
		if (launcher !== request.launcher) notes.push(`This takes the place of the entries of ${launcher}.`);
	if (request.scope === "local") notes.push(...unlessIgnored(request));
	if (request.scope === "project")
		notes.push("The entries hold this machine's path of ccg; on machines without it they do nothing.");
	for (const { title, detail, fix } of hookSwitches(request))
		notes.push(`Warning: hooks are switched off: ${title} is ${detail}. To switch them on: ${fix}.`);
	return [...notes, ...otherScopes(request)];
}

/** Claude Code has git ignore the file when it makes it itself. */
function unlessIgnored({ env, cwd }: InstallRequest): string[] {
	const root = gitTop(cwd);
	const name = ".claude/settings.local.json";
	if (root === null || settingsPath("local", env, cwd) !== join(root, name)) return [];
	const rules = [".git/info/exclude", ".gitignore"].flatMap((file) => readText(join(root, file))?.split("\n") ?? []);
	// a rule for the file or its folder; what other patterns match only git knows
	if (rules.some((rule) => /^(?:\/|\*\*\/)?(?:\.claude\/?|(?:\.claude\/)?(?:settings\.local\.json|\*))\s*$/.test(rule)))
		return [];
	return [
		`Where git does not ignore ${name}, add that line to ${join(root, ".git/info/exclude")} to keep it out of commits.`,
	];
}

/** Hooks of all scopes add up: an installation in another scope would run beside this one. */
function otherScopes(request: InstallRequest): string[] {
	const own = realTarget(settingsPath(request.scope, request.env, request.cwd));
	return SCOPES.filter((scope) => scope !== request.scope).flatMap((scope) => {
		const path = reachable(scope, request);
		const text = path === null || path.target === own ? null : readText(path.target);
		const launchers = [...new Set(text === null ? [] : findEntries(text).map(({ launcher }) => launcher))];
		// identical entries of several scopes run once
		if (launchers.every((launcher) => launcher === request.launcher)) return [];
		return [
			`Warning: ${path!.path} has entries of ccg too (${launchers.join(", ")}). ` +
				`Hooks of all scopes add up; \`ccg uninstall --scope ${scope}\` takes those out.`,
		];
	});
}

function reachable(scope: Scope, { env, cwd }: InstallRequest): { path: string; target: string } | null {
	try {
		const path = settingsPath(scope, env, cwd);
		return { path, target: realTarget(path) };
	} catch {
		return null;
	}
}

function uninstallNotes({ before, after, folder, changed }: InstallPlan, request: InstallRequest): string[] {
	if (before === null || !changed) return otherScopes(request);
	const notes: string[] = [];
	const found = findEntries(before);
	if (found.length > 0 && !found.some(({ part }) => part === "statusline") && /"statusLine"/.test(before))
		notes.push("The status line is not ccg's any more; it stays as it is.");
	if (after === null) notes.push("There was no such file before the install: uninstalling deletes it.");
	else if (readReceipt(folder, request.tell) && after === readText(backupPath(folder)))
		notes.push("The file gets the bytes it had before the install.");
	else notes.push("The file was edited since the install: only ccg's entries are taken out.");
	return [...notes, ...otherScopes(request)];
}
