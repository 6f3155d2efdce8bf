import { existsSync } from "node:fs";
import { join } from "node:path";
import { isOnPath } from "../../files/on-path.ts";
import { shellWord } from "../../install/shell-word.ts";
import { toldLauncher } from "../../store/app-folder.ts";
import { claudeRoot, storeRoot } from "../../store/paths.ts";
import type { Services } from "../run/event.ts";

type Of = Pick<Services, "launcher" | "env" | "root" | "plugin">;

/** `ccg` as it can be typed into a shell: the name where it is on PATH, else the short command. */
export const shellCommand = ({ launcher, env, root }: Of): string =>
	isOnPath("ccg", launcher, env.PATH ?? "") ? "ccg" : shellWord(toldLauncher(launcher, root));

/** The same for the user's own terminal, where the home folder has a shorter name. */
export function userCommand(of: Of): string {
	const command = shellCommand(of);
	const home = `${of.env.HOME}/`;
	return command.startsWith(home) ? `~/${command.slice(home.length)}` : command;
}

/** How the user asks for the report of the last compaction: in a terminal, or by the slash command where that is at hand and ccg is not. */
export function reportCommand(of: Of): string {
	const { env, root, plugin } = of;
	const command = userCommand(of);
	const commands = join(claudeRoot(env) ?? "/", "commands", "ccg", "report.md");
	if (command !== "ccg" && (plugin || existsSync(commands))) return "/ccg:report";
	// the user's own terminal need not know this hook's CCG_HOME
	return `${root === storeRoot({ HOME: env.HOME }) ? "" : `CCG_HOME=${shellWord(root)} `}${command} report --last`;
}
