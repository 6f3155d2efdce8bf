import { findAssignments } from "./assignments.ts";
import { findEncoded } from "./encoded.ts";
import { findPhrases } from "./phrases.ts";
import { JOINT, LONG_RUN } from "./plain.ts";
import { eachMatch, findRepeats, type Range, replaceRanges, type SecretFinder } from "./ranges.ts";
import { findTokens } from "./tokens.ts";

export { secretCertainty } from "./secret-names.ts";
export { isSecretValue } from "./secret-values.ts";

/** Rounds until nothing changes any more: nearly always one that changes something. The bound only guards against a loop. */
const MAX_ROUNDS = 5;

/**
 * A text with all secrets replaced that the rules and `first` (the finder of known values) find; repeated until nothing is found any
 * more. Loaded at the first text that may hold a secret: a status line's never does.
 */
export function redactByRules(text: string, first: SecretFinder, depth = 0): string {
	let current = replaceRanges(text, findAcrossJoints(text, first, depth));
	for (let round = 0; round < MAX_ROUNDS; round++) {
		const found = findAll(current, first, depth);
		if (found.length === 0) break;
		const next = replaceRanges(current, found);
		if (next === current) break;
		current = next;
	}
	return current;
}

/** The secrets that `first` and every finder of the rules find in a text. `report` is told which finder found what. */
export function findAll(
	text: string,
	first: SecretFinder,
	depth = 0,
	report?: (finder: string, found: Range[]) => void,
): Range[] {
	const found: Range[] = [];
	const run = (finder: SecretFinder): void => {
		const ranges: Range[] = [];
		finder(text, ranges);
		for (const range of ranges) found.push(range);
		report?.(finder.name, ranges);
	};
	const hasLongRun = LONG_RUN.test(text);
	run(first);
	if (hasLongRun) run(findTokens);
	for (const finder of [findAssignments, findPhrases]) run(finder);
	if (hasLongRun) run(findEncodedSecrets);
	if (found.length > 0) run(findOnceMore);
	return found;

	function findEncodedSecrets(whole: string, ranges: Range[]): void {
		findEncoded(whole, depth, (plain, deeper) => redactByRules(plain, first, deeper), ranges);
	}
	function findOnceMore(whole: string, ranges: Range[]): void {
		findRepeats(whole, found, ranges);
	}
}

/** How many characters on either side of a joint are searched together. */
const JOINT_CONTEXT = 160;
const MAX_JOINTS = 40;

/** The secrets that lie across a joint (`JOINT`): the text around it is searched once more with the joints left out. */
function findAcrossJoints(text: string, first: SecretFinder, depth: number): Range[] {
	const found: Range[] = [];
	let parts: { from: number; text: string }[] = [];
	const searchParts = (): void => {
		const placeInText = (at: number): number => {
			let i = 0;
			for (; i < parts.length - 1 && at >= parts[i]!.text.length; i++) at -= parts[i]!.text.length;
			return parts[i]!.from + at;
		};
		for (const { start, end, kind } of findAll(parts.map((part) => part.text).join(""), first, depth)) {
			const range = { start: placeInText(start), end: placeInText(end - 1) + 1, kind };
			const isAcrossJoint = range.end - range.start > end - start;
			if (isAcrossJoint) found.push(range);
		}
		parts = [];
	};
	eachMatch(JOINT, text, ({ index, 0: { length } }) => {
		const last = parts.at(-1);
		if (last && (parts.length > MAX_JOINTS || index - last.from > JOINT_CONTEXT)) searchParts();
		const beforeJoint = parts.at(-1) ?? { from: Math.max(0, index - JOINT_CONTEXT), text: "" };
		if (parts.length === 0) parts.push(beforeJoint);
		beforeJoint.text = text.slice(beforeJoint.from, index);
		parts.push({ from: index + length, text: text.slice(index + length, index + length + JOINT_CONTEXT) });
	});
	if (parts.length > 0) searchParts();
	return found;
}
