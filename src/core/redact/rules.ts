import { findAssignments } from "./assignments.ts";
import { findInCommands } from "./commands.ts";
import { findEncoded } from "./encoded.ts";
import { findInFormats } from "./formats.ts";
import { findHeaders } from "./headers.ts";
import { findPrivateKeys } from "./private-keys.ts";
import { findAgain, type Range, replaced } from "./ranges.ts";
import { findTokens } from "./tokens.ts";
import { findTold } from "./told.ts";

export { trustIn } from "./secret-names.ts";
export { isSecretValue } from "./secret-values.ts";

/** Rounds until nothing changes any more: nearly always one that changes something. The bound only guards against a loop. */
const MAX_ROUNDS = 5;

/**
 * All looks at a text, one after the other, each over the text as it is; what they find is replaced at once, and the result
 * looked at again. `first` is what is known beforehand. Loaded when the first text comes that may hold a secret: a status
 * line's never does.
 */
export function redactByRules(text: string, first: (text: string, found: Range[]) => void, depth = 0): string {
	let current = text;
	for (let round = 0; round < MAX_ROUNDS; round++) {
		const found: Range[] = [];
		first(current, found);
		findPrivateKeys(current, found);
		findTokens(current, found);
		findHeaders(current, found);
		findAssignments(current, found);
		findInCommands(current, found);
		findTold(current, found);
		findInFormats(current, found);
		findEncoded(current, depth, (plain, deeper) => redactByRules(plain, first, deeper), found);
		if (found.length > 0) findAgain(current, found);
		const next = replaced(current, found);
		if (next === current) break;
		current = next;
	}
	return current;
}
