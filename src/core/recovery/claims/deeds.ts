import type { DeedKind } from "../../state/deed-kinds.ts";
import type { Deed } from "../../state/deeds.ts";
import type { SessionState } from "../../state/session-state.ts";
import { foreign } from "../../text/quoted.ts";
import { cut, oneLine } from "../../text/text.ts";
import type { Claim } from "../claims.ts";
import { relative } from "../item-text.ts";
import { type DeedClaim, deedClaims } from "./deed-claims.ts";

/** A claim with how bad it is: the lower, the worse. */
export type Ranked = Claim & { rank: number };

/**
 * Statements of a summary that something was done which the record does not bear out: no call did it, the call failed, was refused
 * or has no result. Judged only where every call of the session was seen; where a script, a subagent or the user may have done it, nothing is said.
 */
export function unsupportedDeeds(summary: string, state: SessionState): Ranked[] {
	if (!state.deeds || state.partial || state.deeds.some(({ kind }) => kind === "unseen")) return [];
	const said = new Set<string>();
	return deedClaims(summary).flatMap((claim) => {
		const found = judged(claim, state, state.deeds!);
		const key = `${claim.kind} ${claim.file}`;
		if (!found || said.has(key)) return [];
		said.add(key);
		return [{ sentence: cut(oneLine(claim.sentence), 300), quote: "", about: "deed" as const, ...found }];
	});
}

type Finding = { finding: string; rank: number };

function judged(claim: DeedClaim, state: SessionState, deeds: readonly Deed[]): Finding | null {
	if (saidByUser(claim.kind, state)) return null;
	switch (claim.kind) {
		case "test":
		case "build":
		case "lint":
			return judgedCheck(claim, state, deeds);
		case "files":
		case "delete":
		case "rename":
			return judgedFile(claim, state, deeds);
		default:
			return judgedAct(claim, deeds);
	}
}

/** Words of the user's that say it was done: by the user, or as far as the user knows. */
const USER_SAYS: Partial<Record<DeedKind, RegExp>> = {
	commit: /\bcommitted\b|\bcommit (?:is|was)\b|did (?:a|the) commit|\bgit commit\b/i,
	push: /\bpushed\b|\bgit push\b|did (?:a|the) push/i,
	"force push": /\bpushed\b|\bgit push\b/i,
	merge: /\bmerged\b|\bgit (?:merge|pull)\b|\brebased\b/i,
	tag: /\btagged\b|\bgit tag\b/i,
	publish: /\bpublished\b|npm publish/i,
	release: /\breleased\b/i,
	deploy: /\bdeployed\b|\blive\b|is in prod/i,
	"open request": /\b(?:opened|created|made|have) (?:a|the) (?:PR|pull request)|pull\/\d|\bPR #?\d/i,
	"open issue": /\b(?:opened|created|filed)\b|issues\/\d|\bissue #?\d/i,
	close: /\bclosed\b/i,
	comment: /\bcommented\b/i,
	install: /\binstalled\b|\binstall\b.*\bdone\b/i,
	migrate: /\bmigrat(?:ed|ions?)\b.*\b(?:ran|run|done|applied)\b|\b(?:ran|applied)\b.*\bmigrat/i,
	serve: /\b(?:started|running|is up|localhost)\b/i,
	test: /\b(?:pass(?:es|ed|ing)?|green)\b/i,
	build: /\b(?:builds|built|compiles)\b/i,
	lint: /\b(?:clean|passes|passed)\b/i,
	files: /\bcreated\b/i,
	delete: /\b(?:deleted|removed)\b/i,
	rename: /\b(?:renamed|moved)\b/i,
};
const saidByUser = (kind: DeedKind, { messages }: SessionState): boolean =>
	messages.some(({ text }) => USER_SAYS[kind]?.test(text));

/** What does it as well: a merge may deploy, a release tags and publishes. */
const ALSO: Partial<Record<DeedKind, DeedKind[]>> = {
	commit: ["merge"],
	deploy: ["push", "publish", "release", "merge"],
	release: ["tag", "publish", "push"],
	publish: ["release"],
	tag: ["release"],
	close: ["merge"],
	comment: ["close"],
	migrate: ["deploy"],
};
const BY_OTHERS: Partial<Record<DeedKind, DeedKind[]>> = {
	commit: ["seen history"],
	push: ["seen history"],
	merge: ["seen requests", "seen history"],
	tag: ["seen history"],
	"open request": ["seen requests"],
	"open issue": ["seen requests"],
	close: ["seen requests"],
	release: ["seen requests"],
};

function judgedAct({ kind, isPassive }: DeedClaim, deeds: readonly Deed[]): Finding | null {
	const kinds = [kind, ...(ALSO[kind] ?? []), ...(isPassive ? (BY_OTHERS[kind] ?? []) : [])];
	if (deeds.some((one) => kinds.includes(one.kind) && isDone(one))) return null;
	const last = deeds.findLast((one) => one.kind === kind);
	if (last) return found(last, WORDS[kind]!.act);
	// another one of them that came to nothing may be what is meant
	if (deeds.some((one) => kinds.includes(one.kind))) return null;
	return { finding: `no call of this session ${WORDS[kind]!.did}`, rank: 1 };
}

const isDone = ({ outcome }: Deed): boolean => outcome === "done" || outcome === "maybe";

const WORDS: Partial<Record<DeedKind, { act: string; did: string }>> = {
	commit: { act: "commit", did: "made a commit" },
	push: { act: "push", did: "pushed" },
	"force push": { act: "force push", did: "force-pushed" },
	merge: { act: "merge", did: "merged anything" },
	tag: { act: "tag", did: "made a tag" },
	publish: { act: "publishing", did: "published anything" },
	release: { act: "release", did: "made a release" },
	deploy: { act: "deployment", did: "deployed anything" },
	"open request": { act: "pull request", did: "opened a pull request" },
	"open issue": { act: "issue", did: "opened an issue" },
	close: { act: "closing", did: "closed an issue or a pull request" },
	comment: { act: "comment", did: "commented on an issue or a pull request" },
	install: { act: "installation", did: "installed anything" },
	migrate: { act: "migration", did: "ran a migration" },
	serve: { act: "server", did: "started a server" },
	test: { act: "test run", did: "ran tests" },
	build: { act: "build", did: "built it" },
	lint: { act: "lint or type check", did: "ran a linter or type check" },
};

function found({ outcome, order, told }: Deed, act: string): Finding {
	if (outcome === "open") return { finding: `the ${act} at call ${order} has no result`, rank: 0 };
	if (outcome === "refused") return { finding: `the ${act} at call ${order} was refused and did not run`, rank: 0 };
	return { finding: `the ${act} at call ${order} failed${told ? `: ${foreign(told)}` : ""}`, rank: 0 };
}

/** What shows as much: who type checks builds, tests build first. */
const SHOWN_BY: Partial<Record<DeedKind, DeedKind[]>> = {
	build: ["test", "lint", "serve", "install"],
	lint: ["build"],
	test: [],
};

function judgedCheck({ kind, which, isNow }: DeedClaim, state: SessionState, deeds: readonly Deed[]): Finding | null {
	const { act, did } = WORDS[kind]!;
	const runs = deeds.filter((one) => one.kind === kind);
	if (deeds.some((one) => SHOWN_BY[kind]!.includes(one.kind) && isDone(one))) return null;
	const last = runs.at(-1);
	if (!last)
		return deeds.some((one) => SHOWN_BY[kind]!.includes(one.kind))
			? null
			: { finding: `no call of this session ${did}`, rank: 1 };
	if (!runs.some(isDone)) return isNamed(which) ? null : found(last, act);
	// it passed once: only what is said of the present is judged
	if (!isNow || isNamed(which) || runs.some(({ outcome }) => outcome === "maybe")) return null;
	const passed = runs.findLast(({ outcome }) => outcome === "done")!;
	if (last !== passed && !isDone(last)) return found(last, `last ${act}`);
	if (last !== passed) return null;
	const edit = deeds.findLast((one) => one.kind === "edit" && one.outcome === "done" && one.order > passed.order);
	if (!edit || NO_CODE.test(edit.what)) return null;
	return {
		finding: `${foreign(relative(edit.what, state.cwd))} was edited after the last ${act} that passed (call ${passed.order})`,
		rank: 4,
	};
}
const NO_CODE = /\.(?:md|mdx|txt|rst|adoc|json|jsonl|ya?ml|toml|lock|svg|png|csv|html?|ini|cfg|conf|gitignore)$/i;
/** Some tests, not all of them: "unit" may be what every run was. */
const isNamed = (which: string): boolean => which !== "" && which !== "unit";

function judgedFile({ kind, file }: DeedClaim, state: SessionState, deeds: readonly Deed[]): Finding | null {
	const name = file.replace(/^(?:\.\/|~\/)+/, "");
	const isIt = (path: string): boolean => path === name || path.endsWith(`/${name}`);
	if (state.dropped.files) return null;
	const isWritten = ({ path, edits }: { path: string; edits: number }): boolean =>
		sameName(path, name) &&
		edits > deeds.filter((one) => one.kind === "edit" && one.outcome === "open" && one.what === path).length;
	if (kind !== "delete" && state.files.some(isWritten)) return null;
	if (kind === "rename" && deeds.some((one) => one.kind === "edit" && isDone(one))) return null;
	const acts = deeds.filter((one) => one.kind === kind);
	if (deeds.some(({ kind, outcome }) => kind === "files" && outcome === "maybe") || acts.some(isDone)) return null;
	if (kind === "files") {
		const writes = deeds.filter((one) => one.kind === "edit" && isIt(one.what));
		if (writes.some(isDone)) return null;
		const last = writes.at(-1);
		return last ? found(last, "writing") : { finding: `no call of this session wrote ${foreign(name)}`, rank: 1 };
	}
	const last = acts.at(-1);
	if (last) return found(last, kind === "delete" ? "deletion" : "renaming");
	return { finding: `no call of this session ${kind === "delete" ? "deleted" : "renamed"} ${foreign(name)}`, rank: 1 };
}

const sameName = (path: string, name: string): boolean => path.split("/").at(-1) === name.split("/").at(-1);
