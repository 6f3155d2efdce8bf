import { join } from "node:path";
import type { CompactionSettings } from "../../core/pressure/compaction-trigger.ts";
import { isObject } from "../../core/transcript/decode.ts";
import { quietJson } from "../../core/transcript/quiet-json.ts";
import { namesIn } from "../../files/names-in.ts";
import { textInside } from "../../files/read-inside.ts";
import { ownGitTop } from "../../git/repository.ts";
import { parseObject, readText } from "../../store/json-file.ts";
import { claudeRoot, type Env } from "../../store/paths.ts";

/** Folder of the managed settings on this platform. */
function managedFolder(platform: string = process.platform): string {
	return platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";
}

const MAX_BYTES = 1024 * 1024;

/**
 * What each of the files says about compaction; a missing or broken file says nothing, nor does a project's that lies elsewhere. `seen`:
 * texts of files that were read already.
 */
export const compactionScopes = (env: Env, folder: string, seen?: ReadonlyMap<string, string>): CompactionSettings[] =>
	settingsLayers(env, folder).flatMap(({ folder, name, scope }): CompactionSettings | CompactionSettings[] => {
		const own = scope === "managed" || scope === "user" ? join(folder, name) : null;
		if (own) return parseObject(seen?.get(own) ?? readText(own) ?? "") ?? [];
		const text = textInside(folder, name, { maxBytes: MAX_BYTES, links: "inside" }) ?? "";
		const value = quietJson(text.replace(/^\uFEFF/, ""));
		return isObject(value) ? [value] : [];
	});

const layer = (scope: "managed" | "local" | "project" | "user", folder: string, name: string) => ({
	scope,
	folder,
	name,
});

/**
 * The settings files of a session, highest precedence first; `projectDir` is where the session started. That of a project or a repository
 * may be anybody's.
 */
export function settingsLayers(env: Env, projectDir: string, managed = managedFolder()) {
	const user = claudeRoot(env);
	const dropIns = join(managed, "managed-settings.d");
	const named = namesIn(dropIns).filter((name) => name.endsWith(".json"));
	return [
		...named.reverse().map((name) => layer("managed", dropIns, name)),
		layer("managed", managed, "managed-settings.json"),
		layer("local", ownGitTop(projectDir) ?? projectDir, ".claude/settings.local.json"),
		layer("project", projectDir, ".claude/settings.json"),
		...(user ? [layer("user", user, "settings.json")] : []),
	];
}

/** Columns that the active `statusLine` entry takes on each side; 0 where none says so. */
export function statusLinePadding(scopes: object[]): number {
	const entry = scopes.map((scope) => (scope as { statusLine?: unknown }).statusLine).find((value) => value != null);
	const padding = (entry as { padding?: unknown } | undefined)?.padding;
	return typeof padding === "number" && padding > 0 ? Math.floor(padding) : 0;
}
