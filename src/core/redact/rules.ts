import { findAssignments } from "./assignments.ts";
import { findInCommands } from "./commands.ts";
import { findEncoded } from "./encoded.ts";
import { findAlone, findInFormats } from "./formats.ts";
import { findHeaders } from "./headers.ts";
import { findPrivateKeys } from "./private-keys.ts";
import { findAgain, type Range, replaced } from "./ranges.ts";
import { findSayings } from "./sayings.ts";
import { findInTables } from "./tables.ts";
import { findTokens } from "./tokens.ts";
import { findForeign, findTold } from "./told.ts";
import { LONG, windowsOf } from "./windows.ts";

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
		const isLong = LONG.test(current);
		if (isLong) {
			findPrivateKeys(current, found);
			findTokens(current, found);
		}
		findInTables(current, found);
		for (const { start, end } of windowsOf(current)) lookInto(current, start, end, found);
		findForeign(current, found);
		if (isLong) {
			findAlone(current, found);
			findEncoded(current, depth, (plain, deeper) => redactByRules(plain, first, deeper), found);
		}
		if (found.length > 0) findAgain(current, found);
		const next = replaced(current, found);
		if (next === current) break;
		current = next;
	}
	return current;
}

/** What is known by its surroundings. */
function lookInto(text: string, start: number, end: number, found: Range[]): void {
	const isWhole = start === 0 && end === text.length;
	const part = isWhole ? text : text.slice(start, end);
	const inPart: Range[] = [];
	findHeaders(part, inPart);
	findAssignments(part, inPart);
	findInCommands(part, inPart);
	findTold(part, inPart);
	findInFormats(part, inPart);
	findSayings(part, inPart);
	for (const range of inPart) found.push({ start: range.start + start, end: range.end + start, kind: range.kind });
}
