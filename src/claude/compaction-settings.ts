import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { CompactionSettings } from "../core/pressure/compaction-trigger.ts";
import { gitTop } from "../store/git-top.ts";
import { readJson } from "../store/json-file.ts";
import { claudeRoot, type Env } from "../store/paths.ts";

/** Folder of the managed settings on this platform (contract §4.1). */
export function managedFolder(platform: string = process.platform): string {
	return platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";
}

/** The settings files of a session, highest precedence first; `projectDir` is where the session started. */
export function settingsFiles(env: Env, projectDir: string, managed = managedFolder()): string[] {
	const user = claudeRoot(env);
	return [
		...managedDropIns(managed),
		join(managed, "managed-settings.json"),
		join(gitTop(projectDir) ?? projectDir, ".claude", "settings.local.json"),
		join(projectDir, ".claude", "settings.json"),
		...(user ? [join(user, "settings.json")] : []),
	];
}

/** What each of the files says about compaction; a missing or broken file says nothing. */
export function compactionScopes(env: Env, projectDir: string): CompactionSettings[] {
	return settingsFiles(env, projectDir).flatMap((path) => readJson<CompactionSettings>(path) ?? []);
}

/** Columns that the counting `statusLine` entry takes on each side; 0 where none says so. */
export function statusLinePadding(scopes: object[]): number {
	const entry = scopes.map((scope) => (scope as { statusLine?: unknown }).statusLine).find((value) => value != null);
	const padding = (entry as { padding?: unknown } | undefined)?.padding;
	return typeof padding === "number" && padding > 0 ? Math.floor(padding) : 0;
}

function managedDropIns(managed: string): string[] {
	try {
		const folder = join(managed, "managed-settings.d");
		return readdirSync(folder)
			.filter((name) => name.endsWith(".json"))
			.sort()
			.reverse()
			.map((name) => join(folder, name));
	} catch {
		return [];
	}
}
