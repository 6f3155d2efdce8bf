import { join, resolve } from "node:path";
import { type CompactionSettings, windowSize } from "../../core/pressure/compaction-trigger.ts";
import type { LaunchOptions } from "../../core/session/status.ts";
import { parseObject, readText } from "../../files/json-file.ts";
import { namesIn, quietly } from "../../files/quietly.ts";
import { textInside } from "../../files/read-inside.ts";
import { ownGitTop } from "../../git/repository.ts";
import { claudeRoot, type Env, isPid } from "../../store/paths.ts";

/** Folder of the managed settings on this platform. */
function managedFolder(platform: string = process.platform): string {
	return platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";
}

const MAX_BYTES = 1024 * 1024;

/**
 * What each of the files says about compaction, highest precedence first, with what Claude Code was started with; a missing or broken
 * file says nothing, nor does a project's behind a link.
 */
export function compactionScopes(
	env: Env,
	projectDir: string,
	{ autocompact, settings }: LaunchOptions = {},
): CompactionSettings[] {
	const layers = settingsLayers(env, projectDir, managedFolder(), settings);
	const scopes = layers.flatMap(({ folder, name, scope }): CompactionSettings | CompactionSettings[] => {
		if (scope === "flag" && name.trimStart().startsWith("{")) return parseObject(name) ?? [];
		const isOwn = scope !== "local" && scope !== "project";
		const text = isOwn ? readText(resolve(folder, name)) : textInside(folder, name, { maxBytes: MAX_BYTES });
		return parseObject(text ?? "") ?? [];
	});
	const window = windowSize(autocompact ?? "", { isFlag: true });
	if (window !== null) return [{ autoCompactWindow: window }, ...scopes];
	// `auto`: whatever the files say of the window
	return autocompact ? scopes.map((one) => ({ ...one, autoCompactWindow: null, modelSettings: null })) : scopes;
}

/** What Claude Code was started with. macOS needs a program to tell, so there it is asked once a process: `kept` gives what it told. */
export function launchOptions({ CLAUDE_PID: pid = "" }: Env, kept: () => LaunchOptions | undefined): LaunchOptions {
	if (!isPid(pid)) return {};
	if (process.platform !== "darwin") return optionsIn((readText(`/proc/${pid}/cmdline`) ?? "").split("\0"));
	const before = kept();
	if (before?.pid === pid) return before;
	const printed = quietly(() => Bun.spawnSync(["/bin/ps", "-wwo", "args=", "-p", pid], { stdout: "pipe" }).stdout);
	return { pid, ...optionsIn(String(printed ?? "").split(" ")) };
}

/** The last of each counts. */
function optionsIn(words: string[]): LaunchOptions {
	const optionOf = (name: string): string | undefined => {
		const at = words.findLastIndex((word) => word === name || word.startsWith(`${name}=`));
		return words[at] === name ? words[at + 1] : words[at]?.slice(name.length + 1);
	};
	return { autocompact: optionOf("--autocompact"), settings: optionOf("--settings") };
}

const layer = (scope: "managed" | "flag" | "local" | "project" | "user", folder: string, name: string) => ({
	scope,
	folder,
	name,
});

/**
 * The settings files of a session, highest precedence first; `projectDir` is where the session started. That of a project or a repository
 * may be anybody's. `given`: what follows `--settings`, a file or JSON.
 */
export function settingsLayers(env: Env, projectDir: string, managed = managedFolder(), given?: string) {
	const user = claudeRoot(env);
	const dropIns = join(managed, "managed-settings.d");
	const named = namesIn(dropIns).filter((name) => name.endsWith(".json"));
	return [
		...named.reverse().map((name) => layer("managed", dropIns, name)),
		layer("managed", managed, "managed-settings.json"),
		...(given ? [layer("flag", projectDir, given)] : []),
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
