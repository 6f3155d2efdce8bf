import { textInside } from "../files/read-inside.ts";
import type { Repository } from "./repository.ts";

const MAX_REF = 4_096;
const MAX_PACKED = 16 * 1024 * 1024;

/**
 * Reads HEAD's branch and commit (in hexadecimal); `null` when HEAD can't be read. `branch` is `null` when HEAD names a commit; `commit` is
 * `null` before the first commit and where it can't be read from files.
 */
export function readHead({ gitDir, commonDir }: Repository): { branch: string | null; commit: string | null } | null {
	const text = textInside(gitDir, "HEAD", { maxBytes: MAX_REF })?.trim() ?? "";
	if (HASH.test(text)) return { branch: null, commit: text };
	const ref = refOf(text);
	if (!ref) return null;
	return { branch: /^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? ref, commit: commitOf(commonDir, ref) };
}

const HASH = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The ref that HEAD's text names; `null` for a name that git would not make, since the name becomes a path. */
function refOf(text: string): string | null {
	const name = /^ref:\s*(refs\/\S+)$/.exec(text)?.[1];
	const isOdd = name?.split("/").some((part) => part === "" || part.startsWith(".") || part.endsWith(".lock"));
	return (!isOdd && name) || null;
}

/** A ref's commit, from its own file, else from `packed-refs`; `null` where neither has it. */
function commitOf(commonDir: string, ref: string): string | null {
	const loose = textInside(commonDir, ref, { maxBytes: MAX_REF })?.trim();
	if (loose !== undefined) return HASH.test(loose) ? loose : null;
	const packed = textInside(commonDir, "packed-refs", { maxBytes: MAX_PACKED }) ?? "";
	const at = packed.indexOf(` ${ref}\n`);
	const hash = at < 0 ? "" : packed.slice(packed.lastIndexOf("\n", at) + 1, at);
	return HASH.test(hash) ? hash : null;
}

const REFLOG_LINE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^>]*> \d+ [+-]\d{4}\t(.*)$/;
const MAKES =
	/^(?:commit(?: \((?:initial|merge|cherry-pick)\))?|commit( \(amend\))|revert|cherry-pick|rebase(?: -i)? \((?:pick|reword|edit|squash|fixup|continue)\)|merge (?!.*fast-forward)[^:]*): (.*)$/i;
const COMMITS = 3;
/** Git writes no longer line into the log. */
const MAX_LINE = 4_096;

/** The last commits made in this working tree, by git's log of HEAD, newest first; commits that were amended or reset away are left out. */
export function recentCommits(log: string): string[] {
	const moves = log.split("\n").flatMap((line) => {
		const match = line.length <= MAX_LINE ? REFLOG_LINE.exec(line) : null;
		return match ? [{ from: match[1]!, to: match[2]!, what: match[3]! }] : [];
	});
	const commits: string[] = [];
	let wanted = moves.at(-1)?.to;
	let isReplaced = false;
	for (const { from, to, what } of moves.toReversed()) {
		const commit = MAKES.exec(what);
		// a move that made no commit (checkout, reset, the end of a rebase) leads to a commit made earlier
		if (to !== wanted || !commit) continue;
		if (!isReplaced) commits.push(`${to.slice(0, 7)} ${commit[2]}`);
		if (commits.length === COMMITS) break;
		// an amended commit stands where the replaced one stood
		isReplaced = commit[1] !== undefined;
		wanted = from;
	}
	return commits;
}
