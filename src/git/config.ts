import { dirname, isAbsolute, join } from "node:path";
import { readPart } from "../files/read-file.ts";

const MAX_BYTES = 256 * 1024;
/** Files the user's own configuration may include, one inside the other. */
const MAX_INCLUDES = 10;

/** Who runs this, as git sees it. */
export interface User {
	/** Whose files are trusted: the user's, and root's caller's under sudo (git does the same). */
	uids: readonly number[];
	home: string | null;
	/** Where configuration lies beside the home folder's own. */
	configHome: string | null;
}

export function thisUser(env: Record<string, string | undefined> = process.env): User {
	const uid = process.geteuid?.() ?? 0;
	const uids = [uid];
	if (uid === 0 && /^\d{1,10}$/.test(env.SUDO_UID ?? "")) uids.push(Number(env.SUDO_UID));
	const home = env.HOME?.startsWith("/") ? env.HOME : null;
	const configHome = env.XDG_CONFIG_HOME?.startsWith("/") ? env.XDG_CONFIG_HOME : home && join(home, ".config");
	return { uids, home, configHome };
}

/**
 * The settings of a configuration in file order, names in lower case but for the part in quotes: `remote.Origin.url`. What is no setting
 * is passed over. A value is given as it stands up to a comment, without quotes around all of it. A name without a value is
 * on: `""`.
 */
export function parseConfig(text: string): [name: string, value: string][] {
	const found: [string, string][] = [];
	let section = "";
	for (const whole of text.replace(/^\uFEFF/, "").split("\n")) {
		let line = whole.trim();
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

/** What the machine and the user themselves set, never a repository. Their includes are followed, a few deep. */
export function userConfig({ home, configHome }: User): [name: string, value: string][] {
	const files = ["/etc/gitconfig"];
	if (configHome) files.push(join(configHome, "git", "config"));
	if (home) files.push(join(home, ".gitconfig"));
	let left = MAX_INCLUDES;
	// a file of the user's own may be a link, as tools that keep dotfiles make it
	const read = (path: string): [string, string][] =>
		parseConfig(readPart(path, MAX_BYTES)?.text ?? "").flatMap(([name, value]): [string, string][] => {
			if (name !== "include.path" || !value || left-- <= 0) return [[name, value]];
			const target = value.startsWith("~/") && home ? join(home, value.slice(2)) : value;
			return read(isAbsolute(target) ? target : join(dirname(path), target));
		});
	return files.flatMap(read);
}
