import { recoveryBlock } from "../../src/core/block/recovery-block.ts";
import { MAX_INJECTED_CHARS } from "../../src/core/config/config.ts";
import { applyToState } from "../../src/core/state/apply.ts";
import { emptyState } from "../../src/core/state/session-state.ts";
import { normalise } from "../../src/core/text/text.ts";
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
	/** With all that is injected. */
	text: string;
}

/** Plays a session, and gives what comes back after each compaction, or after those asked for (the first is 1). */
export function compacted(seed: number, shape: Shape, asked?: readonly number[]): Compacted[] {
	const state = emptyState();
	applyToState(state, { kind: "place", cwd: "/p", branch: "main", version: "2.1.330" });
	const standing = new Set<string>();
	let first: string[] = [];
	return longSession(seed, shape).flatMap((segment, n) => {
		for (const event of segment.events) applyToState(state, event);
		for (const rule of segment.rules) standing.add(rule);
		if (n === 0) first = segment.rules;
		for (const rule of segment.withdrawn) standing.delete(rule);
		const key = `precompact_checkpoint_20261121_0200${String(n).padStart(2, "0")}`;
		const path = `/home/u/.claude-memory/sessions/0a1b2c3d/checkpoints/${key}.md`;
		const input = { state, workspace: null, key, at, path, maxChars: MAX_INJECTED_CHARS, recall: "ccg recall" };
		const text = asked && !asked.includes(n + 1) ? null : recoveryBlock(input).text;
		applyToState(state, {
			kind: "boundary",
			at,
			uuid: `b${n}`,
			trigger: "auto",
			preTokens: null,
		});
		if (text === null) return [];
		const held = normalise(text);
		const missing = [...standing].filter((rule) => !held.includes(normalise(rule)));
		return [
			{
				rules: standing.size,
				first: first.filter((rule) => standing.has(rule)).length,
				missing,
				missingOfFirst: missing.filter((rule) => first.includes(rule)).length,
				text,
			},
		];
	});
}
