import { olderThan } from "../../core/pressure/model.ts";
import { nudgeText } from "../../core/pressure/nudge-text.ts";
import { shellWord } from "../../install/shell-word.ts";
import { storeRoot } from "../../store/paths.ts";
import { claimMarker, removeStaleMarkers } from "../../store/pressure/marker.ts";
import { projectOf } from "../../store/project.ts";
import { keepSessionProject, sessionProject } from "../../store/session/session-project.ts";
import { sessionAt } from "../../store/session-handle.ts";
import type { Services, SessionInput } from "../run/event.ts";

/** Claims the flush marker and, for the one that gets it, gives the nudge's text. */
export function claimNudge(input: SessionInput, services: Services): string | null {
	const { root, config, now, launcher } = services;
	const marker = claimMarker(sessionAt(root, input.session_id), config.marker.staleMinutes * 60_000, now);
	if (!marker) removeStaleMarkers(root, config.marker.staleMinutes * 60_000, now);
	if (!marker || config.nudge.wording === "off") return null;
	const saveCommand = [...assignments(input, services), shellWord(launcher), "memory", "save"].join(" ");
	return nudgeText(config.nudge.wording, { ...marker, saveCommand });
}

/** Before 2.1.9 Claude Code drops what a PreToolUse hook has to say; what a PostToolUse hook says arrives (measured on both). */
export const isPreToolUseMute = (claude: string | null | undefined): boolean =>
	claude !== null && claude !== undefined && olderThan(claude, [2, 1, 9]);

/**
 * What the agent's shell must be told for the command to save where it should: nothing, when it knows the session (so the
 * permission rule for `ccg memory save` fits), since SessionStart kept the session's project and told the store. The
 * command itself takes neither: whoever talks the agent into a note must not choose where it goes.
 */
function assignments({ session_id: sid, cwd }: SessionInput, { root, env }: Services): string[] {
	const folder = env.CLAUDE_PROJECT_DIR ?? cwd;
	const known = sessionProject(root, sid);
	const storeTold = known?.storeTold ?? root === storeRoot({ HOME: env.HOME });
	if (folder && !known) keepSessionProject(sessionAt(root, sid), { folder, storeTold });
	// where a version names no session to the shell, it is the folder the shell is in that counts
	const leadsThere = env.CLAUDE_CODE_SESSION_ID === sid || !folder || isSameProject(folder, cwd);
	return [
		...(storeTold ? [] : [`CCG_HOME=${shellWord(root)}`]),
		...(leadsThere ? [] : [`CLAUDE_PROJECT_DIR=${shellWord(folder)}`]),
	];
}

const isSameProject = (a: string, b: string | undefined): boolean =>
	b !== undefined && projectOf(a).key === projectOf(b).key;
