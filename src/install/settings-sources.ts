import { join, resolve } from "node:path";
import { managedFolder, settingsFiles } from "../claude/machine/compaction-settings.ts";
import { claudeRoot, type Env } from "../store/paths.ts";
import { realTarget, type Scope } from "./settings-path.ts";
import { readStrict } from "./settings-read.ts";

/** Whose settings are read: those that count in the folder `cwd`; `managed` is the platform's folder by default. */
export interface SettingsPlace {
	env: Env;
	cwd: string;
	managed?: string;
}

/** A settings file of a session in that folder. */
export interface SettingsFile {
	scope: Scope | "managed";
	path: string;
	/** The parsed file, `null` when there is none or it can't be read. */
	settings: Record<string, unknown> | null;
	/** Why it can't be read: the place in the file, where it is one. */
	problem?: string;
}

/** All settings files that count in `cwd`, highest precedence first, each once even when two scopes share it. */
export function readSources({ env, cwd, managed = managedFolder() }: SettingsPlace): SettingsFile[] {
	const user = userFile(env, cwd);
	const seen = new Set<string>();
	return settingsFiles(env, cwd, managed).flatMap((file) => {
		const path = resolve(cwd, file);
		const scope = scopeOf(path, managed, user);
		// started in the home folder, the project's file is the user's
		if (scope === "project" && user !== null && same(path, user)) return [];
		if (seen.has(path)) return [];
		seen.add(path);
		return [{ scope, path, ...read(path) }];
	});
}

/** The highest file that gives the key a value of the type, and the value. */
export function effective<T>(
	sources: readonly SettingsFile[],
	key: string,
	fits: (value: unknown) => value is T,
): { value: T; source: SettingsFile } | null {
	for (const source of sources) {
		const value = source.settings?.[key];
		if (fits(value)) return { value, source };
	}
	return null;
}

export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

export const isObject = (value: unknown): value is Record<string, unknown> =>
	value !== null && typeof value === "object" && !Array.isArray(value);

function userFile(env: Env, cwd: string): string | null {
	const root = claudeRoot(env);
	return root ? resolve(cwd, root, "settings.json") : null;
}

function scopeOf(path: string, managed: string, user: string | null): SettingsFile["scope"] {
	if (path.startsWith(join(managed, "/"))) return "managed";
	if (path === user) return "user";
	return path.endsWith(".local.json") ? "local" : "project";
}

function same(a: string, b: string): boolean {
	try {
		return realTarget(a) === realTarget(b);
	} catch {
		return false;
	}
}

function read(path: string): Pick<SettingsFile, "settings" | "problem"> {
	try {
		const text = readStrict(realTarget(path));
		return { settings: text === null ? null : JSON.parse(text.replace(/^\uFEFF/, "")) };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { settings: null, problem: reason.replace(/\.? Nothing was changed.*$/s, "") };
	}
}
