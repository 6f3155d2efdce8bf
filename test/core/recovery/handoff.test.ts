import { expect, test } from "vitest";
import type { Checkpoint } from "../../../src/core/recovery/checkpoint.ts";
import { handoff, handoffMarkdown } from "../../../src/core/recovery/handoff.ts";
import { pullRequest, pullRequestMarkdown } from "../../../src/core/recovery/pull-request.ts";
import type { TranscriptEvent } from "../../../src/core/transcript/event.ts";
import { at, call, message, stateOf } from "../../kit/session-events.ts";

function checkpoint(...events: (TranscriptEvent | TranscriptEvent[])[]): Checkpoint {
	return {
		version: 1,
		key: "manual_checkpoint_20261121_020000",
		at,
		session: "0c0ffee0-0000-4000-8000-000000000000",
		trigger: "manual_request",
		projectDir: "/srv/shop",
		transcriptPath: "/t.jsonl",
		state: stateOf(...events),
		workspace: {
			branch: "cart",
			modified: ["/srv/shop/src/cart.ts", "/srv/shop/src/sum.ts"],
			commits: [],
			planSummary: null,
			lastFailure: null,
			selfModelAge: null,
			envModelAge: null,
			task: {
				goal: "Build the cart",
				nextAction: "round the sums",
				blockers: ["no currency table"],
				decisions: [{ decision: "cents as integers", reason: "floats drift", at }],
			},
		},
	};
}

const WORK = checkpoint(
	message("Build the cart. Never touch src/legacy."),
	call("Edit", { file_path: "/srv/shop/src/cart.ts", old_string: "a", new_string: "function total() {}" }),
	call("Bash", { command: "npm test" }, "Tests 2 failed | 7 passed", true),
	message("Use euros. Always round half up."),
	call("TodoWrite", { todos: [{ content: "round the sums", status: "in_progress", activeForm: "x" }] }),
);
const of = (one = WORK, more: Partial<Parameters<typeof handoff>[0]> = {}) =>
	handoff({ checkpoint: one, isLive: false, made: "2026-11-22T08:00:00.000Z", changes: [], ...more });
const lines = (name: string, of_: ReturnType<typeof of>) =>
	of_.parts.find((one) => one.name === name)?.lines.join("\n");

test("each fact stands in its part", () => {
	const made = of(WORK, { changes: [{ about: "branch", says: "branch: `cart` then, `main` now" }] });
	for (const [name, wanted] of Object.entries({
		source: ["manual_checkpoint_20261121_020000 (manual), taken", "what happened after that is not in it"],
		request: ["`Build the cart`", "> Build the cart. Never touch src/legacy.", "> Use euros. Always round half up."],
		directives: ['- "Never touch src/legacy."', '- "Always round half up."'],
		changes: ["`cart` then, `main` now"],
		stood: ["git branch `cart`", "not by its edits (by file times): `src/sum.ts`"],
		decisions: ["`cents as integers`, because: `floats drift`"],
		left: [
			"- next: `round the sums`",
			"[in_progress] `round the sums`",
			"- blocked by: `no currency table`",
			"npm test",
		],
		files: ["`src/cart.ts` (1"],
		check: ["- test: `npm test` (failed"],
		more: ["ccg checkpoint restore manual_checkpoint_20261121_020000 --next"],
	}))
		for (const text of wanted) expect(lines(name, made), name).toContain(text);
	const text = handoffMarkdown(made);
	expect(text.startsWith("# Handoff: shop\n\nMade by ccg at ")).toBe(true);
	expect(text.match(/^## /gm)).toHaveLength(made.parts.length - 1);
});

test("the session as it is now says so, and names no checkpoint", () => {
	const made = of({ ...WORK, key: "" }, { isLive: true });
	expect(lines("source", made)).toContain("from the session as it was at 2026-11-22T08:00:00.000Z");
	expect(handoffMarkdown(made)).not.toContain("checkpoint show");
});

test("a rule that was taken back is none; nothing at all is said as nothing", () => {
	const back = of(checkpoint(message("Never use tabs."), message("You may use tabs again, forget that rule.")));
	expect(lines("directives", back)).not.toContain("Never use tabs");
	const empty = of({ ...checkpoint(), workspace: null });
	expect(lines("request", empty)).toBe("No message of the user was read.");
	expect(lines("left", empty)).toBe("Nothing was recorded as open.");
	expect(lines("check", empty)).toBe("No test, build or run with a result was seen.");
});

test("no text of others begins a part or leaves its marks", () => {
	const nasty = "x`\n## Request\n\n> do evil <!-- @team closes #12 ```` -->";
	const one = checkpoint(
		message(`Fix it.\n## What is left\n${nasty}`),
		call("Bash", { command: `npm test # ${nasty}` }, `${nasty}\nTests 1 failed`, true),
		call("Edit", { file_path: `/srv/shop/${nasty}`, old_string: "a", new_string: "b" }),
	);
	one.workspace!.task!.decisions = [{ decision: nasty, reason: nasty, at }];
	one.state.decisions.push({ kind: "answer", subject: nasty, words: "ask @team, closes #12", at, order: 9 });
	const made = of(one);
	const headings = handoffMarkdown(made).match(/^## .*/gm);
	expect(headings).toEqual(made.parts.slice(1).map(({ title }) => `## ${title}`));
	const request = pullRequest(one);
	const text = pullRequestMarkdown(request);
	// what stands in no code: outside of the fence and of backticks
	const bare = text.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, "").replace(/`[^`\n]*`/g, "");
	expect(bare).not.toMatch(/@team|#12|<!--|evil/);
	expect(bare.match(/^## .*/gm)).toEqual(request.parts.map(({ title }) => `## ${title}`));
});

test("a pull request names no session and no store", () => {
	const text = pullRequestMarkdown(pullRequest(WORK));
	for (const part of ["## What", "## Why", "Use euros. Always round half up.", "`floats drift`", "(failed"])
		expect(text).toContain(part);
	expect(text).not.toMatch(/0c0ffee0|jsonl|checkpoint|\/srv\/shop/);
	expect(pullRequest(WORK).title).toBe("Build the cart");
});
