import { withoutEnd, withoutMark } from "../core/text/text.ts";
import { textInside } from "../files/read-inside.ts";

/**
 * Parses a git configuration into its settings, in file order, names in lower case but for the part in quotes: `remote.Origin.url`. A line
 * that is no setting is passed over. A value is given as it stands up to a comment, without quotes around all of it; a name without a
 * value (git takes it for "on") gets `""`.
 */
export function parseConfig(text: string): [name: string, value: string][] {
	const found: [string, string][] = [];
	let section = "";
	for (const rawLine of withoutMark(text).split("\n")) {
		let line = rawLine.trim();
		if (line.startsWith("[")) {
			const [header, name, inner] = HEADER.exec(line) ?? [];
			if (!header) continue;
			section = name!.toLowerCase() + (inner === undefined ? "" : `.${inner.replace(/\\(.)/g, "$1")}`);
			line = line.slice(header.length);
		}
		const [setting = ""] = line.split(/[#;]/, 1);
		const equals = setting.indexOf("=");
		const key = (equals < 0 ? setting : setting.slice(0, equals)).trim().toLowerCase();
		if (section && /^[a-z][a-z0-9-]*$/.test(key))
			found.push([`${section}.${key}`, equals < 0 ? "" : unquotedSetting(setting.slice(equals + 1).trim())]);
	}
	return found;
}

const unquotedSetting = (value: string): string => value.replace(/^"([^"\\]*)"$/, "$1");

const HEADER = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/;

const MAX_CONFIG = 256 * 1024;

/** The URLs of a repository's remotes as its configuration has them, credentials included. */
export const remoteUrls = (commonDir: string): string[] =>
	parseConfig(textInside(commonDir, "config", { maxBytes: MAX_CONFIG }) ?? "").flatMap(([name, value]) =>
		/^remote\..*\.url$/.test(name) ? [value] : [],
	);

/** A remote's name, `host/path`: lower case host, without scheme, credentials, port and `.git`; `null` for a folder of this machine. */
export function remoteName(url: string): string | null {
	const scheme = /^(?:ssh|git|https?|git\+ssh):\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+)$/i.exec(url);
	const [, host, path] = scheme ?? /^(?:[^/@:]+@)?([^/:]+):(?!\/\/)(.+)$/.exec(url) ?? [];
	if (!host || !path) return null;
	const bare = withoutEnd(path, "/")
		.replace(/\.git$/, "")
		.replace(/^\/+/, "");
	return `${host.toLowerCase()}/${bare}`;
}
