import { isOnPath, programsOnPath } from "../../files/on-path.ts";
import { tryOrLog } from "../../files/quietly.ts";
import { linkShortLauncher, shortLauncherPath, typedLauncher, typedPath } from "../../store/app-folder.ts";
import { findProject } from "../../store/project.ts";
import { keepSessionFolder } from "../../store/session/place.ts";
import type { Hook } from "../run/event.ts";

/** The words that start `ccg` in the agent's shell, whose folder is `cwd`. */
export const agentCommand = (hook: Hook, cwd = hook.input.cwd): string => envPrefix(hook, cwd) + agentLauncher(hook);

/**
 * The launcher as the agent types it. With the plugin just `ccg`, unless that is another program: Claude Code puts the plugin's `bin/` last on
 * the PATH of the agent's shell, and permission rules need a word that no update changes. Else a path.
 */
function agentLauncher({ plugin, launcher, env, root }: Hook): string {
	const isNameFree = plugin && programsOnPath("ccg", env.CCG_SHELL_PATH ?? env.PATH ?? "").next().done;
	return isNameFree ? "ccg" : typedPath(typedLauncher(launcher, root));
}

/**
 * The variable that tells a `ccg` in the agent's shell which session it works for; `""` where the shell knows it, or its folder leads to the
 * same project (then the permission rule for `ccg memory save` fits). No option: an agent must not choose where a note goes.
 */
function envPrefix({ env, session, log }: Hook, cwd: string | undefined): string {
	const folder = env.CLAUDE_PROJECT_DIR || cwd;
	tryOrLog(log, () => keepSessionFolder(session, folder));
	const isProjectKnown =
		env.CLAUDE_CODE_SESSION_ID === session.id ||
		!folder ||
		(cwd !== undefined && findProject(folder).key === findProject(cwd).key);
	return isProjectKnown ? "" : `CLAUDE_CODE_SESSION_ID=${session.id} `;
}

/** Keeps what later commands need: the short command leads to this launcher, and the session to its project. */
export function keepLauncherAndProject({ session, folder, root, launcher }: Hook): void {
	linkShortLauncher(shortLauncherPath(root), launcher);
	keepSessionFolder(session, folder, true);
}

/** `ccg` as it can be typed into a shell: the name where it is on PATH, else the short command. */
export const shellCommand = ({ launcher, env, root }: Hook): string =>
	isOnPath("ccg", launcher, env.PATH ?? "") ? "ccg" : typedPath(typedLauncher(launcher, root));
