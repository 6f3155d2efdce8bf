import { isOnPath, programsOnPath } from "../../files/on-path.ts";
import { keepShortLauncher, shortLauncher, toldLauncher, typedWord } from "../../store/app-folder.ts";
import { projectOf } from "../../store/project.ts";
import { keepPlace } from "../../store/session/place.ts";
import type { Hook } from "../run/event.ts";

/** `ccg` as the agent can type it into its shell, which stands in `cwd`. */
export const agentCommand = (hook: Hook, cwd = hook.input.cwd): string => sessionWord(hook, cwd) + launcherWord(hook);

/**
 * A plugin's `bin/` is last on the PATH of the agent's shell, though not of hooks: the name alone, which stays the same over updates and in
 * permission rules, unless it leads to another program.
 */
function launcherWord({ plugin, launcher, env, root }: Hook): string {
	const isFree = plugin && programsOnPath("ccg", env.CCG_SHELL_PATH ?? env.PATH ?? "").next().done;
	return isFree ? "ccg" : typedWord(toldLauncher(launcher, root));
}

/**
 * What the agent's shell must be told for the command to save where it should: nothing, when it knows the session (so the
 * permission rule for `ccg memory save` fits), since SessionStart kept the session's project. The command itself does not
 * take it: whoever talks the agent into a note must not choose where it goes.
 */
function sessionWord({ env, session }: Hook, cwd: string | undefined): string {
	const folder = env.CLAUDE_PROJECT_DIR || cwd;
	keepPlace(session, folder);
	// where a version names no session to the shell, it is the folder the shell is in that counts
	const leadsThere =
		env.CLAUDE_CODE_SESSION_ID === session.id ||
		!folder ||
		(cwd !== undefined && projectOf(folder).key === projectOf(cwd).key);
	return leadsThere ? "" : `CLAUDE_CODE_SESSION_ID=${session.id} `;
}

/** For commands that the agent's shell runs: the short one leads here, and which project is the session's. */
export function keepWhere({ session, folder, root, launcher }: Hook): void {
	keepShortLauncher(shortLauncher(root), launcher);
	keepPlace(session, folder, true);
}

/** `ccg` as it can be typed into a shell: the name where it is on PATH, else the short command. */
export const shellCommand = ({ launcher, env, root }: Hook): string =>
	isOnPath("ccg", launcher, env.PATH ?? "") ? "ccg" : typedWord(toldLauncher(launcher, root));

/** How the user asks for the report of the last compaction at Claude Code's prompt, in a way that costs no turn of the model. */
export const reportCommand = (hook: Hook): string => `! ${shellCommand(hook)} show latest --as report`;
