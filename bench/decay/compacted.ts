import { firstBlock, followUpBlock } from "../../src/core/block/recovery-block.ts";
import { applyToState } from "../../src/core/state/apply.ts";
import { emptyState, type SessionState } from "../../src/core/state/session-state.ts";
import { normalised } from "../../src/core/text/text.ts";
import { at } from "../../test/kit/session-events.ts";
import { longSession, type Shape } from "./long-session.ts";

/** What the model has after a compaction of a made-up session. */
export interface Compacted {
	/** Rules that stand, of these those of the first segment. */
	rules: number;
	first: number;
	/** Those that are not there word for word. */
	missing: string[];
	missingOfFirst: number;
	/** Rules that were taken back and stand there as if they were in force. */
	revived: string[];
	/** Characters of the first part and of the second. */
	sizes: [number, number];
	text: string;
}

/** A summary that keeps nothing. */
const SUMMARY = "Work went on.";
const MAX_CHARS = 8_000;

/** Plays a session, and gives what comes back after each compaction, or after those asked for (the first is 1). */
export function compacted(seed: number, shape: Shape, asked?: readonly number[]): Compacted[] {
	const state = emptyState();
	applyToState(state, { kind: "place", cwd: "/p", branch: "main", version: "2.1.330" });
	const standing = new Set<string>();
	const withdrawn: string[] = [];
	let first: string[] = [];
	return longSession(seed, shape).flatMap((segment, n) => {
		for (const event of segment.events) applyToState(state, event);
		for (const rule of segment.rules) standing.add(rule);
		if (n === 0) first = segment.rules;
		for (const rule of segment.withdrawn) standing.delete(rule);
		withdrawn.push(...segment.withdrawn);
		const blocks = asked && !asked.includes(n + 1) ? null : blocksOf(state, n);
		applyToState(state, {
			kind: "boundary",
			at,
			uuid: `b${n}`,
			trigger: "auto",
			preTokens: null,
		});
		if (!blocks) return [];
		const { sizes, text } = blocks;
		const held = normalised(text);
		const lines = text.split("\n").filter((line) => !/; until |the user later said/.test(line));
		const missing = [...standing].filter((rule) => !held.includes(normalised(rule)));
		return [
			{
				rules: standing.size,
				first: first.filter((rule) => standing.has(rule)).length,
				missing,
				missingOfFirst: missing.filter((rule) => first.includes(rule)).length,
				revived: withdrawn.filter((rule) => lines.some((line) => line.includes(rule))),
				sizes,
				text,
			},
		];
	});
}

/** Both parts as they are given after a compaction. */
function blocksOf(state: SessionState, n: number): Pick<Compacted, "sizes" | "text"> {
	const key = `precompact_checkpoint_20261121_0200${String(n).padStart(2, "0")}`;
	const input = {
		state,
		workspace: null,
		key,
		path: `/home/u/.claude-memory/sessions/0a1b2c3d/checkpoints/${key}.md`,
		maxChars: MAX_CHARS,
		recall: "ccg recall",
	};
	const block = firstBlock(input);
	const rest = { ...input, maxChars: input.maxChars - block.text.length - 1 };
	const later = followUpBlock(rest, new Set(block.ids), SUMMARY, []);
	return {
		sizes: [block.text.length, later?.text.length ?? 0],
		text: `${block.text}\n${later?.text ?? ""}`,
	};
}
