import { repeatsOf } from "../memory/likeness.ts";
import { standingStrength } from "../state/directives.ts";
import type { Message, SessionState } from "../state/session-state.ts";
import { withdrawalsOf } from "../state/withdrawals.ts";
import { normalised } from "../text/text.ts";

/** What a message lays down for the work to come. */
export interface Standing {
	/** Its sentences that stand and that no later message says again, verbatim. */
	sentences: string[];
	/** 1 to 3: the strongest of them. */
	strength: number;
}

/** Less than this always has room, so that nothing has to be compared. */
const FEW = 3_000;
/** Rules said more than once are the strongest: the user had to come back to them. */
const REPEATED = 3;

/**
 * Of each message the directives that stand for the work to come. What was taken back is none; where there are many, a rule that is
 * said again in nearly the same words counts once, with the newest wording.
 */
export function standingOf(state: SessionState, withdrawals = withdrawalsOf(state)): Map<Message, Standing> {
	const all = state.messages.toReversed().flatMap((message) => {
		const back = new Set(withdrawals.get(message)?.map(({ directive }) => directive));
		return message.directives
			.filter((directive) => !back.has(directive))
			.map((directive) => ({ message, directive, strength: standingStrength(directive) as number }))
			.filter(({ strength }) => strength > 0);
	});
	const chars = all.reduce((sum, { directive }) => sum + directive.length, 0);
	const repeated = chars > FEW ? repeatsIn(all.map(({ directive }) => directive)) : new Map<number, number>();
	for (const newest of repeated.values()) all[newest]!.strength = REPEATED;
	const standing = new Map<Message, Standing>();
	for (const [i, { message, directive, strength }] of all.entries()) {
		if (repeated.has(i)) continue;
		const one = standing.get(message);
		if (one) {
			one.sentences.push(directive);
			one.strength = Math.max(one.strength, strength);
		} else standing.set(message, { sentences: [directive], strength });
	}
	return standing;
}

/** Of texts, newest first, the places of those that a newer one says as well, with the newer one's place. */
function repeatsIn(texts: readonly string[]): Map<number, number> {
	const repeats = repeatsOf(texts);
	const seen = new Map<string, number>();
	for (const [i, text] of texts.entries()) {
		const key = normalised(text);
		const newer = seen.get(key);
		if (newer === undefined) seen.set(key, i);
		else if (!repeats.has(i)) repeats.set(i, newer);
	}
	return repeats;
}
