import { withoutEnd } from "../core/text/text.ts";
import { textInside } from "../files/read-inside.ts";
import { parseConfig } from "./config.ts";

const MAX_CONFIG = 256 * 1024;

/** The addresses of a repository's remotes as its configuration has them, credentials included. */
export const remoteUrls = (commonDir: string): string[] =>
	parseConfig(textInside(commonDir, "config", { maxBytes: MAX_CONFIG }) ?? "").flatMap(([name, value]) =>
		/^remote\..*\.url$/.test(name) ? [value] : [],
	);

/** `host/path` of a remote, lower case host, without scheme, credentials, port and `.git`; `null` for a folder of this machine. */
export function remoteName(url: string): string | null {
	const scheme = /^(?:ssh|git|https?|git\+ssh):\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+)$/i.exec(url);
	const [, host, path] = scheme ?? /^(?:[^/@:]+@)?([^/:]+):(?!\/\/)(.+)$/.exec(url) ?? [];
	if (!host || !path) return null;
	const bare = withoutEnd(path, "/")
		.replace(/\.git$/, "")
		.replace(/^\/+/, "");
	return `${host.toLowerCase()}/${bare}`;
}
