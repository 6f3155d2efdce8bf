import { existsSync } from "node:fs";
import { nudgeText } from "../core/pressure/nudge-text.ts";
import { shellWord } from "../install/shell-word.ts";
import { claimMarker, removeStaleMarkers } from "../store/marker.ts";
import { sessionPaths, storeRoot } from "../store/paths.ts";
import { projectOf } from "../store/project.ts";
import { keepSessionProject, sessionProject } from "../store/session-project.ts";
import { additionalContext, type EventHandler, type Services, type SessionInput } from "./event.ts";
import { giveLater } from "./later.ts";

/**
 * Gives what the last compaction left to give, else claims the flush marker and, for the one that gets it, gives the nudge.
 * Says nothing about permissions.
 */
export const preToolUse: EventHandler = (input, services) => {
	const { root, config, now, launcher } = services;
	const later = existsSync(sessionPaths(root, input.session_id).giveMarker) ? giveLater(input, services) : null;
	if (later) return additionalContext("PreToolUse", later);
	const marker = claimMarker(root, input.session_id, config.marker.staleMinutes * 60_000, now);
	if (!marker) removeStaleMarkers(root, config.marker.staleMinutes * 60_000, now);
	if (!marker || config.nudge.wording === "off") return null;
	const saveCommand = [...assignments(input, services), shellWord(launcher), "memory", "save"].join(" ");
	return additionalContext("PreToolUse", nudgeText(config.nudge.wording, { ...marker, saveCommand }));
};

/**
 * What the agent's shell must be told for the command to save where it should: nothing, when it knows the session (so the
 * permission rule for `ccg memory save` fits), since SessionStart kept the session's project and told the store. The
 * command itself takes neither: whoever talks the agent into a note must not choose where it goes.
 */
function assignments({ session_id: sid, cwd }: SessionInput, { root, env }: Services): string[] {
	const folder = env.CLAUDE_PROJECT_DIR ?? cwd;
	const known = sessionProject(root, sid);
	const storeTold = known?.storeTold ?? root === storeRoot({ HOME: env.HOME });
	if (folder && !known) keepSessionProject(root, sid, { folder, storeTold });
	// where a version names no session to the shell, it is the folder the shell is in that counts
	const leadsThere = env.CLAUDE_CODE_SESSION_ID === sid || !folder || isSameProject(folder, cwd);
	return [
		...(storeTold ? [] : [`CCG_HOME=${shellWord(root)}`]),
		...(leadsThere ? [] : [`CLAUDE_PROJECT_DIR=${shellWord(folder)}`]),
	];
}

const isSameProject = (a: string, b: string | undefined): boolean =>
	b !== undefined && projectOf(a).key === projectOf(b).key;
