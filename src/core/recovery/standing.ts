import { standingStrength } from "../state/directives.ts";
import type { Message, SessionState } from "../state/session-state.ts";
import { withdrawalsOf } from "../state/withdrawals.ts";

/** What a message lays down for the work to come. */
export interface Standing {
	/** Its sentences that stand, verbatim. */
	sentences: string[];
	/** 1 or 2: the strongest of them. */
	strength: number;
}

/** Of each message the directives that stand for the work to come; what was taken back is none. */
export function standingOf(state: SessionState, withdrawals = withdrawalsOf(state)): Map<Message, Standing> {
	const standing = new Map<Message, Standing>();
	for (const message of state.messages) {
		const back = new Set(withdrawals.get(message)?.map(({ directive }) => directive));
		const sentences = message.directives.filter((one) => !back.has(one) && standingStrength(one) > 0);
		if (sentences.length > 0)
			standing.set(message, { sentences, strength: Math.max(...sentences.map(standingStrength)) });
	}
	return standing;
}
