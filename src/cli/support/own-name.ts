import { redactSecrets } from "../../core/redact/secrets.ts";
import { isOnPath } from "../../files/on-path.ts";
import { toldLauncher, typedWord } from "../../store/app-folder.ts";
import { type Env, storeRoot } from "../../store/paths.ts";

/** Gives the shell word that starts this ccg: `ccg` when PATH finds this program under it, else the short command or the launcher's path. */
export function ownName({ env, launcher }: { env: Env; launcher: string }): string {
	return isOnPath("ccg", launcher, lastingPath(env)) ? "ccg" : typedWord(toldLauncher(launcher, storeRoot(env)));
}

/** Gives PATH without the folders that npx and `npm run` put there while they run. */
export const lastingPath = ({ PATH = "" }: Env): string =>
	PATH.split(":")
		.filter((folder) => !folder.endsWith("/node_modules/.bin"))
		.join(":");

/** Gives a text of ours in which each `ccg COMMAND` can be typed as it stands (`ownName`). Words that are no command of ours stay. */
export function asTyped(text: string, io: { env: Env; launcher: string }): string {
	if (!text.includes("ccg ")) return text;
	const name = redactSecrets(ownName(io));
	if (name === "ccg") return text;
	return text.replace(COMMAND_LINES, (all, before: string, word: string) =>
		COMMANDS.has(word) || word.startsWith("-") || word.startsWith("[") ? before + name : all,
	);
}

/** Every command of the program; a test holds it against the program itself. */
export const COMMANDS = new Set([
	..."install uninstall doctor demo status statusline show checkpoint recall index".split(" "),
	..."memory task gc config sync help COMMAND".split(" "),
]);

// (a grant's `ccg recall:*` is no command line)
const COMMAND_LINES = /(^|[\s'"`(])ccg(?= ([[-]|[A-Za-z]{1,20}(?![:A-Za-z])))/gm;
