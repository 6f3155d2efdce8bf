import { join, resolve } from "node:path";
import { type CompactionSettings, windowSize } from "../../core/pressure/compaction-trigger.ts";
import type { LaunchOptions } from "../../core/session/status.ts";
import { parseObject, readText } from "../../files/json-file.ts";
import { listFolder, tryOrUndefined } from "../../files/quietly.ts";
import { readTextInside } from "../../files/read-inside.ts";
import { ownGitTop } from "../../git/repository.ts";
import { claudeRoot, type Env, isPid } from "../../store/paths.ts";

/** Folder of the managed settings on this platform. */
function managedFolder(platform: string = process.platform): string {
	return platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";
}

const MAX_BYTES = 1024 * 1024;

/** A session's settings: each file's content, highest precedence first, without broken files; with the options that Claude Code was started with. */
export function readSettings(
	env: Env,
	projectDir: string,
	{ autocompact, settings }: LaunchOptions = {},
): CompactionSettings[] {
	const layers = settingsLayers(env, projectDir, managedFolder(), settings);
	const files = layers.flatMap(({ folder, name, scope }): CompactionSettings | CompactionSettings[] => {
		if (scope === "flag" && name.trimStart().startsWith("{")) return parseObject(name) ?? [];
		const isUsers = scope !== "local" && scope !== "project";
		const text = isUsers ? readText(resolve(folder, name)) : readTextInside(folder, name, { maxBytes: MAX_BYTES });
		return parseObject(text ?? "") ?? [];
	});
	const window = windowSize(autocompact ?? "", { isFlag: true });
	if (window !== null) return [{ autoCompactWindow: window }, ...files];
	// (`--autocompact auto`: no window, whatever the files say)
	return autocompact ? files.map((file) => ({ ...file, autoCompactWindow: null, modelSettings: null })) : files;
}

/** The options Claude Code was started with. On macOS only `ps` tells them, so it runs once per process: `earlier` gives its last answer. */
export function launchOptions({ CLAUDE_PID: pid = "" }: Env, earlier: () => LaunchOptions | undefined): LaunchOptions {
	if (!isPid(pid)) return {};
	if (process.platform !== "darwin") return parseLaunchOptions((readText(`/proc/${pid}/cmdline`) ?? "").split("\0"));
	const last = earlier();
	if (last?.pid === pid) return last;
	const printed = tryOrUndefined(
		() => Bun.spawnSync(["/bin/ps", "-wwo", "args=", "-p", pid], { stdout: "pipe" }).stdout,
	);
	return { pid, ...parseLaunchOptions(String(printed ?? "").split(" ")) };
}

/** Reads both options from a command line's words; where one is given twice the last counts. */
function parseLaunchOptions(words: string[]): LaunchOptions {
	const optionOf = (name: string): string | undefined => {
		const at = words.findLastIndex((word) => word === name || word.startsWith(`${name}=`));
		return words[at] === name ? words[at + 1] : words[at]?.slice(name.length + 1);
	};
	return { autocompact: optionOf("--autocompact"), settings: optionOf("--settings") };
}

/** Where one settings file lies: `name` below `folder`, or for `flag` what follows `--settings`. */
const settingsLayer = (scope: "managed" | "flag" | "local" | "project" | "user", folder: string, name: string) => ({
	scope,
	folder,
	name,
});

/** A session's settings files, highest precedence first; a project's may be anybody's. `settings`: what follows `--settings`, a file or JSON. */
export function settingsLayers(env: Env, projectDir: string, managed = managedFolder(), settings?: string) {
	const user = claudeRoot(env);
	const dropIns = join(managed, "managed-settings.d");
	const dropInNames = listFolder(dropIns).filter((name) => name.endsWith(".json"));
	return [
		...dropInNames.reverse().map((name) => settingsLayer("managed", dropIns, name)),
		settingsLayer("managed", managed, "managed-settings.json"),
		...(settings ? [settingsLayer("flag", projectDir, settings)] : []),
		settingsLayer("local", ownGitTop(projectDir) ?? projectDir, ".claude/settings.local.json"),
		settingsLayer("project", projectDir, ".claude/settings.json"),
		...(user ? [settingsLayer("user", user, "settings.json")] : []),
	];
}

/** Columns that the active `statusLine` entry leaves empty on each side; 0 where no settings file says so. */
export function statusLinePadding(scopes: object[]): number {
	const entry = scopes.map((scope) => (scope as { statusLine?: unknown }).statusLine).find((value) => value != null);
	const padding = (entry as { padding?: unknown } | undefined)?.padding;
	return typeof padding === "number" && padding > 0 ? Math.floor(padding) : 0;
}
