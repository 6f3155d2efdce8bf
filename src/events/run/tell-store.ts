import { closeSync, constants, fstatSync, openSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { shellWord } from "../../install/shell-word.ts";
import { claudeRoot, storeRoot } from "../../store/paths.ts";
import { refuseSecondName } from "../../store/second-name.ts";
import type { Services } from "./event.ts";

const APPEND =
	constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * A store of one's own is named to the agent's shell, which knows nothing of the hooks' environment: one line in the file
 * that Claude Code names for that (`CLAUDE_ENV_FILE`). Gives whether the shell knows the store. Throws when the
 * file is none that Claude Code makes (`~/.claude/session-env/<session>/sessionstart-hook-<n>.sh`): a line in the wrong one
 * would be a line of the user's shell profile.
 */
export function tellStore({ env, root }: Services): boolean {
	if (root === storeRoot({ HOME: env.HOME })) return true;
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
