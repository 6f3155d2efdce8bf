const REFLOG_LINE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> \d+ [+-]\d{4}\t(.*)$/;
const MAKES =
	/^(?:commit(?: \((?:initial|merge|cherry-pick)\))?|commit( \(amend\))|revert|cherry-pick|rebase(?: -i)? \((?:pick|reword|edit|squash|fixup|continue)\)|merge (?!.*fast-forward)[^:]*): (.*)$/i;
const COMMITS = 3;

/**
 * The last commits made in this working tree, from git's own log of HEAD: a file, no process. Followed back from where HEAD
 * stands, so that what was amended or reset away is not named.
 */
export function recentCommits(log: string): string[] {
	const moves = log.split("\n").flatMap((line) => {
		const found = REFLOG_LINE.exec(line);
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
