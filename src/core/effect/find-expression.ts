import { begun, mayBeOption, type ShellWord } from "../shell/shell-word.ts";

const ALONE =
	/^(?:-(?:H|L|P|E|X|s|x|O[0-3]|print|print0|prune|true|false|empty|depth|d|mount|xdev|readable|writable|executable|nouser|nogroup|daystart|follow|ls|quit|a|and|o|or|not|noleaf|(?:no)?ignore_readdir_race|(?:no)?warn|help|version|nocolor|hidden|nohidden)|--help|--version|[!(),])$/;
const WITH_VALUE =
	/^-(?:i?name|i?path|i?wholename|i?regex|regextype|x?type|size|[mac]time|[mac]min|[ac]?newer(?:[aBcm][aBcmt])?|user|group|uid|gid|perm|maxdepth|mindepth|links|inum|samefile|fstype|i?lname|used|printf|context|B(?:time|min)|flags|D)$/;

/**
 * The commands a find runs, each as its words; `null` when it deletes, writes, or does what is not known. `dashes`: whether a
 * file in the folder may begin with a dash.
 */
export function commandsOfFind(words: ShellWord[], dashes: boolean | undefined): ShellWord[][] | null {
	const commands: ShellWord[][] = [];
	let isPath = true;
	for (let i = 0; i < words.length; i++) {
		const { text } = words[i]!;
		if (text === null) {
			// a place to begin at, or a value that went missing
			if (!isPath || mayBeOption(words[i]!, dashes) || /^[!(),]/.test(words[i]!.start)) return null;
			continue;
		}
		if (ALONE.test(text)) {
			if (!/^-[HLPEXsx]$|^-O/.test(text)) isPath = false;
			continue;
		}
		if (!text.startsWith("-")) {
			if (!isPath) return null;
			continue;
		}
		isPath = false;
		if (WITH_VALUE.test(text)) {
			const value = words[++i];
			if (!value || value.split || value.several) return null;
			continue;
		}
		// -execdir runs in other folders, of which nothing is known here
		if (text !== "-exec") return null;
		const end = words.findIndex((word, at) => at > i && /^[;+]$/.test(word.text ?? ""));
		if (end < 0 || (words[end]!.text === "+" && words[end - 1]!.text !== "{}")) return null;
		// what is found begins as the place it is looked for in
		commands.push(words.slice(i + 1, end).map((word) => filled(word, "{}", begun("./", { several: true }))));
		i = end;
	}
	return commands;
}

/** A word in which a program puts something in place of `mark`. */
export function filled(word: ShellWord, mark: string, value: ShellWord): ShellWord {
	const at = word.text?.indexOf(mark) ?? -1;
	if (at < 0) return word;
	return begun(at > 0 ? word.text!.slice(0, at) : value.start, { split: value.split, several: value.several });
}
