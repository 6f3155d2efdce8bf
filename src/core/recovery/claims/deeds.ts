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
		const found = userSays(claim.kind) ? null : judged(claim, state, state.deeds!);
		return found ? [{ sentence: cut(oneLine(claim.sentence), 300), quote: "", about: "deed" as const, ...found }] : [];
	});
}

/** Different things that one summary says were done. */
const MAX_JUDGED = 200;

type Finding = { finding: string; rank: number };

function judged(claim: DeedClaim, state: SessionState, deeds: readonly Deed[]): Finding | null {
	if (claim.kind === "test") return judgedTests(claim, state, deeds);
	return claim.kind === "edit" ? judgedEdit(claim, state, deeds) : judgedAct(claim, deeds);
}

/** What the user says to have done, or to be so: "pushed it", "I've just merged that", "that is deployed". */
const DONE: Record<DeedClaim["kind"], string> = {
	commit: "committed",
	push: "pushed",
	deploy: "deployed|live",
	test: "pass(?:es|ed|ing)?|green",
	edit: "created|wrote|edited|updated|changed",
};
/** A shell line of the user's, typed here or pasted with its prompt. */
const PROMPT = /^\s{0,8}(?:[$❯%!]|\S{1,60}[$%]) (.{2,300})$/gm;

/** Tells of a kind whether the user says that it was done. */
function sayingsOf({ messages }: SessionState): (kind: DeedClaim["kind"]) => boolean {
	const known = new Map<DeedKind, boolean>();
	let typed: Set<DeedKind> | undefined;
	const says = (kind: DeedClaim["kind"]): boolean => {
		const done = new RegExp(
			`(?:^|[.!,;:\\n]\\s{0,3}|\\b(?:i|we|already|just|it|that|is|are|was|were|been|has|have|all|everything|tests?|and)(?:['’](?:ve|s|re|m))?\\s(?:\\w{1,12}\\s){0,2})(?:${DONE[kind]})\\b|\\bdid (?:an? |the )?[\\w/ ]{0,20}${kind}`,
			"i",
		);
		typed ??= typedBy(messages);
		return (
			typed.has(kind) || typed.has("unseen") || messages.some(({ text }) => isDoneThen(kind, text) || done.test(text))
		);
	};
	return (kind) => {
		if (!known.has(kind)) known.set(kind, says(kind));
		return known.get(kind)!;
	};
}

/** "Done." to what the agent asked for; for tests, their output pasted. */
const isDoneThen = (kind: DeedKind, text: string): boolean =>
	kind === "test"
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

function judgedAct({ kind, isPassive }: DeedClaim, deeds: readonly Deed[]): Finding | null {
	const kinds: DeedKind[] = [kind];
	// a push may deploy
	if (kind === "deploy") kinds.push("push");
	else if (isPassive) kinds.push("seen history");
	if (deeds.some((one) => kinds.includes(one.kind) && isDone(one))) return null;
	const last = deeds.findLast((one) => one.kind === kind);
	if (last) return found(last, WORDS[kind].act);
	// another one of them that came to nothing may be what is meant
	if (deeds.some((one) => kinds.includes(one.kind))) return null;
	return { finding: `no call of this session ${WORDS[kind].did}`, rank: 1 };
}

/** Or may be: a call without a result may have ended all the same. */
const isDone = ({ outcome }: Deed): boolean => outcome === "done" || outcome === "maybe" || outcome === "open";

const WORDS: Record<DeedClaim["kind"], { act: string; did: string }> = {
	commit: { act: "commit", did: "made a commit" },
	push: { act: "push", did: "pushed" },
	deploy: { act: "deployment", did: "deployed anything" },
	test: { act: "test run", did: "ran tests" },
	edit: { act: "writing", did: "wrote" },
};

function found({ outcome, order, told }: Deed, act: string): Finding {
	if (outcome === "refused") return { finding: `the ${act} at call ${order} was refused and did not run`, rank: 0 };
	return { finding: `the ${act} at call ${order} failed${told ? `: ${foreign(told)}` : ""}`, rank: 0 };
}

function judgedTests({ which, isNow }: DeedClaim, state: SessionState, deeds: readonly Deed[]): Finding | null {
	const runs = deeds.filter(({ kind }) => kind === "test");
	const last = runs.at(-1);
	if (!last) return { finding: `no call of this session ${WORDS.test.did}`, rank: 1 };
	if (!runs.some(isDone)) return isNamed(which) ? null : found(last, WORDS.test.act);
	// it passed once: only what is said of the present is judged
	if (!isNow || isNamed(which) || runs.some(({ outcome }) => outcome === "maybe" || outcome === "open")) return null;
	const passed = runs.findLast(({ outcome }) => outcome === "done")!;
	if (last !== passed) return isDone(last) ? null : found(last, `last ${WORDS.test.act}`);
	const edit = deeds.findLast((one) => one.kind === "edit" && one.outcome === "done" && one.order > passed.order);
	if (!edit || NO_CODE.test(edit.what)) return null;
	return {
		finding: `${foreign(relative(edit.what, state.cwd))} was edited after the last ${WORDS.test.act} that passed (call ${passed.order})`,
		rank: 4,
	};
}
const NO_CODE = /\.(?:md|mdx|txt|rst|adoc|json|jsonl|ya?ml|toml|lock|svg|png|csv|html?|ini|cfg|conf|gitignore)$/i;
/** Some tests, not all of them: "unit" may be what every run was. */
const isNamed = (which: string): boolean => which !== "" && which !== "unit";

function judgedEdit({ file }: DeedClaim, state: SessionState, deeds: readonly Deed[]): Finding | null {
	// a command may have written it
	if (state.dropped.files || deeds.some(({ kind }) => kind === "files")) return null;
	const name = file.replace(/^(?:\.\/|~\/)+/, "");
	const edits = deeds.filter((one) => one.kind === "edit");
	const isWritten = ({ path, edits: count }: { path: string; edits: number }): boolean =>
		sameName(path, name) && count > edits.filter((one) => one.outcome === "open" && one.what === path).length;
	if (state.files.some(isWritten)) return null;
	const its = edits.filter(({ what }) => what === name || what.endsWith(`/${name}`));
	if (its.some(isDone)) return null;
	const last = its.at(-1);
	return last ? found(last, WORDS.edit.act) : { finding: `no call of this session wrote ${foreign(name)}`, rank: 1 };
}

const sameName = (path: string, name: string): boolean => path.split("/").at(-1) === name.split("/").at(-1);
