import { findAssignments } from "./assignments.ts";
import { findEncoded } from "./encoded.ts";
import { findPhrases } from "./phrases.ts";
import { FOLD, LONG } from "./plain.ts";
import { eachMatch, findAgain, type Look, type Range, replaceRanges } from "./ranges.ts";
import { findTokens } from "./tokens.ts";

export { trustIn } from "./secret-names.ts";
export { isSecretValue } from "./secret-values.ts";

/** Rounds until nothing changes any more: nearly always one that changes something. The bound only guards against a loop. */
const MAX_ROUNDS = 5;

/**
 * All looks at a text, one after the other, each over the text as it is; what they find is replaced at once, and the result
 * looked at again. `first` is what is known beforehand. Loaded when the first text comes that may hold a secret: a status
 * line's never does.
 */
export function redactByRules(text: string, first: Look, depth = 0): string {
	let current = replaceRanges(text, findFolded(text, first, depth));
	for (let round = 0; round < MAX_ROUNDS; round++) {
		const found = findAll(current, first, depth);
		if (found.length === 0) break;
		const next = replaceRanges(current, found);
		if (next === current) break;
		current = next;
	}
	return current;
}

/** What one round finds. `tell` hears which look found what, in the order of the looks. */
export function findAll(text: string, first: Look, depth = 0, tell?: (look: string, found: Range[]) => void): Range[] {
	const found: Range[] = [];
	const through = (look: Look): void => {
		const own: Range[] = [];
		look(text, own);
		for (const range of own) found.push(range);
		tell?.(look.name, own);
	};
	const isLong = LONG.test(text);
	through(first);
	if (isLong) through(findTokens);
	for (const look of [findAssignments, findPhrases]) through(look);
	if (isLong) through(findEncodedSecrets);
	if (found.length > 0) through(findOnceMore);
	return found;

	function findEncodedSecrets(whole: string, own: Range[]): void {
		findEncoded(whole, depth, (plain, deeper) => redactByRules(plain, first, deeper), own);
	}
	function findOnceMore(whole: string, own: Range[]): void {
		findAgain(whole, found, own);
	}
}

/** So much on either side of such a place is looked at without it. */
const ROUND = 160;
const MAX_FOLDS = 40;

/** What the same looks find only where the joints are left out: a secret that lies across one. */
function findFolded(text: string, first: Look, depth: number): Range[] {
	const found: Range[] = [];
	let parts: { from: number; text: string }[] = [];
	const look = (): void => {
		const place = (at: number): number => {
			let i = 0;
			for (; i < parts.length - 1 && at >= parts[i]!.text.length; i++) at -= parts[i]!.text.length;
			return parts[i]!.from + at;
		};
		for (const { start, end, kind } of findAll(parts.map((part) => part.text).join(""), first, depth)) {
			const range = { start: place(start), end: place(end - 1) + 1, kind };
			if (range.end - range.start > end - start) found.push(range);
		}
		parts = [];
	};
	eachMatch(FOLD, text, ({ index, 0: { length } }) => {
		const last = parts.at(-1);
		if (last && (parts.length > MAX_FOLDS || index - last.from > ROUND)) look();
		const open = parts.at(-1) ?? { from: Math.max(0, index - ROUND), text: "" };
		if (parts.length === 0) parts.push(open);
		open.text = text.slice(open.from, index);
		parts.push({ from: index + length, text: text.slice(index + length, index + length + ROUND) });
	});
	if (parts.length > 0) look();
	return found;
}
