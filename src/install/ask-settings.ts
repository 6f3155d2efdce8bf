import { dirname, join } from "node:path";
import { cut } from "../core/text/text.ts";
import { isProgram } from "../files/on-path.ts";
import { makeFolder, writeFileAtomic } from "../store/atomic-write.ts";
import type { Env } from "../store/paths.ts";
import type { FoundClaude } from "./claude-version.ts";
import { mapContainer } from "./json-text.ts";
import { runProcess } from "./run-process.ts";
import { inScratchFolder } from "./scratch-folder.ts";
import type { SettingsFile } from "./settings-sources.ts";

const PLACES = { user: "config/settings.json", project: ".claude/settings.json", local: ".claude/settings.local.json" };

/**
 * What Claude Code has against the settings files, by `claude doctor`: it knows which values its version takes. `isPart`: it passes over an
 * entry, not over the file. It reads copies elsewhere, without the values of `env`: from a repository's `PATH` it would start programs
 * (measured on 2.1.332). Nothing where it gives no answer.
 */
export async function askSettings(found: readonly FoundClaude[], sources: readonly SettingsFile[], env: Env) {
	const claude = found.find(({ path }) => isProgram(path));
	if (!claude) return [];
	return inScratchFolder("ccg-settings", async (cwd) => {
		const placed = sources.map(({ scope, path, settings }) => {
			const at = scope === "managed" ? path : join(cwd, PLACES[scope]);
			if (at === path || settings === null) return { path, at };
			makeFolder(dirname(at));
			const block = mapContainer(settings.env, (value) => (typeof value === "string" ? "" : value));
			writeFileAtomic(at, Buffer.from(JSON.stringify({ ...settings, env: block })));
			return { path, at };
		});
		const quiet = { DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", NO_COLOR: "1" };
		// nobody listens there: else it tries the API, with the user's key
		const offline = { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", npm_config_logs_max: "0" };
		const own = { ...env, ...quiet, ...offline, CLAUDE_CONFIG_DIR: join(cwd, "config") };
		// it takes half a second
		const { out, code } = await runProcess([claude.path, "doctor"], { cwd, env: own, timeLimitMs: 5_000 });
		if (code !== 0) return [];
		return placed.flatMap(({ path, at }) =>
			out.split("\n- ").flatMap((entry) => {
				if (!entry.startsWith(at)) return [];
				const [line = ""] = entry.slice(at.length).split("\n", 1);
				const said = line.replace(/^(?: › |: )/, "");
				const isPart = /\b(?:ignored|skipped|removed)\b/.test(said);
				const effect = `Claude Code ${claude.version} ${isPart ? "passes over a part of" : "takes nothing from"} ${path}`;
				return said ? [{ path, isPart, text: `${effect}: ${cut(said, 240)}` }] : [];
			}),
		);
	});
}
