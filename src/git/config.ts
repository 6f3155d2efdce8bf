import { dirname, isAbsolute, join } from "node:path";
import { readBounded, withFile } from "../files/read-file.ts";

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

/** The settings of a configuration in file order, names in lower case but for the part in quotes: `remote.Origin.url`. */
export type GitConfig = readonly (readonly [name: string, value: string])[];

/**
 * A configuration's text, read once from its beginning to its end. What is no setting is passed over. A name without a value is
 * on, which git writes as `""` here. Includes are settings like any other: who reads decides whether to follow them.
 */
export function parseConfig(text: string): GitConfig {
	const found: [string, string][] = [];
	let section = "";
	const lines = text.replace(/^\uFEFF/, "").split("\n");
	for (let i = 0; i < lines.length; i++) {
		let line = lines[i]!;
		// a backslash at its end joins the next line to it
		while (/\\\r?$/.test(line) && i + 1 < lines.length) line = `${line.replace(/\\\r?$/, "")}${lines[++i]}`;
		line = line.trim();
		if (line.startsWith("[")) {
			const [header, name, inner] = HEADER.exec(line) ?? [];
			if (!header) continue;
			section = name!.toLowerCase() + (inner === undefined ? "" : `.${inner.replace(/\\(.)/g, "$1")}`);
			line = line.slice(header.length).trim();
		}
		if (!line || line.startsWith("#") || line.startsWith(";") || !section) continue;
		const equals = line.indexOf("=");
		const key = (equals < 0 ? line : line.slice(0, equals)).trim().toLowerCase();
		if (/^[a-z][a-z0-9-]*$/.test(key)) found.push([`${section}.${key}`, equals < 0 ? "" : textAfter(line, equals + 1)]);
	}
	return found;
}

const HEADER = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/;

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", b: "\b" };

/** Quotes and escapes undone, a comment and the space around the value left out. */
function textAfter(line: string, from: number): string {
	let value = "";
	let end = 0;
	let quoted = false;
	for (let i = from; i < line.length; i++) {
		const char = line[i]!;
		if (char === '"') quoted = !quoted;
		else if (char === "\\") {
			const next = line[++i] ?? "";
			value += ESCAPES[next] ?? next;
		} else if (!quoted && (char === "#" || char === ";")) break;
		else if (value !== "" || quoted || !/\s/.test(char)) value += char;
		if (quoted || !/\s/.test(char)) end = value.length;
	}
	return value.slice(0, end);
}

/** What the machine and the user themselves set, never a repository. Their includes are followed, a few deep. */
export function userConfig({ home, configHome }: User): GitConfig {
	const files = ["/etc/gitconfig"];
	if (configHome) files.push(join(configHome, "git", "config"));
	if (home) files.push(join(home, ".gitconfig"));
	let left = MAX_INCLUDES;
	const read = (path: string): [string, string][] =>
		parseConfig(textOf(path)).flatMap(([name, value]): [string, string][] => {
			if (name !== "include.path" || !value || left-- <= 0) return [[name, value]];
			const target = value.startsWith("~/") && home ? join(home, value.slice(2)) : value;
			return read(isAbsolute(target) ? target : join(dirname(path), target));
		});
	return files.flatMap(read);
}

/** A file of the user's own, which may be a link, as tools that keep dotfiles make it. Never waits. */
function textOf(path: string): string {
	try {
		return withFile(path, true, (fd, stat) => readBounded(fd, stat, MAX_BYTES)?.toString("utf8")) ?? "";
	} catch {
		return "";
	}
}
