import { lstatSync } from "node:fs";
import { join } from "node:path";
import { openInside, textInside } from "../files/read-inside.ts";
import { conversionFor, parseAttributes } from "./attributes.ts";
import { budgetOf, type Limits, type WorkBudget } from "./budget.ts";
import { type Comparison, changedFiles } from "./changed.ts";
import { flag, type GitConfig, parseConfig, setting, textOf, userConfig } from "./config.ts";
import { readHead } from "./head.ts";
import { type IgnoreRules, parseIgnore } from "./ignored.ts";
import { parseIndex } from "./index-file.ts";
import { openObjects } from "./objects.ts";
import { findRepository, type Repository, realFolder } from "./repository.ts";
import { stagedChanges } from "./staged.ts";
import { quotedPath, trackedLines } from "./status-lines.ts";
import { untrackedFiles } from "./untracked.ts";
import { thisUser, type User } from "./user.ts";

const MAX_INDEX = 32 * 1024 * 1024;
const MAX_SMALL = 128 * 1024;
const LIMITS: Limits = { looks: 150_000, bytes: 64 * 1024 * 1024, workMs: 120, clockMs: 400 };

export interface GitStatus {
	/** As `git status --porcelain=v1 --no-renames` has them, names with other than printable characters in quotes. */
	lines: string[];
	/** What was not looked at, in a few words; `null` when all was. */
	unseen: string | null;
}

/**
 * What is not committed, told from files: no git is run, and so nothing a repository asks git to run. Takes a tenth of a second
 * at the most; what it did not get to is told. Never throws.
 */
export function readStatus(repository: Repository, user: User = thisUser(), limits = LIMITS): GitStatus {
	try {
		return statusOf(repository, user, budgetOf(limits), 0);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { lines: [], unseen: `changes are not known: ${reason}` };
	}
}

function statusOf(repository: Repository, user: User, budget: WorkBudget, depth: number): GitStatus {
	const { top, gitDir, commonDir } = repository;
	const own = ownConfig(repository);
	const users = userConfig(user);
	const all = [...users, ...own];
	const moved = setting(own, "core.worktree");
	if (flag(own, "core.bare", false) && repository.kind === "main") return { lines: [], unseen: null };
	if (
		moved !== undefined &&
		repository.kind === "main" &&
		realFolder(join(gitDir, moved)) !== top &&
		realFolder(moved) !== top
	)
		throw new Error("core.worktree names another folder");
	const sha256 = setting(own, "extensions.objectformat") === "sha256";
	const file = openInside(gitDir, "index", { maxBytes: MAX_INDEX });
	if (!file && hasIndex(gitDir)) throw new Error("the index can't be read");
	const index = file ? parseIndex(file.bytes, sha256 ? 32 : 20, budget.late) : { entries: [], tree: null };
	const ignoreCase = flag(all, "core.ignorecase", false);

	const comparison: Comparison = {
		top,
		indexMs: file?.stat.mtimeMs ?? 0,
		hash: sha256 ? "sha256" : "sha1",
		fileMode: flag(all, "core.filemode", true),
		conversion: conversions(repository, all),
		submodule: submodules(repository, own, user, budget, depth),
		budget,
	};
	const unseen: string[] = [];
	const head = readHead(repository);
	const objects = openObjects(commonDir);
	let staged: Map<string, string> | null;
	try {
		const known = head && (head.commit !== null || head.unborn);
		staged = known ? stagedChanges(index.entries, index.tree, head.commit, objects, budget) : null;
	} finally {
		objects.close();
	}
	if (!staged) unseen.push("what is staged was not compared with the last commit");
	const { changes, unseen: count } = changedFiles(index.entries, comparison);
	if (count > 0) unseen.push(`${count} of ${index.entries.length} tracked files were not looked at`);

	const shown = setting(all, "status.showuntrackedfiles") ?? "normal";
	const untracked =
		shown === "no"
			? { found: [], complete: true }
			: untrackedFiles(top, index.entries, {
					all: shown === "all",
					ignoreCase,
					composed: flag(all, "core.precomposeunicode", false),
					rules: commonRules(repository, user, users, ignoreCase),
					budget,
				});
	if (!untracked.complete) unseen.push("not all folders were searched for new files");
	const lines = [
		...trackedLines(index.entries, staged ?? new Map(), changes),
		...untracked.found.map((path) => `?? ${quotedPath(path)}`),
	];
	return { lines, unseen: unseen.length > 0 ? unseen.join("; ") : null };
}

/** A link or a FIFO is there all the same. */
const hasIndex = (gitDir: string): boolean => lstatSync(join(gitDir, "index"), { throwIfNoEntry: false }) !== undefined;

/** The repository's settings. What it includes is not read: it may name any file. */
function ownConfig({ gitDir, commonDir }: Repository): GitConfig {
	const read = (folder: string, name: string): GitConfig =>
		parseConfig(textInside(folder, name, { maxBytes: MAX_SMALL }) ?? "");
	const shared = read(commonDir, "config");
	return flag(shared, "extensions.worktreeconfig", false) ? [...shared, ...read(gitDir, "config.worktree")] : shared;
}

function conversions({ top, commonDir }: Repository, config: GitConfig): Comparison["conversion"] {
	const converts = /^(?:true|input|yes|on|1)$/i.test(setting(config, "core.autocrlf") ?? "");
	let files: ReturnType<typeof parseAttributes>[] | undefined;
	return (path) => {
		files ??= [
			parseAttributes(textInside(top, ".gitattributes", { maxBytes: MAX_SMALL }) ?? ""),
			parseAttributes(textInside(commonDir, "info/attributes", { maxBytes: MAX_SMALL }) ?? ""),
		];
		const { text, other } = conversionFor(path, files);
		return { text: text ?? converts, comparable: !other };
	};
}

function commonRules({ commonDir }: Repository, user: User, users: GitConfig, ignoreCase: boolean): IgnoreRules[] {
	const own = textInside(commonDir, "info/exclude", { maxBytes: MAX_SMALL }) ?? "";
	// only where the user's own configuration names it: a repository's may name any file
	const named = setting(users, "core.excludesfile") ?? (user.configHome ? join(user.configHome, "git", "ignore") : "");
	const path = named.startsWith("~/") && user.home ? join(user.home, named.slice(2)) : named;
	return [own, path.startsWith("/") ? (textOf(path) ?? "") : ""].map((text) => parseIgnore(text, 0, ignoreCase));
}

/** How deep submodules in submodules are asked for. */
const MAX_DEPTH = 3;

function submodules(
	{ top }: Repository,
	own: GitConfig,
	user: User,
	budget: WorkBudget,
	depth: number,
): Comparison["submodule"] {
	let listed: GitConfig | undefined;
	const ignoreOf = (path: string): string | undefined => {
		listed ??= parseConfig(textInside(top, ".gitmodules", { maxBytes: MAX_SMALL }) ?? "");
		const name = listed.find(([key, value]) => value === path && /^submodule\..*\.path$/.test(key))?.[0].slice(0, -5);
		return name ? (setting(own, `${name}.ignore`) ?? setting(listed, `${name}.ignore`)) : undefined;
	};
	return (path, commit) => {
		const ignore = ignoreOf(path) ?? setting(own, "diff.ignoresubmodules");
		if (ignore === "all") return false;
		const folder = join(top, path);
		const found = findRepository(folder, user);
		// not checked out
		if (found?.top !== folder) return false;
		const head = found.repository && readHead(found.repository);
		if (!found.repository || !head) return null;
		if (head.commit !== commit) return true;
		if (ignore === "dirty") return false;
		if (depth >= MAX_DEPTH) return null;
		const { lines, unseen } = statusOf(found.repository, user, budget, depth + 1);
		if (lines.some((line) => ignore !== "untracked" || !line.startsWith("??"))) return true;
		return unseen === null ? false : null;
	};
}
