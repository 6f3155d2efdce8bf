import type { EngineInterface } from "claude-code";

/** `bin/ccg`, absolute or below the plugin's folder, and the store where it is not the usual one: scripts/make-mod.ts names both. */
declare const CCG_LAUNCHER: string;
declare const CCG_STORE: string;

/**
 * Runs a hook entry of ccg's as Claude Code would, with what the mod knows beside it, and gives what it printed; `""` when it
 * failed. Whatever is written or claimed on the disk is written by that process: a mod has neither locks nor exclusive writes.
 */
export async function runHookEntry($: EngineInterface, name: string, fields: object): Promise<string> {
	const { transcriptPath } = await $.session.info();
	const input = {
		session_id: await $.session.id(),
		transcript_path: transcriptPath,
		cwd: await $.session.cwd(),
		...fields,
	};
	return runLauncher($, ["hook", name], JSON.stringify(input));
}

/** Runs `ccg` and gives what it printed; `""` when it failed. */
export async function runLauncher($: EngineInterface, args: readonly string[], stdin = ""): Promise<string> {
	try {
		const isOwn = !CCG_LAUNCHER.startsWith("/");
		const launcher = isOwn ? `${$.plugin.root}/${CCG_LAUNCHER}` : CCG_LAUNCHER;
		// as the plugin's hooks say it (hooks/run)
		const words = isOwn && args[0] === "hook" ? [...args, "plugin"] : args;
		const env = {
			...(isOwn && { CLAUDE_PLUGIN_ROOT: $.plugin.root }),
			CLAUDE_CODE_SESSION_ID: await $.session.id(),
			CLAUDE_PROJECT_DIR: await $.session.root(),
			...(CCG_STORE && { CCG_HOME: CCG_STORE }),
		};
		const { exitCode, stdout } = await $.process.run([launcher, ...words], { stdin, env, timeoutMs: LIMIT_MS });
		return exitCode === 0 ? stdout.trim() : "";
	} catch {
		return "";
	}
}

/** As long as the hooks may take. */
const LIMIT_MS = 20_000;
