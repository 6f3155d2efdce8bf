import { join } from "node:path";
import type { CompactionSettings } from "../../core/pressure/compaction-trigger.ts";
import { isObject } from "../../core/transcript/decode.ts";
import { quietJson } from "../../core/transcript/quiet-json.ts";
import { namesIn } from "../../files/names-in.ts";
import { textInside } from "../../files/read-inside.ts";
import { ownGitTop } from "../../git/repository.ts";
import { readJson } from "../../store/json-file.ts";
import { claudeRoot, type Env } from "../../store/paths.ts";

/** Folder of the managed settings on this platform. */
function managedFolder(platform: string = process.platform): string {
	return platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";
}

const MAX_BYTES = 1024 * 1024;

/** What each of the files says about compaction; a missing or broken file says nothing, nor does a project's that lies elsewhere. */
export function compactionScopes(env: Env, projectDir: string): CompactionSettings[] {
	return settingsLayers(env, projectDir).flatMap(({ folder, name, scope }) => {
		if (scope === "managed" || scope === "user") return readJson<CompactionSettings>(join(folder, name)) ?? [];
		const text = textInside(folder, name, { maxBytes: MAX_BYTES, links: "inside" }) ?? "";
		const value = quietJson(text.replace(/^\uFEFF/, ""));
		return isObject(value) ? [value] : [];
	});
}

/** A settings file of a session; that of a project or a repository may be anybody's. */
interface SettingsLayer {
	folder: string;
	/** Below the folder. */
	name: string;
	scope: "managed" | "local" | "project" | "user";
}

/** The settings files of a session, highest precedence first; `projectDir` is where the session started. */
export function settingsLayers(env: Env, projectDir: string, managed = managedFolder()): SettingsLayer[] {
	const user = claudeRoot(env);
	const dropIns = namesIn(join(managed, "managed-settings.d")).filter((name) => name.endsWith(".json"));
	return [
		...dropIns
			.reverse()
			.map((name) => ({ folder: join(managed, "managed-settings.d"), name, scope: "managed" as const })),
		{ folder: managed, name: "managed-settings.json", scope: "managed" },
		{ folder: ownGitTop(projectDir) ?? projectDir, name: ".claude/settings.local.json", scope: "local" },
		{ folder: projectDir, name: ".claude/settings.json", scope: "project" },
		...(user ? [{ folder: user, name: "settings.json", scope: "user" } as const] : []),
	];
}

/** Columns that the active `statusLine` entry takes on each side; 0 where none says so. */
export function statusLinePadding(scopes: object[]): number {
	const entry = scopes.map((scope) => (scope as { statusLine?: unknown }).statusLine).find((value) => value != null);
	const padding = (entry as { padding?: unknown } | undefined)?.padding;
	return typeof padding === "number" && padding > 0 ? Math.floor(padding) : 0;
}
