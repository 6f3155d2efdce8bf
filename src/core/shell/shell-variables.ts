import type { Word } from "unbash";
import { printedBy } from "./shell-printed.ts";
import { begun, DIGITS, known, type ShellWord, shellWord, type Variables } from "./shell-word.ts";

/** One assignment to a variable; without `words` anything may be in it. */
export interface GivenVariable {
	name: string;
	/** Of a loop, one of these; of an assignment the one. */
	words?: readonly Word[];
	/** Sums and counters. */
	isNumber?: boolean;
}

const NUMBERS = /^(?:[?#$!]|LINENO|RANDOM|SECONDS|EUID|UID|PPID|EPOCHSECONDS|COLUMNS|LINES)$/;

const ONE_WORD = /^[\w@%+:,./-]+$/;

/** What a text says of its variables: each is what the text gives it, or what the environment holds. */
export function variablesOf(given: GivenVariable[], home?: string): Variables {
	const byName = new Map<string, GivenVariable[]>();
	// a text with more of them is not followed
	for (const one of given.length > 64 ? [] : given) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
	// those that hold numbers if all others that are thought to do
	const numbers = new Set([...byName.keys()].filter((name) => byName.get(name)!.length <= 16));
	const cache = new Map<string, ShellWord>();
	const open = new Set<string>();

	const variables: Variables = {
		home: home ? known(home) : begun("/"),
		isNumber: (name) => (byName.has(name) ? numbers.has(name) : NUMBERS.test(name)),
		expansion(name, quoted) {
			if (variables.isNumber(name)) return DIGITS;
			if (name === "HOME") return variables.home;
			if (name === "PWD") return begun("/", { split: !quoted });
			const value = valueFor(name);
			// without quotes it is split at its blanks, and names of files are put in
			const split = quoted ? name === "@" : value.split || (value.text !== null && !ONE_WORD.test(value.text));
			return split || value.text === null ? begun(value.start, { split, glob: value.glob }) : value;
		},
		output(script, quoted) {
			const kind = printedBy(script);
			if (kind === "number") return DIGITS;
			if (kind === "numbers") return { ...DIGITS, several: !quoted };
			if (kind === "names") return begun("a", { several: !quoted });
			return begun(kind === "path" ? "/" : "", { split: !quoted });
		},
	};

	function valueFor(name: string): ShellWord {
		const found = cache.get(name);
		if (found) return found;
		// a variable that is made of itself
		if (open.has(name)) return begun("", { split: true });
		open.add(name);
		const all = byName.get(name) ?? [];
		const words = all.flatMap((one) => one.words ?? []).map((word) => shellWord(word, variables));
		let value = begun("", { split: true });
		if (all.length > 0 && all.every((one) => one.words) && words.length > 0 && words.length <= 64) {
			const split = !words.every(({ text }) => text !== null && ONE_WORD.test(text));
			const isSafe = words.every(
				({ start, several, ...word }) => !word.split && /^[^-+]/.test(start) && (!several || start),
			);
			if (words.length === 1 && !words[0]!.several && !words[0]!.split) value = { ...words[0]!, split };
			else if (isSafe) value = begun(words[0]!.start[0]!, { split });
			else if (words.every((word) => !word.split && (word.glob || /^[^-+]/.test(word.start))))
				value = begun("", { glob: true, split });
		}
		open.delete(name);
		cache.set(name, value);
		return value;
	}

	for (let changed = true; changed; ) {
		changed = false;
		for (const name of numbers) {
			const all = byName.get(name)!;
			const isOne = all.every((one) => one.isNumber || one.words?.every((word) => isNumberWord(word, variables)));
			if (isOne) continue;
			numbers.delete(name);
			cache.clear();
			changed = true;
		}
	}
	cache.clear();
	return variables;
}

function isNumberWord(word: Word, variables: Variables): boolean {
	if (/^\{\d+\.\.\d+(?:\.\.\d+)?\}$/.test(word.text)) return true;
	const { shape } = shellWord(word, variables);
	return shape !== null && /^-?\d+$/.test(shape);
}
