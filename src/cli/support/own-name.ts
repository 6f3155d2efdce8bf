import { isOnPath } from "../../files/on-path.ts";
import { shellWord } from "../../install/shell-word.ts";
import type { Env } from "../../store/paths.ts";

interface Named {
	env: Env;
	launcher: string;
}

/** How this ccg is called in a shell: `ccg` when that is what PATH finds, else the launcher's path as a shell word. */
export function ownName({ env, launcher }: Named): string {
	return isOnPath("ccg", launcher, lastingPath(env)) ? "ccg" : shellWord(launcher);
}

/** PATH without the folders that npx and `npm run` put there while they run. */
export const lastingPath = ({ PATH = "" }: Env): string =>
	PATH.split(":")
		.filter((folder) => !folder.endsWith("/node_modules/.bin"))
		.join(":");

/** A text of ours in which each `ccg COMMAND` can be typed as it stands. What is not one of our commands is left alone. */
export function asTyped(text: string, io: Named): string {
	if (!COMMAND_LINE.test(text)) return text;
	const name = ownName(io);
	return name === "ccg" ? text : text.replace(COMMAND_LINES, (_, before: string) => before + name);
}

/** Every command of the program; a test holds it against the program itself. */
export const COMMANDS = [
	"install",
	"uninstall",
	"update",
	"setup",
	"status",
	"mcp",
	"memory",
	"recall",
	"search",
	"index",
	"doctor",
	"demo",
	"checkpoint",
	"handoff",
	"show",
	"report",
	"sessions",
	"approvals",
	"env",
	"profile",
	"task",
	"gc",
	"completion",
	"version",
	"help",
	"statusline",
];

const COMMAND = `(^|[\\s'"\`(])ccg(?= (?:(?:${COMMANDS.join("|")})\\b(?!:)|-|\\[|COMMAND))`;
const COMMAND_LINE = new RegExp(COMMAND, "m");
const COMMAND_LINES = new RegExp(COMMAND, "gm");
