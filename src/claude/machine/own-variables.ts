import { dirname, isAbsolute, join } from "node:path";
import { readTextOrReason } from "../../files/json-file.ts";
import { tryStat } from "../../files/quietly.ts";
import { foldersUp, realPath } from "../../files/real-path.ts";
import type { Env } from "../../store/paths.ts";

/**
 * The environment without the variables whose value stands in Claude Code's settings of a repository, in the folder or above it. Redaction takes
 * values of the environment for secrets: a repository could have words of the user's taken out.
 */
export function withoutRepositoryVariables(env: Env, folder: string | undefined): Env {
	if (!folder || !isAbsolute(folder)) return env;
	const userFolder = join(realPath(env.HOME ?? "/"), ".claude");
	const texts = [...foldersUp(realPath(folder))]
		.flatMap((at) => SETTINGS_NAMES.map((name) => join(at, ".claude", name)))
		.flatMap((path) => (dirname(path) === userFolder ? [] : settingsTexts(path)));
	if (texts.length === 0) return env;
	return Object.fromEntries(
		Object.entries(env).filter(([, value]) => !texts.some((text) => text.includes(JSON.stringify(value ?? "")))),
	);
}

const SETTINGS_NAMES = ["settings.json", "settings.local.json"];

/** The text of a settings file, `\u` escapes resolved, as a list: empty without a regular file. Claude Code reads no other (measured on 2.1.332). */
function settingsTexts(path: string): string[] {
	const file = tryStat(path)?.isFile() ? readTextOrReason(path) : null;
	if (file?.state !== "good") return [];
	const text = file.text.replaceAll("\0", "");
	return [text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))];
}
