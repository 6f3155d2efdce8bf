import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { CompactionSettings } from "../../core/pressure/compaction-trigger.ts";
import { textInside } from "../../files/read-inside.ts";
import { ownGitTop } from "../../git/git-top.ts";
import { readJson } from "../../store/json-file.ts";
import { claudeRoot, type Env } from "../../store/paths.ts";

/** Folder of the managed settings on this platform. */
export function managedFolder(platform: string = process.platform): string {
	return platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";
}

/** The settings files of a session, highest precedence first; `projectDir` is where the session started. */
export function settingsFiles(env: Env, projectDir: string, managed = managedFolder()): string[] {
	return sources(env, projectDir, managed).map(({ folder, name }) => join(folder, name));
}

const MAX_BYTES = 1024 * 1024;

/** What each of the files says about compaction; a missing or broken file says nothing, nor does a project's that lies elsewhere. */
export function compactionScopes(env: Env, projectDir: string): CompactionSettings[] {
	return sources(env, projectDir, managedFolder()).flatMap(({ folder, name, isProject }) =>
		isProject
			? objectIn(textInside(folder, name, { maxBytes: MAX_BYTES, links: "inside" }))
			: (readJson<CompactionSettings>(join(folder, name)) ?? []),
	);
}

interface SettingsLayer {
	folder: string;
	name: string;
	/** Anybody may have written it. */
	isProject?: true;
}

function sources(env: Env, projectDir: string, managed: string): SettingsLayer[] {
	const user = claudeRoot(env);
	return [
		...managedDropIns(managed),
		{ folder: managed, name: "managed-settings.json" },
		{ folder: ownGitTop(projectDir) ?? projectDir, name: ".claude/settings.local.json", isProject: true },
		{ folder: projectDir, name: ".claude/settings.json", isProject: true },
		...(user ? [{ folder: user, name: "settings.json" }] : []),
	];
}

function objectIn(text: string | null): CompactionSettings[] {
	try {
		const value: unknown = JSON.parse((text ?? "null").replace(/^\uFEFF/, ""));
		return value !== null && typeof value === "object" && !Array.isArray(value) ? [value as CompactionSettings] : [];
	} catch {
		return [];
	}
}

/** Columns that the active `statusLine` entry takes on each side; 0 where none says so. */
export function statusLinePadding(scopes: object[]): number {
	const entry = scopes.map((scope) => (scope as { statusLine?: unknown }).statusLine).find((value) => value != null);
	const padding = (entry as { padding?: unknown } | undefined)?.padding;
	return typeof padding === "number" && padding > 0 ? Math.floor(padding) : 0;
}

function managedDropIns(managed: string): SettingsLayer[] {
	try {
		const folder = join(managed, "managed-settings.d");
		return readdirSync(folder)
			.filter((name) => name.endsWith(".json"))
			.sort()
			.reverse()
			.map((name) => ({ folder, name }));
	} catch {
		return [];
	}
}
