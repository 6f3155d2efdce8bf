import { dirname, isAbsolute, join } from "node:path";
import { readBytes } from "../../files/json-file.ts";
import { quietStat } from "../../files/quietly.ts";
import { foldersUp, realPath } from "../../files/real-path.ts";
import type { Env } from "../../store/paths.ts";

/**
 * The environment without the variables whose value stands in a repository's settings, at the folder or above it. Else a repository could
 * declare words of the user's to be secrets, and redaction would take them out. The user's own secrets do not stand in such files.
 */
export function ownVariables(env: Env, folder: string | undefined): Env {
	if (!folder || !isAbsolute(folder)) return env;
	// the user's own settings lie in the home folder
	const home = join(realPath(env.HOME ?? "/"), ".claude");
	const texts = [...foldersUp(realPath(folder))]
		.flatMap((at) => SETTINGS.map((name) => join(at, ".claude", name)))
		.flatMap((path) => (dirname(path) === home ? [] : textIn(path)));
	if (texts.length === 0) return env;
	return Object.fromEntries(
		Object.entries(env).filter(([, value]) => !texts.some((text) => text.includes(JSON.stringify(value ?? "")))),
	);
}

const SETTINGS = ["settings.json", "settings.local.json"];

/** The text of a settings file, `\u` escapes resolved, as a list: empty without a regular file. Claude Code reads no other (measured on 2.1.332). */
function textIn(path: string): string[] {
	const file = quietStat(path)?.isFile() ? readBytes(path) : null;
	if (file?.state !== "good") return [];
	const text = file.text.replaceAll("\0", "");
	return [text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))];
}
