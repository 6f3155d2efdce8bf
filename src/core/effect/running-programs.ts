import { isHarmlessSetting } from "../shell/shell-names.ts";
import { begun, mayBeOption, type ShellWord } from "../shell/shell-word.ts";
import { filled } from "./find-expression.ts";
import { type OptionForm, readOptions } from "./program-options.ts";

/** The command that such a program runs, as its words; `[]` when it runs none, `null` when it can't be told. */
export type Runs = (words: ShellWord[], dashes: boolean | undefined) => ShellWord[] | null;

/** Programs that run the command that stands in their words. */
export const RUNNING: Record<string, Runs> = {
	builtin: (words) => words,
	command: (words, dashes) => {
		if (/^-[vV]$/.test(words[0]?.text ?? "")) return [];
		return behind(words, {}, dashes);
	},
	env: (words, dashes) => {
		const rest = behind(words, { flags: "i0", valued: "u", long: "ignore-environment unset= null" }, dashes);
		if (!rest) return null;
		const at = rest.findIndex(({ text }) => !text?.includes("="));
		const settings = at < 0 ? rest : rest.slice(0, at);
		const isFine = settings.every(({ text }) => {
			const [name, ...value] = text!.split("=");
			return name !== "IFS" && isHarmlessSetting(name!, value.join("="));
		});
		return isFine ? rest.slice(settings.length) : null;
	},
	nice: (words, dashes) => behind(words, { valued: "n", digits: true }, dashes),
	stdbuf: (words, dashes) => behind(words, { valued: "ioe" }, dashes),
	time: (words, dashes) => behind(words, { flags: "pvl" }, dashes),
	timeout: (words, dashes) => {
		const rest = behind(
			words,
			{ flags: "v", valued: "sk", long: "foreground preserve-status signal= kill-after=" },
			dashes,
		);
		return rest && /^[\d.]+[smhd]?$/.test(rest[0]?.shape ?? "") ? rest.slice(1) : null;
	},
	gtimeout: (words, dashes) => RUNNING.timeout!(words, dashes),
	xargs: (words, dashes) => {
		const form = {
			flags: "0rt",
			valued: "nILPsda",
			long: "null no-run-if-empty verbose max-args= max-procs= max-lines= delimiter= arg-file= exit",
		};
		const rest = behind(words, form, dashes);
		if (!rest) return null;
		const options = words.slice(0, words.length - rest.length);
		const marks = options.flatMap(({ text }, i) => (/^-[^-]*I/.test(text ?? "") ? [i] : []));
		if (marks.length === 0) return rest.length === 0 ? [] : [...rest, begun("", { split: true })];
		// of several such options one wins, and another mode ends this one
		const isOne = marks.length === 1 && !options.some(({ text }) => /^-[^-]*[nL]|^--max/.test(text ?? ""));
		const [, attached] = /^-[0rt]*I(.*)$/s.exec(options[marks[0]!]!.text!) ?? [];
		const mark = attached || options[marks[0]! + 1]?.text;
		if (!isOne || attached === undefined || !mark) return null;
		return rest.map((word) => filled(word, mark, begun("")));
	},
};

/** What stands behind a program's options: they end at its first operand. */
function behind(words: ShellWord[], form: OptionForm, dashes: boolean | undefined): ShellWord[] | null {
	let at = 0;
	while (at < words.length) {
		const { text } = words[at]!;
		if (text === null) {
			// what it is decides what is run
			if (mayBeOption(words[at]!, dashes)) return null;
			break;
		}
		if (text === "--") return words.slice(at + 1);
		if (!/^-./.test(text)) break;
		const takes = readOptions(words.slice(at, at + 1), form, dashes) ? 1 : 2;
		if (takes === 2 && !readOptions(words.slice(at, at + 2), form, dashes)) return null;
		at += takes;
	}
	return words.slice(at);
}
