import { dirname, isAbsolute, join } from "node:path";
import { readBytes } from "../../files/json-file.ts";
import { quietStat } from "../../files/quietly.ts";
import { foldersUp, realPath } from "../../files/real-path.ts";
import type { Env } from "../../store/paths.ts";

/**
 * The environment without values that stand in a repository's settings, at the folder or above it: what those named a secret would be taken
 * out of the user's words. No secret of the user's stands there, so none is let go by this.
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

/** However it is written. Claude Code takes nothing from a pipe, a folder or a device (measured on 2.1.332). */
function textIn(path: string): string[] {
	const file = quietStat(path)?.isFile() ? readBytes(path) : null;
	if (file?.state !== "good") return [];
	const text = file.text.replaceAll("\0", "");
	return [text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))];
}
