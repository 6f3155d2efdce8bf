import type { ParsedScript } from "unbash";
import { begun, mayBeOption, type ShellWord, shellWord, type Variables } from "./shell-word.ts";

/** What kind of text a script prints, where that is known: a number or more, names without a dash before them, one path. */
export type Printed = "number" | "numbers" | "names" | "path" | null;

/** Of a command substitution, by the last command of its pipeline. */
export function printedBy(script: ParsedScript | undefined): Printed {
	if (script?.commands.length !== 1) return null;
	let node = script.commands[0]!.command;
	if (node.type === "Pipeline") node = node.commands.at(-1)!;
	if (node.type !== "Command" || !node.name) return null;
	const words = [node.name, ...node.args].map((word) =>
		word.type === "Word" ? shellWord(word, NOTHING_KNOWN) : begun("", { split: true }),
	);
	const [name, ...rest] = words;
	return kindOf(name!.text, rest);
}

function kindOf(name: string | null, words: ShellWord[]): Printed {
	const texts = words.map(({ text }) => text);
	const options = texts.filter((text) => text?.startsWith("-"));
	const operands = words.filter(({ text }) => !text?.startsWith("-"));
	const isPlain = !operands.some((word) => word.several || mayBeOption(word, true));
	switch (name) {
		case "wc":
			return texts.length === 1 && /^-[lwcm]$/.test(texts[0] ?? "") ? "number" : null;
		case "nproc":
			return "number";
		case "seq":
			return texts.length > 0 && texts.every((text) => /^\d+$/.test(text ?? "")) ? "numbers" : null;
		case "date":
			return texts.length === 1 && /^\+%[sYmdHMSjuyU]$/.test(texts[0] ?? "") ? "number" : null;
		case "stat":
			return texts[0] === "-c" && /^%[sYaughXZ]$/.test(texts[1] ?? "") && texts.length === 3 ? "number" : null;
		case "grep":
			// of several files each count comes with its name
			return options.some((one) => /^-[a-zA-Z]*c/.test(one!)) &&
				!options.some((one) => /^-\w*[rRHef]|^--/.test(one!)) &&
				operands.length <= 2 &&
				!operands.slice(1).some((word) => word.several || word.split)
				? "number"
				: null;
		case "pwd":
			return "path";
		case "realpath":
		case "which":
			return operands.length === 1 && options.length === 0 && isPlain ? "path" : null;
		case "git":
			return isPlain ? ofGit(texts[0] ?? null, options as string[]) : null;
		default:
			return null;
	}
}

function ofGit(subcommand: string | null, options: string[]): Printed {
	if (subcommand === "merge-base") return options.every((one) => one === "--fork-point") ? "names" : null;
	if (subcommand === "rev-list") {
		if (options.includes("--count")) return "number";
		return options.every((one) => /^(?:-n?\d+|--max-count=\d+|--all|--max-parents=0)$/.test(one)) ? "names" : null;
	}
	if (subcommand !== "rev-parse") return null;
	if (options.length === 1 && /^--(?:show-toplevel|absolute-git-dir)$/.test(options[0]!)) return "path";
	return options.every((one) => /^(?:--short(?:=\d+)?|--verify|--quiet|-q|--abbrev-ref)$/.test(one)) ? "names" : null;
}

const NOTHING_KNOWN: Variables = {
	home: begun("/"),
	expansion: () => begun("", { split: true }),
	output: () => begun("", { split: true }),
	isNumber: () => false,
};
