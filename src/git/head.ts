import { join } from "node:path";
import { linkText, textInside } from "../files/read-inside.ts";
import type { Repository } from "./repository.ts";

const MAX_REF = 4_096;
const MAX_PACKED = 16 * 1024 * 1024;

export interface Head {
	/** The branch's name; `null` when HEAD names a commit. */
	branch: string | null;
	/** The commit, in hexadecimal; `null` before the first one, and where it can't be read from files. */
	commit: string | null;
	/** The branch has no commit yet. Not known (`false`) where refs are kept in another form than files. */
	unborn: boolean;
}

/** Where HEAD stands; `null` when it can't be read. */
export function readHead({ gitDir, commonDir }: Repository): Head | null {
	const link = linkText(join(gitDir, "HEAD"));
	const text = link === null ? textInside(gitDir, "HEAD", { maxBytes: MAX_REF })?.trim() : `ref: ${link}`;
	if (!text) return null;
	const ref = refOf(text);
	if (!ref) return HASH.test(text) ? { branch: null, commit: text, unborn: false } : null;
	const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? ref;
	// another form of refs leaves a branch of this name in its place
	if (branch === ".invalid") return { branch: null, commit: null, unborn: false };
	const commit = commitOf(commonDir, ref);
	return { branch, commit: commit ?? null, unborn: commit === undefined };
}

const HASH = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** A ref's name, when it is one git would make: it becomes a path. */
function refOf(text: string): string | null {
	const name = /^ref:\s*(refs\/\S+)$/.exec(text)?.[1];
	return name && !name.split("/").some((part) => part === "" || part.startsWith(".") || part.endsWith(".lock"))
		? name
		: text.endsWith("refs/heads/.invalid")
			? "refs/heads/.invalid"
			: null;
}

/** `undefined`: there is no such ref; `null`: there is, and it leads on too often or to nothing readable. */
function commitOf(commonDir: string, ref: string, depth = 0): string | null | undefined {
	const text = textInside(commonDir, ref, { maxBytes: MAX_REF })?.trim();
	if (text === undefined) return packedCommit(commonDir, ref);
	if (HASH.test(text)) return text;
	const next = refOf(text);
	return next && depth < 5 ? commitOf(commonDir, next, depth + 1) : null;
}

function packedCommit(commonDir: string, ref: string): string | undefined {
	const text = textInside(commonDir, "packed-refs", { maxBytes: MAX_PACKED });
	if (!text) return undefined;
	const at = text.indexOf(` ${ref}\n`);
	const hash = at < 0 ? "" : text.slice(text.lastIndexOf("\n", at) + 1, at);
	return HASH.test(hash) ? hash : undefined;
}

const REFLOG_LINE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^>]*> \d+ [+-]\d{4}\t(.*)$/;
const MAKES =
	/^(?:commit(?: \((?:initial|merge|cherry-pick)\))?|commit( \(amend\))|revert|cherry-pick|rebase(?: -i)? \((?:pick|reword|edit|squash|fixup|continue)\)|merge (?!.*fast-forward)[^:]*): (.*)$/i;
const COMMITS = 3;
/** A longer line of the log is none that git wrote. */
const MAX_LINE = 4_096;

/**
 * The last commits made in this working tree, from git's own log of HEAD: a file, no process. Followed back from where HEAD
 * stands, so that what was amended or reset away is not named.
 */
export function recentCommits(log: string): string[] {
	const moves = log.split("\n").flatMap((line) => {
		const found = line.length <= MAX_LINE ? REFLOG_LINE.exec(line) : null;
		return found ? [{ from: found[1]!, to: found[2]!, what: found[3]! }] : [];
	});
	const commits: string[] = [];
	for (let at = moves.length - 1, want = moves.at(-1)?.to; at >= 0 && commits.length < COMMITS; at--) {
		const { from, to, what } = moves[at]!;
		const made = MAKES.exec(what);
		// a move that made no commit (checkout, reset, the end of a rebase) leads to where it was made
		if (to !== want || !made) continue;
		commits.push(`${to.slice(0, 7)} ${made[2]}`);
		// an amended commit stands where the replaced one stood
		want = made[1] ? parentOf(from, moves) : from;
	}
	return commits;
}

/** What stood below a commit before it was amended, as often as it was. */
function parentOf(commit: string, moves: readonly { from: string; to: string; what: string }[]): string | undefined {
	let want = commit;
	for (const { from, to, what } of moves.toReversed()) {
		if (to !== want || !MAKES.test(what)) continue;
		if (!what.startsWith("commit (amend)")) return from;
		want = from;
	}
	return undefined;
}
