import { stripByteOrderMark, trimEndSigns } from "../core/text/text.ts";
import { readTextInside } from "../files/read-inside.ts";

/**
 * Parses a git configuration into its settings, in file order, names in lower case but for the part in quotes: `remote.Origin.url`. A line
 * that is no setting is passed over. A value is given as it stands up to a comment, without quotes around all of it; a name without a
 * value (git takes it for "on") gets `""`.
 */
export function parseGitConfig(text: string): [name: string, value: string][] {
	const found: [string, string][] = [];
	let section = "";
	for (const rawLine of stripByteOrderMark(text).split("\n")) {
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
			found.push([`${section}.${key}`, equals < 0 ? "" : unquoteSetting(setting.slice(equals + 1).trim())]);
	}
	return found;
}

/** A setting's value without the quotes around all of it. */
const unquoteSetting = (value: string): string => value.replace(/^"([^"\\]*)"$/, "$1");

const HEADER = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/;

const MAX_CONFIG_BYTES = 256 * 1024;

/** The URLs of a repository's remotes as its configuration has them, credentials included. */
export const readRemoteUrls = (commonDir: string): string[] =>
	parseGitConfig(readTextInside(commonDir, "config", { maxBytes: MAX_CONFIG_BYTES }) ?? "").flatMap(([name, value]) =>
		/^remote\..*\.url$/.test(name) ? [value] : [],
	);

/** A remote URL as `host/path`: host in lower case, without scheme, credentials, port and `.git`; `null` for a folder of this machine. */
export function remoteName(url: string): string | null {
	const withScheme = /^(?:ssh|git|https?|git\+ssh):\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+)$/i.exec(url);
	const [, host, path] = withScheme ?? /^(?:[^/@:]+@)?([^/:]+):(?!\/\/)(.+)$/.exec(url) ?? [];
	if (!host || !path) return null;
	const repositoryPath = trimEndSigns(path, "/")
		.replace(/\.git$/, "")
		.replace(/^\/+/, "");
	return `${host.toLowerCase()}/${repositoryPath}`;
}
