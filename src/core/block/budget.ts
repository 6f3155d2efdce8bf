import { type SessionState, spokenDecisions } from "../state/session-state.ts";

/** No hook value may be larger: Claude Code replaces more than 10,000 characters by a preview. */
export const MAX_INJECTED_CHARS = 9_500;

/** Share of the context window that both parts may take, and characters of such a text in a token. */
const SHARE = 0.025;
const CHARS_PER_TOKEN = 3.8;
const USUAL_WINDOW = 200_000;
/** What stands around the user's words. */
const AROUND = 2_000;

/**
 * Characters for both parts: what the configuration allows, and of that no more than the share of the window (tokens; `null`
 * where it is not known), but never less than the user's words need.
 */
export function recoveryBudget(maxChars: number, window: number | null, state: SessionState): number {
	const share = Math.floor((window ?? USUAL_WINDOW) * SHARE * CHARS_PER_TOKEN);
	const said =
		AROUND +
		state.messages.reduce((sum, { text }) => sum + text.length + 8, 0) +
		spokenDecisions(state).reduce((sum, { words, subject }) => sum + words.length + subject.length + 30, 0);
	return Math.min(maxChars, Math.max(share, said));
}
