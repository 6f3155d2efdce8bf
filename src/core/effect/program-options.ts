import { mayBeOption, type ShellWord } from "../shell/shell-word.ts";

/** The options a program may be given, and what stands beside them. */
export interface OptionForm {
	/** Letters of options without a value. */
	flags?: string;
	/** Letters of options with one. */
	valued?: string;
	/** Long options; with `=` behind them they take a value. */
	long?: string;
	/** How many operands at most. */
	operands?: number;
	/** Some versions end their options at the first operand: what follows counts as one. */
	optionsFirst?: boolean;
	/** `-20` is an option. */
	digits?: boolean;
	/** Words that expansions decide may be options: none of them writes in the versions that are usual. */
	loose?: boolean;
	/** Values may begin with a dash. */
	dashes?: boolean;
	/** Other words that are allowed, to the letter. */
	exact?: RegExp;
	/** One of these options must be given. */
	needs?: readonly string[];
	/** Further things to ask of an operand. */
	operand?: (word: ShellWord) => boolean;
}

/** What a program is given, read by its form. */
export interface GivenOptions {
	/** Options as they are named: `-n`, `--name`. */
	options: string[];
	operands: ShellWord[];
}

/**
 * Reads a program's words by the form; `null` where a word is no option the form knows, or may become one. Abbreviations of
 * long options are not known.
 */
export function readOptions(words: ShellWord[], form: OptionForm, dashes: boolean | undefined): GivenOptions | null {
	const { flags = "", valued = "", long = "", operands: most = Number.POSITIVE_INFINITY } = form;
	const longs = new Set(long.split(" ").filter(Boolean));
	const options: string[] = [];
	const operands: ShellWord[] = [];
	let isEnd = false;
	for (let i = 0; i < words.length; i++) {
		const word = words[i]!;
		const { text } = word;
		const takeValue = (): boolean => {
			const value = words[++i];
			if (!value) return false;
			if (form.loose) return true;
			return !value.split && !value.several && (form.dashes || !mayBeOption(value, dashes) || /^-\d/.test(value.start));
		};
		if (isEnd || !mayBeOption(word, dashes)) {
			operands.push(word);
		} else if (text === null) {
			// of `--name=…` the name is known
			const name = /^--([\w-]+)=/.exec(word.start)?.[1];
			if (name && !word.split && longs.has(`${name}=`)) options.push(`--${name}`);
			else if (!form.loose || /^[-+]/.test(word.start) || (word.glob && dashes)) return null;
			else operands.push(word);
		} else if (text === "--") {
			isEnd = true;
		} else if (form.exact?.test(text)) {
			options.push(text);
		} else if (text.startsWith("--")) {
			const [, name, value] = /^--([\w-]+)(=[\s\S]*)?$/.exec(text) ?? [];
			if (!name) return null;
			if (longs.has(`${name}=`)) {
				if (value === undefined && !takeValue()) return null;
			} else if (!longs.has(name)) return null;
			options.push(`--${name}`);
			if (operands.length > 0 && form.optionsFirst) operands.push(word);
		} else if (text.startsWith("-") && !(form.digits && /^-\d+$/.test(text))) {
			for (let at = 1; at < text.length; at++) {
				const letter = text[at]!;
				options.push(`-${letter}`);
				if (flags.includes(letter)) continue;
				if (!valued.includes(letter)) return null;
				if (at === text.length - 1 && !takeValue()) return null;
				break;
			}
			if (operands.length > 0 && form.optionsFirst) operands.push(word);
		} else if (text.startsWith("+")) {
			operands.push(word);
		}
	}
	if (operands.length > most) return null;
	if (form.needs && !form.needs.some((name) => options.includes(name))) return null;
	if (most !== Number.POSITIVE_INFINITY && operands.some((word) => word.split || word.several)) return null;
	return !form.operand || operands.every(form.operand) ? { options, operands } : null;
}
