import { mayBeOption, type ShellWord } from "../shell/shell-word.ts";
import { isPrintingAwk } from "./awk-program.ts";
import { readOptions } from "./program-options.ts";
import { isPrintingSed } from "./sed-script.ts";
import { isPlainPrintf, isPlainTest } from "./test-and-printf.ts";

/** Programs whose words are a language of their own. */
export const SPECIAL: Record<string, (words: ShellWord[], dashes: boolean | undefined | undefined) => boolean> = {
	"[": (words) => words.at(-1)?.text === "]" && isPlainTest(words.slice(0, -1)),
	test: (words) => isPlainTest(words),
	printf: (words) => isPlainPrintf(words),
	sed: isReadingSed,
	gsed: isReadingSed,
	awk: isReadingAwk,
	gawk: isReadingAwk,
	mawk: isReadingAwk,
	nawk: isReadingAwk,
	// a name behind it lists or asks; a signal ends
	kill: (words) => /^-[0l]$/.test(words[0]?.text ?? ""),
	// only reads the script
	bash: isCheckingSyntax,
	sh: isCheckingSyntax,
	zsh: isCheckingSyntax,
	node: (words) => words.length === 2 && /^(?:-c|--check)$/.test(words[0]!.text ?? "") && !mayBeOption(words[1]!, true),
	set: (words) => words.length > 0 && words.every(isShellSetting),
	tar: isListingTar,
	bsdtar: isListingTar,
};

function isReadingSed(words: ShellWord[], dashes: boolean | undefined): boolean {
	const scripts: ShellWord[] = [];
	const rest: ShellWord[] = [];
	for (let i = 0; i < words.length; i++) {
		const { text, start } = words[i]!;
		if (/^-[nErsuz]*e$/.test(text ?? "") || text === "--expression") {
			if (!words[i + 1]) return false;
			scripts.push(words[++i]!);
			if (text !== "-e") rest.push({ ...words[i]!, text: "-n", start: "-n", shape: "-n" });
		} else if (start.startsWith("--expression=")) {
			const { shape } = words[i]!;
			scripts.push({ ...words[i]!, shape: shape?.slice("--expression=".length) ?? null });
		} else rest.push(words[i]!);
	}
	const given = readOptions(
		rest,
		{
			flags: "nErsuz",
			valued: "l",
			long: "quiet silent regexp-extended separate unbuffered null-data line-length= posix debug sandbox",
		},
		dashes,
	);
	if (!given) return false;
	const [script] = given.operands;
	if (scripts.length === 0 && script) scripts.push(script);
	return scripts.length > 0 && scripts.every(({ shape }) => shape !== null && isPrintingSed(shape));
}

function isReadingAwk(words: ShellWord[], dashes: boolean | undefined): boolean {
	let at = 0;
	for (; at < words.length; at++) {
		const { text, start } = words[at]!;
		if (/^-[vF]$/.test(text ?? "")) {
			const value = words[++at];
			if (!value || value.split || value.several) return false;
		} else if (text === "--") {
			at++;
			break;
		} else if (!/^-[vF]./.test(start) || words[at]!.split) break;
	}
	// its options end at the program
	const program = words[at];
	if (!program || mayBeOption(program, dashes)) return false;
	return program.shape !== null && isPrintingAwk(program.shape);
}

function isCheckingSyntax(words: ShellWord[]): boolean {
	return words.length === 2 && words[0]!.text === "-n" && !mayBeOption(words[1]!, true);
}

/** What ends a script at a failure, or shows its steps. */
const isShellSetting = ({ text }: ShellWord): boolean =>
	/^[-+](?:[eufxv]+o?|o)$|^(?:pipefail|errexit|nounset|noglob|xtrace|verbose)$/.test(text ?? "");

/** `tar tf FILE`: a colon in the name would lead to another machine. */
function isListingTar(words: ShellWord[], dashes: boolean | undefined): boolean {
	const [mode, file, ...members] = words;
	if (mode?.text === "--version") return words.length === 1;
	if (!/^-?[tvzjJaf]+$/.test(mode?.text ?? "") || !mode!.text!.includes("t")) return false;
	if (!mode!.text!.includes("f")) return words.length === 1;
	if (!mode!.text!.endsWith("f") || !file || file.split || /:/.test(file.text ?? ":")) return false;
	return ![file, ...members].some((word) => mayBeOption(word, dashes));
}
