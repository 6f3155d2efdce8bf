import { dirname, join } from "node:path";
import { cut } from "../core/text/text.ts";
import { isObject } from "../core/transcript/decode.ts";
import { isProgram } from "../files/on-path.ts";
import { makeFolder, writeFileAtomic } from "../store/atomic-write.ts";
import type { Env } from "../store/paths.ts";
import type { FoundClaude } from "./claude-version.ts";
import { runProcess } from "./run-process.ts";
import { inScratchFolder } from "./scratch-folder.ts";
import type { SettingsFile } from "./settings-sources.ts";

/** What Claude Code has against a settings file, in a sentence; `isPart`: it passes over one entry, not over the file. */
interface Objection {
	path: string;
	isPart: boolean;
	text: string;
}

/** It takes half a second. */
const TIME_LIMIT_MS = 5_000;
const PLACES = { user: "config/settings.json", project: ".claude/settings.json", local: ".claude/settings.local.json" };

/**
 * Asks Claude Code what it has against the settings files, by `claude doctor`: it knows which value it takes, and in which version. It
 * reads copies in a folder of their own, without the values of `env`: from a repository's `PATH` it would start programs (measured on
 * 2.1.332). Nothing where it can't be asked.
 */
export async function askSettings(
	found: readonly FoundClaude[],
	sources: readonly SettingsFile[],
	env: Env,
): Promise<Objection[]> {
	const claude = found.find(({ path }) => isProgram(path));
	const read = sources.filter(({ settings }) => settings !== null);
	if (!claude || read.length === 0) return [];
	return inScratchFolder("ccg-settings", async (folder) => {
		const placed = read.map(({ scope, path, settings }) => {
			if (scope === "managed") return { path, at: path };
			const at = join(folder, PLACES[scope]);
			makeFolder(dirname(at));
			writeFileAtomic(at, Buffer.from(JSON.stringify({ ...settings, env: withoutValues(settings?.env) })));
			return { path, at };
		});
		const quiet = { DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", NO_COLOR: "1" };
		const own = { ...env, ...quiet, npm_config_logs_max: "0", CLAUDE_CONFIG_DIR: join(folder, "config") };
		const ran = await runProcess([claude.path, "doctor"], { cwd: folder, env: own, timeLimitMs: TIME_LIMIT_MS });
		return placed.flatMap(({ path, at }) =>
			ran.out.split("\n").flatMap((line): Objection[] => {
				const said = line.startsWith(`- ${at}`) ? line.slice(at.length + 2).replace(/^(?: › |: )/, "") : "";
				const isPart = /\b(?:ignored|skipped|removed)\b/.test(said);
				const effect = isPart ? "passes over a part of" : "takes nothing from";
				return said
					? [{ path, isPart, text: `Claude Code ${claude.version} ${effect} ${path}: ${cut(said, 240)}` }]
					: [];
			}),
		);
	});
}

const withoutValues = (block: unknown): unknown =>
	isObject(block)
		? Object.fromEntries(Object.entries(block).map(([name, value]) => [name, typeof value === "string" ? "" : value]))
		: block;
