import { dirname, join, resolve } from "node:path";
import { settingsLayers } from "../claude/machine/compaction-settings.ts";
import { readLinkTarget, tryStat } from "../files/quietly.ts";
import { isWithin, realPath } from "../files/real-path.ts";
import { codedError } from "../files/system-failure.ts";
import { gitTop } from "../git/repository.ts";
import { claudeRoot, type Env } from "../store/paths.ts";
import { parseSettings } from "./entries.ts";
import { readStrictSettings } from "./settings-file.ts";

/** Where ccg is registered: for all folders, or for one, on this machine alone. What a project shares goes to other machines. */
export const SCOPES = ["user", "local"] as const;
export type Scope = (typeof SCOPES)[number];

/** Claude Code's own folder. Throws `NO_HOME` when nobody's is known. */
export function claudeFolder(env: Env, cwd: string): string {
	const root = claudeRoot(env);
	if (root) return resolve(cwd, root);
	throw codedError(
		"NO_HOME",
		"where Claude Code keeps its settings is unknown; set HOME. With an empty CLAUDE_CONFIG_DIR it looks in each folder that it starts in: unset it, or name one",
	);
}

/** The settings file of a scope: Claude Code reads local ones at the root of the git repository. Throws `NO_HOME` when the user's folder is unknown. */
export function settingsPath(scope: Scope, env: Env, cwd: string): string {
	if (scope === "local") return join(gitTop(cwd) ?? cwd, ".claude", "settings.local.json");
	return join(claudeFolder(env, cwd), "settings.json");
}

/**
 * The file a scope's settings are written to, links resolved. Settings of a project stay in the project: a repository
 * brings its `.claude` along, and may bring it as a link to somebody else's file; one's own settings may lie where a link
 * says (dotfiles). Throws `SETTINGS_LINK`, and what `realTarget` throws.
 */
export function settingsTarget(scope: Scope, env: Env, cwd: string): { path: string; target: string } {
	const path = settingsPath(scope, env, cwd);
	const target = realTarget(path);
	if (scope === "user" || isWithin(target, realTarget(dirname(dirname(path))))) return { path, target };
	throw codedError(
		"SETTINGS_LINK",
		`${path} leads out of the project, to ${target}. Nothing was changed; remove the link, or use \`--scope user\` for your own settings.`,
	);
}

/**
 * The file a path leads to, through links of the file and of every folder above it; it need not exist, neither does the
 * end of a dangling link. Throws `ELOOP` for links in a circle.
 */
export function realTarget(path: string): string {
	const real = realPath(path);
	if (readLinkTarget(real) === undefined) return real;
	throw codedError("ELOOP", `${path}: too many symbolic links`);
}

/** A settings file of a session in that folder. */
export interface SettingsFile {
	scope: Scope | "project" | "managed";
	path: string;
	/** `null` when there is no file or it can't be read. */
	text: string | null;
	/** What is in it. */
	settings: Record<string, unknown> | null;
	/** Why it can't be read: the place in the file, where it is one. */
	problem?: string;
}

/**
 * All settings files that count in `cwd`, highest precedence first, each once even when two scopes share it. `managed` is the platform's
 * folder by default.
 */
export function readAllSettings({ env, cwd, managed }: { env: Env; cwd: string; managed?: string }): SettingsFile[] {
	const knownPaths = new Set<string>();
	// in the home folder the project's file is the user's too: then it counts as the user's, which comes last
	return settingsLayers(env, cwd, managed)
		.flatMap(({ folder, name, scope }) => (scope === "flag" ? [] : [{ scope, path: resolve(cwd, folder, name) }]))
		.toReversed()
		.filter(({ path }) => !knownPaths.has(realPath(path)) && knownPaths.add(realPath(path)))
		.toReversed()
		.map((file) => ({ ...file, ...readSettingsFile(file.path) }));
}

/** The value of a key that counts: that of the first file that has one of the right type, and the file. `null` without one. */
export function effectiveSetting<T>(
	sources: readonly SettingsFile[],
	key: string,
	isType: (value: unknown) => value is T,
) {
	for (const source of sources) {
		const value = source.settings?.[key];
		if (isType(value)) return { value, source };
	}
	return null;
}

export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

/** Reads one settings file: its text, what it holds, or why it can't be read. */
function readSettingsFile(path: string): Pick<SettingsFile, "text" | "settings" | "problem"> {
	// Claude Code's sandbox puts /dev/null where there is no file
	if (tryStat(path)?.rdev === tryStat("/dev/null")?.rdev) return { text: null, settings: null };
	try {
		const text = readStrictSettings(realTarget(path));
		return { text, settings: text === null ? null : parseSettings(text) };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { text: null, settings: null, problem: reason.split(". Nothing was changed")[0]! };
	}
}
