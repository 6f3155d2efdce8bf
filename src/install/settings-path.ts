import { dirname, join, resolve } from "node:path";
import { linkText } from "../files/quietly.ts";
import { isWithin, realPath } from "../files/real-path.ts";
import { gitTop } from "../git/repository.ts";
import { claudeRoot, type Env } from "../store/paths.ts";

export const SCOPES = ["user", "project", "local"] as const;
export type Scope = (typeof SCOPES)[number];

/** Claude Code's own folder. Throws `NO_HOME` when nobody's is known. */
export function claudeFolder(env: Env, cwd: string): string {
	const root = claudeRoot(env);
	if (!root)
		throw settingsError("NO_HOME", "where Claude Code keeps its settings is unknown; set HOME or CLAUDE_CONFIG_DIR");
	return resolve(cwd, root);
}

/**
 * The settings file of a scope: Claude Code reads project settings in the folder it starts in, local
 * ones at the root of the git repository. Throws `NO_HOME` when the user's folder is unknown.
 */
export function settingsPath(scope: Scope, env: Env, cwd: string): string {
	if (scope === "project") return join(cwd, ".claude", "settings.json");
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
	if (scope === "user" || (claudeRoot(env) && path === settingsPath("user", env, cwd))) return { path, target };
	if (!isWithin(target, realTarget(dirname(dirname(path)))))
		throw settingsError(
			"SETTINGS_LINK",
			`${path} leads out of the project, to ${target}. Nothing was changed; remove the link, or use \`--scope user\` for your own settings.`,
		);
	return { path, target };
}

/**
 * The file a path leads to, through links of the file and of every folder above it; it need not exist, neither does the
 * end of a dangling link. Throws `ELOOP` for links in a circle.
 */
export function realTarget(path: string): string {
	const real = realPath(path);
	if (linkText(real) === undefined) return real;
	throw Object.assign(new Error(`${path}: too many symbolic links`), { code: "ELOOP" });
}

/** An error recognised by `code`; the message says what failed, on which path and what to do. */
export const settingsError = (code: string, message: string, cause?: unknown): Error & { code: string } =>
	Object.assign(new Error(message, { cause }), { code });
