import { programsOnPath } from "../../files/on-path.ts";
import { shellWord } from "../../install/shell-word.ts";
import { toldLauncher } from "../../store/app-folder.ts";
import { storeRoot } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { keepSessionProject, sessionProject } from "../../store/session/session-project.ts";
import { sessionAt } from "../../store/session-handle.ts";
import type { Services, SessionInput } from "../run/event.ts";

/** `ccg` as the agent can type it into its shell. */
export const agentCommand = (input: SessionInput, services: Services): string =>
	[...assignments(input, services), launcherWord(services)].join(" ");

/**
 * A plugin's `bin/` is last on the PATH of the agent's shell, though not of hooks: the name alone, which stays the same over updates and in
 * permission rules, unless it leads to another program.
 */
function launcherWord({ plugin, launcher, env, root }: Services): string {
	const isFree = plugin && programsOnPath("ccg", env.CCG_SHELL_PATH ?? env.PATH ?? "").next().done;
	return isFree ? "ccg" : shellWord(toldLauncher(launcher, root));
}

/**
 * What the agent's shell must be told for the command to save where it should: nothing, when it knows the session (so the
 * permission rule for `ccg memory save` fits), since SessionStart kept the session's project and told the store. The
 * command itself takes neither: whoever talks the agent into a note must not choose where it goes.
 */
function assignments({ session_id: sid, cwd }: SessionInput, services: Services): string[] {
	const { root, env } = services;
	const folder = env.CLAUDE_PROJECT_DIR ?? cwd;
	const session = sessionAt(services, sid);
	const known = sessionProject(session);
	const storeTold = known?.storeTold ?? root === storeRoot({ HOME: env.HOME });
	if (folder && !known) keepSessionProject(session, { folder, storeTold });
	// where a version names no session to the shell, it is the folder the shell is in that counts
	const leadsThere =
		env.CLAUDE_CODE_SESSION_ID === sid ||
		!folder ||
		(cwd !== undefined && projectOf(folder).key === projectOf(cwd).key);
	return [
		...(storeTold ? [] : [`CCG_HOME=${shellWord(root)}`]),
		...(leadsThere ? [] : [`CLAUDE_CODE_SESSION_ID=${sid}`]),
	];
}
