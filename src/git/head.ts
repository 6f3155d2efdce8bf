import { textInside } from "../files/read-inside.ts";
import type { Repository } from "./repository.ts";

const MAX_REF = 4_096;
const MAX_PACKED = 16 * 1024 * 1024;

/**
 * Where HEAD stands; `null` when it can't be read. The branch is `null` when HEAD names a commit; the commit, in hexadecimal, before the
 * first one and where it can't be read from files.
 */
export function readHead({ gitDir, commonDir }: Repository): { branch: string | null; commit: string | null } | null {
	const text = textInside(gitDir, "HEAD", { maxBytes: MAX_REF })?.trim() ?? "";
	if (HASH.test(text)) return { branch: null, commit: text };
	const ref = refOf(text);
	if (!ref) return null;
	return { branch: /^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? ref, commit: commitOf(commonDir, ref) };
}

const HASH = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** A ref's name, when it is one git would make: it becomes a path. */
function refOf(text: string): string | null {
	const name = /^ref:\s*(refs\/\S+)$/.exec(text)?.[1];
	const isOdd = name?.split("/").some((part) => part === "" || part.startsWith(".") || part.endsWith(".lock"));
	return (!isOdd && name) || null;
}

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
	let want = moves.at(-1)?.to;
	let isReplaced = false;
	for (const { from, to, what } of moves.toReversed()) {
		const made = MAKES.exec(what);
		// a move that made no commit (checkout, reset, the end of a rebase) leads to where it was made
		if (to !== want || !made) continue;
		if (!isReplaced) commits.push(`${to.slice(0, 7)} ${made[2]}`);
		if (commits.length === COMMITS) break;
		// an amended commit stands where the replaced one stood
		isReplaced = made[1] !== undefined;
		want = from;
	}
	return commits;
}
