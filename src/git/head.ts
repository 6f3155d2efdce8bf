import { readTextInside } from "../files/read-inside.ts";
import type { Repository } from "./repository.ts";

const MAX_REF_BYTES = 4_096;
const MAX_PACKED_BYTES = 16 * 1024 * 1024;

/** Reads HEAD; `null` where it can't be read. `branch`: `null` where HEAD names a commit; `commit`: `null` before the first one. */
export function readHead({ gitDir, commonDir }: Repository): { branch: string | null; commit: string | null } | null {
	const text = readTextInside(gitDir, "HEAD", { maxBytes: MAX_REF_BYTES })?.trim() ?? "";
	if (HASH.test(text)) return { branch: null, commit: text };
	const ref = parseHeadRef(text);
	if (!ref) return null;
	return { branch: /^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? ref, commit: readRefCommit(commonDir, ref) };
}

const HASH = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The ref that HEAD's text names; `null` for a name that git does not allow: the name is used as a path. */
function parseHeadRef(text: string): string | null {
	const name = /^ref:\s*(refs\/\S+)$/.exec(text)?.[1];
	const isForbidden = name?.split("/").some((part) => part === "" || part.startsWith(".") || part.endsWith(".lock"));
	return (!isForbidden && name) || null;
}

/** The hash of a ref's commit, from its own file, else from `packed-refs`; `null` where neither has it. */
function readRefCommit(commonDir: string, ref: string): string | null {
	const ownFile = readTextInside(commonDir, ref, { maxBytes: MAX_REF_BYTES })?.trim();
	if (ownFile !== undefined) return HASH.test(ownFile) ? ownFile : null;
	const packed = readTextInside(commonDir, "packed-refs", { maxBytes: MAX_PACKED_BYTES }) ?? "";
	const refStart = packed.indexOf(` ${ref}\n`);
	const hash = refStart < 0 ? "" : packed.slice(packed.lastIndexOf("\n", refStart) + 1, refStart);
	return HASH.test(hash) ? hash : null;
}

const REFLOG_LINE = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^>]*> \d+ [+-]\d{4}\t(.*)$/;
const COMMIT_ACTION =
	/^(?:commit(?: \((?:initial|merge|cherry-pick)\))?|commit( \(amend\))|revert|cherry-pick|rebase(?: -i)? \((?:pick|reword|edit|squash|fixup|continue)\)|merge (?!.*fast-forward)[^:]*): (.*)$/i;
const MAX_COMMITS = 3;
/** The longest line that git writes into the log. */
const MAX_LINE = 4_096;

/** The last commits of this working tree, newest first, as `hash title`, from git's log of HEAD; without commits that were amended or reset away. */
export function recentCommits(log: string): string[] {
	const logEntries = log.split("\n").flatMap((line) => {
		const match = line.length <= MAX_LINE ? REFLOG_LINE.exec(line) : null;
		return match ? [{ from: match[1]!, to: match[2]!, action: match[3]! }] : [];
	});
	const commits: string[] = [];
	let expectedHash = logEntries.at(-1)?.to;
	let isAmended = false;
	for (const { from, to, action } of logEntries.toReversed()) {
		const commit = COMMIT_ACTION.exec(action);
		// an entry that made no commit (checkout, reset, end of a rebase): its hash is of a commit made earlier
		if (to !== expectedHash || !commit) continue;
		if (!isAmended) commits.push(`${to.slice(0, 7)} ${commit[2]}`);
		if (commits.length === MAX_COMMITS) break;
		// the entry before this one is of the commit that was amended
		isAmended = commit[1] !== undefined;
		expectedHash = from;
	}
	return commits;
}
