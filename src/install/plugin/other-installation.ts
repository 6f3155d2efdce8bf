import { isAbsolute } from "node:path";
import { compactionScopes } from "../../claude/machine/compaction-settings.ts";
import { isProgram } from "../../files/on-path.ts";
import type { Env } from "../../store/paths.ts";
import { recognise } from "../recognise.ts";

/**
 * The launcher of a ccg that a settings file of this session registers, and that is there: `null` without one. Beside it a plugin's
 * hooks have nothing to do; the settings have the status line too. Asked anew by each hook, so the plugin takes over with the
 * next event when that entry goes.
 */
export function registeredLauncher(env: Env, folder: string): string | null {
	for (const settings of compactionScopes(env, folder)) {
		const launcher = launchersIn(settings).find(isProgram);
		if (launcher) return launcher;
	}
	return null;
}

function launchersIn(settings: object): string[] {
	const { hooks } = settings as { hooks?: { SessionStart?: unknown } };
	return list(hooks?.SessionStart)
		.flatMap((group) => list((group as { hooks?: unknown } | null)?.hooks))
		.flatMap((handler) => {
			const { command, args } = (handler ?? {}) as { command?: unknown; args?: unknown };
			if (typeof command !== "string") return [];
			const words = Array.isArray(args) ? args.map(String) : undefined;
			// asked at every hook: only what may be one is taken apart
			if (![command, ...(words ?? [])].some((text) => /ccg|session-start/.test(text))) return [];
			const own = recognise(command, words);
			return own?.part === "session-start" && isAbsolute(own.launcher) ? [own.launcher] : [];
		});
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
