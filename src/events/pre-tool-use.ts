import { existsSync } from "node:fs";
import { nudgeText } from "../core/pressure/nudge-text.ts";
import { shellWord } from "../install/shell-word.ts";
import { claimMarker, removeStaleMarkers } from "../store/marker.ts";
import { sessionPaths, storeRoot } from "../store/paths.ts";
import { projectOf } from "../store/project.ts";
import { additionalContext, type EventHandler } from "./event.ts";
import { giveLater } from "./later.ts";

/**
 * Gives what the last compaction left to give, else claims the flush marker and, for the one that gets it, gives the nudge.
 * Says nothing about permissions.
 */
export const preToolUse: EventHandler = (input, services) => {
	const { root, config, now, launcher, env } = services;
	const later = existsSync(sessionPaths(root, input.session_id).giveMarker) ? giveLater(input, services) : null;
	if (later) return additionalContext("PreToolUse", later);
	const marker = claimMarker(root, input.session_id, config.marker.staleMinutes * 60_000, now);
	if (!marker) removeStaleMarkers(root, config.marker.staleMinutes * 60_000, now);
	if (!marker || config.nudge.wording === "off") return null;
	// the agent's shell knows neither this hook's CCG_HOME nor, after a cd, the folder the session began in
	const folder = env.CLAUDE_PROJECT_DIR ?? input.cwd;
	const project = folder ? ` --project ${shellWord(stableRoot(folder))}` : "";
	const store = root === storeRoot({ HOME: env.HOME }) ? "" : ` --store ${shellWord(root)}`;
	const saveCommand = `${shellWord(launcher)} memory save${store}${project}`;
	return additionalContext("PreToolUse", nudgeText(config.nudge.wording, { ...marker, saveCommand }));
};

/** The folder that names the project and leads to it again; a submodule's git dir would lead to the repository around it. */
function stableRoot(folder: string): string {
	const { root } = projectOf(folder);
	return projectOf(root).root === root ? root : folder;
}
