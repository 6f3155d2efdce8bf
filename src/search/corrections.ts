import { type Withdrawal, withdrawalsOf } from "../core/state/withdrawals.ts";
import { oneLine } from "../core/text/text.ts";
import { quietly } from "../files/quietly.ts";
import { isRevokedIn, readRecord } from "../store/session/records.ts";
import { sessionAt } from "../store/session-handle.ts";
import type { FoundPassage } from "./passage.ts";

/**
 * Tells what of a shown text of the user's they took back later, by the record of its session: the very sentence of the message of that
 * time. Where all was taken back at once, what was meant of it is not told.
 */
export function correctionsBy(root: string): (passage: FoundPassage, shown: string) => Withdrawal[] {
	const known = new Map<string, ReturnType<typeof withdrawalsOf>>();
	return ({ kind, session, at }, shown) => {
		if (kind !== "user" || !session) return [];
		const taken = known.get(session) ?? takenIn(root, session);
		known.set(session, taken);
		const said = oneLine(shown);
		const own = [...taken].filter(([message]) => Math.floor(Date.parse(message.at) / 1000) === at);
		return own
			.flatMap(([, all]) => all)
			.filter(({ directive, isAll, later }) => !isAll && Date.parse(later.at) > 0 && said.includes(oneLine(directive)));
	};
}

function takenIn(root: string, session: string): ReturnType<typeof withdrawalsOf> {
	const own = sessionAt({ root, tell: () => {} }, session);
	const state = quietly(() => (isRevokedIn(own) ? readRecord(own)?.record.state : undefined));
	return state ? withdrawalsOf(state) : new Map();
}
