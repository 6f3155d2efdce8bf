import { findAssignments } from "./assignments.ts";
import { findInCommands } from "./commands.ts";
import { findEncoded } from "./encoded.ts";
import { findAlone, findInFormats } from "./formats.ts";
import { findHeaders } from "./headers.ts";
import { findNear } from "./near.ts";
import { findPrivateKeys } from "./private-keys.ts";
import { eachMatch, findAgain, type Range, replaced } from "./ranges.ts";
import { findSayings } from "./sayings.ts";
import { findInTables } from "./tables.ts";
import { findTokens } from "./tokens.ts";
import { findForeign, findTold } from "./told.ts";
import { LONG, windowsOf } from "./windows.ts";

export { trustIn } from "./secret-names.ts";
export { isSecretValue } from "./secret-values.ts";

/** One look at a text: adds what it takes for a secret. */
type Look = (text: string, found: Range[]) => void;

/** What is known by its surroundings: looked for round the words that stand beside secrets. */
const BESIDE_WORDS: readonly Look[] = [
	findHeaders,
	findAssignments,
	findInCommands,
	findTold,
	findInFormats,
	findSayings,
	findNear,
];

/** Rounds until nothing changes any more: nearly always one that changes something. The bound only guards against a loop. */
const MAX_ROUNDS = 5;

/**
 * All looks at a text, one after the other, each over the text as it is; what they find is replaced at once, and the result
 * looked at again. `first` is what is known beforehand. Loaded when the first text comes that may hold a secret: a status
 * line's never does.
 */
export function redactByRules(text: string, first: Look, depth = 0): string {
	let current = FOLD.test(text) ? replaced(text, findFolded(text, first, depth)) : text;
	for (let round = 0; round < MAX_ROUNDS; round++) {
		const next = replaced(current, findAll(current, first, depth));
		if (next === current) break;
		current = next;
	}
	return current;
}

/** What parts a secret without being of it: what nobody sees, and the joint of two texts that code puts together. */
const FOLD = /[\u00ad\u200b-\u200f\u2060\ufeff]+|(["'`])[ \t]{0,8}(?:\+|\.{1,2})[ \t]{0,8}(?:\r?\n[ \t]{0,40})?\1/;
const FOLDS = new RegExp(FOLD.source, "g");

/** The same looks over what stands round such places, without them: a secret that lies across one. */
function findFolded(text: string, first: Look, depth: number): Range[] {
	const found: Range[] = [];
	let joints: [start: number, end: number][] = [];
	const look = (): void => {
		const from = joints[0]![0] - ROUND;
		const places = joints.map(([start, end], i) => [joints[i - 1]?.[1] ?? Math.max(0, from), start, end] as const);
		const last = places.at(-1)![2];
		const parts = [
			...places.map(([from, start]) => ({ from, text: text.slice(from, start) })),
			{ from: last, text: text.slice(last, last + ROUND) },
		];
		const unfolded = (at: number): number => {
			let i = 0;
			for (; i < parts.length - 1 && at >= parts[i]!.text.length; i++) at -= parts[i]!.text.length;
			return parts[i]!.from + at;
		};
		for (const { start, end, kind } of findAll(parts.map((part) => part.text).join(""), first, depth)) {
			const range = { start: unfolded(start), end: unfolded(end - 1) + 1, kind };
			if (range.end - range.start > end - start) found.push(range);
		}
		joints = [];
	};
	eachMatch(FOLDS, text, ({ index, 0: { length } }) => {
		if (joints.length > 0 && (joints.length >= 40 || index - joints.at(-1)![1] > ROUND)) look();
		joints.push([index, index + length]);
	});
	look();
	return found;
}
const ROUND = 160;

/** What one round finds. `tell` hears which look found what, in the order of the looks. */
export function findAll(text: string, first: Look, depth = 0, tell?: (look: string, found: Range[]) => void): Range[] {
	const found: Range[] = [];
	const through = (look: Look, part = text, start = 0): void => {
		const own: Range[] = [];
		look(part, own);
		for (const range of own) found.push({ start: range.start + start, end: range.end + start, kind: range.kind });
		tell?.(look.name, found.slice(found.length - own.length));
	};
	through(first);
	const isLong = LONG.test(text);
	if (isLong) {
		through(findPrivateKeys);
		through(findTokens);
	}
	through(findInTables);
	for (const { start, end } of windowsOf(text)) {
		const part = start === 0 && end === text.length ? text : text.slice(start, end);
		for (const look of BESIDE_WORDS) through(look, part, start);
	}
	through(findForeign);
	if (isLong) {
		through(findAlone);
		through(findEncodedSecrets);
	}
	if (found.length > 0) through((whole, own) => findAgain(whole, found, own));
	return found;

	function findEncodedSecrets(whole: string, own: Range[]): void {
		findEncoded(whole, depth, (plain, deeper) => redactByRules(plain, first, deeper), own);
	}
}
