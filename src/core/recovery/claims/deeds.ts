import type * as z from "zod/mini";
import { type DeedKind, deedsOfCommand } from "../../state/deed-kinds.ts";
import type { Deed } from "../../state/deeds.ts";
import type { SessionState } from "../../state/session-state.ts";
import { foreign } from "../../text/quoted.ts";
import { cut, oneLine } from "../../text/text.ts";
import { relative } from "../item-text.ts";
import type * as stored from "../stored-shapes.ts";
import type { DeedClaim } from "./deed-claim.ts";
import { deedClaims } from "./deed-claims.ts";
import { FOREIGN_WORDS } from "./foreign-deeds.ts";

/** A claim with how bad it is: the lower, the worse. */
export type Ranked = z.infer<typeof stored.claim> & { rank: number };

/**
 * Statements of a summary that something was done which the record does not bear out: no call did it, the call failed or was refused.
 * Judged only where every call of the session was seen; where a script, a subagent or the user may have done it, nothing is said.
 */
export function unsupportedDeeds(summary: string, state: SessionState): Ranked[] {
	if (!state.deeds || state.partial || state.deeds.some(({ kind }) => kind === "unseen")) return [];
	const seen = new Set<string>();
	const userSays = sayingsOf(state);
	return deedClaims(summary).flatMap((claim) => {
		const key = `${claim.kind} ${claim.file} ${claim.isNow}`;
		if (seen.has(key) || seen.size >= MAX_JUDGED) return [];
		seen.add(key);
		const isUsers = userSays(claim.kind) || (claim.isForeign && saysAbroad(claim.kind, state));
		const found = isUsers ? null : judged(claim, state, state.deeds!);
		return found ? [{ sentence: cut(oneLine(claim.sentence), 300), quote: "", about: "deed" as const, ...found }] : [];
	});
}

const saysAbroad = (kind: DeedKind, { messages }: SessionState): boolean =>
	messages.some(({ text }) => FOREIGN_WORDS[kind]?.test(text));

/** Different things that one summary says were done. */
const MAX_JUDGED = 200;

type Finding = { finding: string; rank: number };

function judged(claim: DeedClaim, state: SessionState, deeds: readonly Deed[]): Finding | null {
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

/** What the user says to have done, or to be so: "pushed it", "I've just merged that", "that is deployed". */
const DONE: Partial<Record<DeedKind, string>> = {
	commit: "committed",
	push: "pushed",
	"force push": "pushed",
	merge: "merged|rebased",
	tag: "tagged",
	publish: "published",
	release: "released",
	deploy: "deployed|live",
	"open request": "opened|created|made|have a PR",
	"open issue": "opened|created|filed",
	close: "closed",
	comment: "commented",
	install: "installed",
	migrate: "ran|run|applied|migrated",
	serve: "started|running|up",
	test: "pass(?:es|ed|ing)?|green",
	build: "builds|built|compiles",
	lint: "clean|pass(?:es|ed)?",
	files: "created|wrote",
	delete: "deleted|removed",
	rename: "renamed|moved",
};
/** A shell line of the user's, typed here or pasted with its prompt. */
const PROMPT = /^\s{0,8}(?:[$❯%!]|\S{1,60}[$%]) (.{2,300})$/gm;
const REQUEST_LINK = /pull\/\d|\bPR #?\d|issues\/\d/;
const OF_REQUESTS = new Set<DeedKind>(["open request", "merge", "close", "open issue", "comment"]);

/** Tells of a kind whether the user says that it was done. */
function sayingsOf({ messages }: SessionState): (kind: DeedKind) => boolean {
	const known = new Map<DeedKind, boolean>();
	let typed: Set<DeedKind> | undefined;
	const says = (kind: DeedKind): boolean => {
		const done = new RegExp(
			`(?:^|[.!,;:\\n]\\s{0,3}|\\b(?:i|we|already|just|it|that|is|are|was|were|been|has|have|all|everything|tests?|and)(?:['’](?:ve|s|re|m))?\\s(?:\\w{1,12}\\s){0,2})(?:${DONE[kind] ?? "done"})\\b|\\bdid (?:an? |the )?[\\w/ ]{0,20}${kind}`,
			"i",
		);
		typed ??= typedBy(messages);
		return (
			typed.has(kind) ||
			typed.has("unseen") ||
			messages.some(
				({ text }) => isDoneThen(kind, text) || done.test(text) || (OF_REQUESTS.has(kind) && REQUEST_LINK.test(text)),
			)
		);
	};
	return (kind) => {
		if (!known.has(kind)) known.set(kind, says(kind));
		return known.get(kind)!;
	};
}

/** "Done." to what the agent asked for; for tests, their output pasted. */
const isDoneThen = (kind: DeedKind, text: string): boolean =>
	kind === "test" || kind === "build" || kind === "lint"
		? /\b\d+ pass(?:ed|ing)\b|^(?:ok|PASS)\b/m.test(text)
		: text.length <= 80 &&
			/\b(?:done|did (?:it|that|so)|i (?:did|ran|have done)|finished|erledigt|fertig|fait|hecho|listo)\b|完成|好了/i.test(
				text,
			);

/** What the user's own shell lines may have done. */
function typedBy(messages: SessionState["messages"]): Set<DeedKind> {
	const kinds = new Set<DeedKind>();
	let lines = 0;
	for (const { text } of messages)
		for (const [, command] of text.matchAll(PROMPT)) {
			if (lines++ > MAX_TYPED) return kinds.add("unseen");
			const { sure, maybe } = deedsOfCommand(command!);
			for (const kind of [...sure, ...maybe]) kinds.add(kind);
		}
	return kinds;
}
const MAX_TYPED = 500;

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

/** Or may be: a call without a result may have ended all the same. */
const isDone = ({ outcome }: Deed): boolean => outcome === "done" || outcome === "maybe" || outcome === "open";

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
	if (!isNow || isNamed(which) || runs.some(({ outcome }) => outcome === "maybe" || outcome === "open")) return null;
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
	const isWritten = ({ path, edits }: { path: string; edits: number }): boolean => sameName(path, name) && edits > 0;
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
