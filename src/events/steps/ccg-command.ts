import { closeSync, constants, fstatSync, openSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { shellWord } from "../../core/text/shell-word.ts";
import { isOnPath, programsOnPath } from "../../files/on-path.ts";
import { keepShortLauncher, shortLauncher, toldLauncher, typedWord } from "../../store/app-folder.ts";
import { refuseSecondName } from "../../store/atomic-write.ts";
import { claudeRoot, storeRoot } from "../../store/paths.ts";
import { projectOf } from "../../store/project.ts";
import { keepPlace, placeOf } from "../../store/session/place.ts";
import { attempt, type Hook } from "../run/event.ts";

const isUsualStore = ({ root, env }: Hook): boolean => root === storeRoot({ HOME: env.HOME });

/** `CCG_HOME=… ` before a command for a shell that knows nothing of this hook's environment; `""` where the store is the usual one. */
export const storeWord = (hook: Hook): string => (isUsualStore(hook) ? "" : `CCG_HOME=${shellWord(hook.root)} `);

/** `ccg` as the agent can type it into its shell, which stands in `cwd`. */
export const agentCommand = (hook: Hook, cwd = hook.input.cwd): string =>
	[...assignments(hook, cwd), launcherWord(hook)].join(" ");

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
 * permission rule for `ccg memory save` fits), since SessionStart kept the session's project and told the store. The
 * command itself takes neither: whoever talks the agent into a note must not choose where it goes.
 */
function assignments(hook: Hook, cwd: string | undefined): string[] {
	const { root, env, session } = hook;
	const folder = env.CLAUDE_PROJECT_DIR || cwd;
	const known = placeOf(session);
	const storeTold = known?.storeTold ?? isUsualStore(hook);
	if (folder && !known) keepPlace(session, { folder, storeTold });
	// where a version names no session to the shell, it is the folder the shell is in that counts
	const leadsThere =
		env.CLAUDE_CODE_SESSION_ID === session.id ||
		!folder ||
		(cwd !== undefined && projectOf(folder).key === projectOf(cwd).key);
	return [
		...(storeTold ? [] : [`CCG_HOME=${shellWord(root)}`]),
		...(leadsThere ? [] : [`CLAUDE_CODE_SESSION_ID=${session.id}`]),
	];
}

/** For commands that the agent's shell runs: the short one leads here, which project is the session's, and which store. */
export function keepWhere(hook: Hook): void {
	const { session, folder, log, root, launcher } = hook;
	keepShortLauncher(shortLauncher(root), launcher);
	const storeTold = attempt(log, () => tellStore(hook)) ?? false;
	if (folder) keepPlace(session, { folder, storeTold });
}

const APPEND =
	constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * A store of one's own is named to the agent's shell, which knows nothing of the hooks' environment: one line in the file
 * that Claude Code names for that (`CLAUDE_ENV_FILE`). Gives whether the shell knows the store. Throws when the
 * file is none that Claude Code makes (`~/.claude/session-env/<session>/sessionstart-hook-<n>.sh`): a line in the wrong one
 * would be a line of the user's shell profile.
 */
function tellStore(hook: Hook): boolean {
	const { env, root } = hook;
	if (isUsualStore(hook)) return true;
	const file = env.CLAUDE_ENV_FILE;
	if (!file) return false;
	const own = claudeRoot(env);
	const folder = realpathSync(dirname(file));
	const isClaudes = own !== null && folder.startsWith(join(realpathSync(own), "session-env") + sep);
	if (!isClaudes || !basename(file).endsWith(".sh"))
		throw new Error(`CLAUDE_ENV_FILE is ${file}, no file of Claude Code's: the agent's shell is not told of ${root}`);
	const fd = openSync(join(folder, basename(file)), APPEND, 0o600);
	try {
		const stat = fstatSync(fd);
		if (!stat.isFile()) throw new Error(`${file} is no regular file`);
		refuseSecondName(file, stat);
		writeFileSync(fd, `export CCG_HOME=${shellWord(root)}\n`);
	} finally {
		closeSync(fd);
	}
	return true;
}

/** `ccg` as it can be typed into a shell: the name where it is on PATH, else the short command. */
export const shellCommand = ({ launcher, env, root }: Hook): string =>
	isOnPath("ccg", launcher, env.PATH ?? "") ? "ccg" : typedWord(toldLauncher(launcher, root));

/** How the user asks for the report of the last compaction at Claude Code's prompt, in a way that costs no turn of the model. */
export const reportCommand = (hook: Hook): string =>
	`! ${storeWord(hook)}${shellCommand(hook)} show latest --as report`;
