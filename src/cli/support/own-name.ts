import { redactSecrets } from "../../core/redact/secrets.ts";
import { isOnPath } from "../../files/on-path.ts";
import { typedLauncher, typedPath } from "../../store/app-folder.ts";
import { type Env, storeRoot } from "../../store/paths.ts";

/** Gives what to type to start this ccg: `ccg` where PATH finds this very program, else the path of its short command or launcher. */
export function ccgCommand({ env, launcher }: { env: Env; launcher: string }): string {
	return isOnPath("ccg", launcher, permanentPath(env)) ? "ccg" : typedPath(typedLauncher(launcher, storeRoot(env)));
}

/** Gives PATH without the folders that npx and `npm run` put there while they run. */
export const permanentPath = ({ PATH = "" }: Env): string =>
	PATH.split(":")
		.filter((folder) => !folder.endsWith("/node_modules/.bin"))
		.join(":");

/** Gives a message in which each `ccg COMMAND` can be typed as it stands: where `ccg` is not on PATH it is replaced by `ccgCommand`. */
export function withTypableCommands(text: string, io: { env: Env; launcher: string }): string {
	if (!text.includes("ccg ")) return text;
	const typable = redactSecrets(ccgCommand(io));
	if (typable === "ccg") return text;
	return text.replace(CCG_AND_WORD, (match, before: string, nextWord: string) =>
		COMMAND_NAMES.has(nextWord) || nextWord.startsWith("-") || nextWord.startsWith("[") ? before + typable : match,
	);
}

/** Every command of the program; a test holds it against the program itself. */
export const COMMAND_NAMES = new Set([
	..."install uninstall doctor demo status statusline show checkpoint recall index".split(" "),
	..."memory task gc config sync help COMMAND".split(" "),
]);

// (a grant's `ccg recall:*` is no command line)
const CCG_AND_WORD = /(^|[\s'"`(])ccg(?= ([[-]|[A-Za-z]{1,20}(?![:A-Za-z])))/gm;
