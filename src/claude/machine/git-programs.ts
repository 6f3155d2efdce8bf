import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { GitProgram } from "../../core/effect/git-command.ts";
import { foldersUp } from "../../files/folders-up.ts";
import type { Env } from "../../store/paths.ts";

/** What git would run by its configuration in a folder. All kinds where a file of it can't be read. */
export function gitProgramsIn(folder: string, env: Env): Set<GitProgram> {
	const found = new Set<GitProgram>();
	const home = env.HOME ?? "/";
	// another repository, or settings that no file holds
	if (env.GIT_DIR || env.GIT_CONFIG_COUNT || env.GIT_CONFIG_PARAMETERS) return new Set(ALL);
	try {
		const user = env.GIT_CONFIG_GLOBAL
			? [env.GIT_CONFIG_GLOBAL]
			: [join(home, ".gitconfig"), join(env.XDG_CONFIG_HOME || join(home, ".config"), "git", "config")];
		for (const file of [...user, env.GIT_CONFIG_SYSTEM || "/etc/gitconfig"])
			if (file !== "/dev/null" && existsSync(file)) readConfig(file, { found, home, isUsers: true, files: 0 }, 0);
		const dir = gitDirOf(folder);
		if (dir) readRepository(dir.git, dir.tree, found, home, 0);
	} catch {
		for (const one of ALL) found.add(one);
	}
	return found;
}

const ALL: GitProgram[] = ["filter", "monitor", "hook", "diff", "text", "signature", "fetch", "remote", "submodule"];
const MAX_CONFIG_BYTES = 256 * 1024;
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 24;
const MAX_SUBMODULES = 24;

function readRepository(git: string, tree: string | null, found: Set<GitProgram>, home: string, depth: number): void {
	const common = pathIn(join(git, "commondir"), git) ?? git;
	const reading: ConfigReading = { found, home, isUsers: false, files: 0 };
	for (const file of [join(common, "config"), join(git, "config.worktree")])
		if (existsSync(file)) readConfig(file, reading, 0);
	if (existsSync(join(common, "hooks", "post-index-change"))) found.add("hook");
	const top = reading.tree ? resolve(git, reading.tree) : tree;
	if (top) readSubmodules(git, top, found, home, depth);
}

/** The repositories in the tree that the index holds links to: git looks into each with its own configuration. */
function readSubmodules(git: string, tree: string, found: Set<GitProgram>, home: string, depth: number): void {
	const index = join(git, "index");
	if (!existsSync(index)) return;
	// a part of a split index lies in another file
	const isSplit = readdirSync(git).some((name) => name.startsWith("sharedindex."));
	const links = isSplit ? null : linksIn(readBytes(index, MAX_INDEX_BYTES));
	if (!links || links.length > MAX_SUBMODULES || (depth > 3 && links.length > 0)) {
		found.add("submodule");
		return;
	}
	for (const path of links) {
		const inside = repositoryAt(join(tree, path));
		if (!inside) continue;
		const its = new Set<GitProgram>();
		readRepository(inside.git, inside.tree, its, home, depth + 1);
		// nothing speaks to its remotes
		its.delete("remote");
		if (its.size > 0) found.add("submodule");
	}
}

/** Paths of entries of mode 160000; `null` for an index of a form that is not known. */
export function linksIn(index: Buffer): string[] | null {
	if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return index.length === 0 ? [] : null;
	// the sign of such an entry, anywhere in the bytes: most indexes have none
	if (!index.includes(Buffer.from([0, 0, 0xe0, 0]))) return [];
	const version = index.readUInt32BE(4);
	// paths are shortened in version 4, and a hash may be longer than 20 bytes
	if (version !== 2 && version !== 3) return null;
	const links: string[] = [];
	let at = 12;
	for (let left = index.readUInt32BE(8); left > 0; left--) {
		if (at + 63 > index.length) return null;
		const mode = index.readUInt32BE(at + 24);
		// entries of a longer hash would be read askew
		if (![0x81a4, 0x81ed, 0x81b4, 0xa000, 0xe000, 0x4000].includes(mode)) return null;
		const start = at + (index.readUInt16BE(at + 60) & 0x4000 ? 64 : 62);
		const end = index.indexOf(0, start);
		if (end < 0) return null;
		if (mode === 0xe000) links.push(index.toString("utf8", start, end));
		at += Math.ceil((end + 1 - at) / 8) * 8;
	}
	return links;
}

interface ConfigReading {
	found: Set<GitProgram>;
	home: string;
	/** Of the user's own files, not of the repository's. */
	isUsers: boolean;
	files: number;
	/** Where the tree lies, if the configuration says so. */
	tree?: string;
}

/** Reads a configuration file and all it includes, under whatever condition. */
function readConfig(file: string, reading: ConfigReading, depth: number): void {
	if (depth > 5 || ++reading.files > MAX_FILES) throw new Error(`${file}: too many files`);
	for (const [section, key, value] of entriesOf(readBytes(file, MAX_CONFIG_BYTES).toString("utf8"))) {
		if (/^include(?:if)?$/.test(section) && key === "path") {
			const path = value.replace(/^~\//, `${reading.home}/`);
			if (/^[~%]|\\$/.test(path)) throw new Error(`${file}: include of ${path}`);
			const next = isAbsolute(path) ? path : resolve(dirname(file), path);
			if (existsSync(next)) readConfig(next, reading, depth + 1);
			continue;
		}
		if (section === "core" && key === "worktree") reading.tree = value;
		const program = programOf(section, key, value, reading.isUsers);
		if (program) reading.found.add(program);
	}
}

/**
 * Section, key and value of each line, the first two in small letters; quotes taken out of the value. A line that goes on
 * on the next one is not put together: so none can be hidden behind another.
 */
export function* entriesOf(text: string): Generator<[section: string, key: string, value: string]> {
	let section = "";
	for (let line of text.split("\n")) {
		for (;;) {
			line = line.trim();
			const [head, name] = /^\[\s*([\w.-]+)\s*(?:"(?:[^"\\\n]|\\.)*"\s*)?\]/.exec(line) ?? [];
			if (!head) break;
			section = name!.split(".")[0]!.toLowerCase();
			line = line.slice(head.length);
		}
		const [, key, value] = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/s.exec(line) ?? [];
		if (key) yield [section, key.toLowerCase(), (value ?? "true").replace(/"/g, "").trim()];
	}
}

function programOf(section: string, key: string, value: string, isUsers: boolean): GitProgram | null {
	switch (`${section}.${key}`) {
		case "core.fsmonitor":
			// git's own watcher
			return /^(?:true|false|yes|no|on|off|0|1|)$/i.test(value) ? null : "monitor";
		case "core.hookspath":
			return isUsers ? null : "hook";
		case "filter.clean":
		case "filter.smudge":
		case "filter.process":
			// as `git lfs install` writes them
			return isUsers && /^git-lfs (?:clean|smudge|filter-process)\b[\w %-]*$/.test(value) ? null : "filter";
		case "diff.external":
		case "diff.command":
			return "diff";
		case "diff.textconv":
			return "text";
		case "gpg.program":
		case "gpg.defaultkeycommand":
		case "log.showsignature":
			return isUsers ? null : "signature";
		case "extensions.partialclone":
		case "remote.promisor":
		case "remote.partialclonefilter":
			return "fetch";
		case "remote.url":
			return /^(?:(?:https?|git|ssh):\/\/(?!-)|[\w.-]+@[\w.-]+:(?!-))[\w.@:/~-]*$/.test(value) ? null : "remote";
		default:
			return !isUsers && SPEAKS_TO_REMOTES.test(`${section}.${key}`) ? "remote" : null;
	}
}

/** Programs and files that speaking to a remote would use, and other addresses for it. */
const SPEAKS_TO_REMOTES =
	/^(?:core\.(?:sshcommand|gitproxy|askpass)|credential\.|http\.|protocol\.|ssh\.|url\.|remote\.(?:vcs|uploadpack|proxy|pushurl$))/;

/** The repository a folder lies in, as git looks for it. */
function gitDirOf(folder: string): { git: string; tree: string | null } | null {
	for (const at of foldersUp(resolve(folder))) {
		const found = repositoryAt(at);
		if (found) return found;
		// a bare one
		if (existsSync(join(at, "HEAD")) && existsSync(join(at, "objects")) && existsSync(join(at, "refs")))
			return { git: at, tree: null };
	}
	return null;
}

function repositoryAt(folder: string): { git: string; tree: string } | null {
	const entry = join(folder, ".git");
	if (!existsSync(entry)) return null;
	if (statSync(entry).isDirectory()) return { git: entry, tree: folder };
	const git = pathIn(entry, folder, /^gitdir:\s*(.+)/);
	return git ? { git, tree: folder } : null;
}

function pathIn(file: string, from: string, form = /^(.+)/): string | null {
	if (!existsSync(file)) return null;
	const path = form.exec(readBytes(file, 65_536).toString("utf8"))?.[1]?.trimEnd();
	return path ? resolve(from, path) : null;
}

/** A regular file's bytes. Throws for one that is larger, or is none: git might wait on it, and so would we. */
function readBytes(path: string, max: number): Buffer {
	const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		const stat = fstatSync(fd);
		if (!stat.isFile() || stat.size > max) throw new Error(`${path} can't be read`);
		const bytes = Buffer.alloc(stat.size);
		let count = 0;
		while (count < bytes.length) {
			const read = readSync(fd, bytes, count, bytes.length - count, count);
			if (read === 0) break;
			count += read;
		}
		return bytes.subarray(0, count);
	} finally {
		closeSync(fd);
	}
}
