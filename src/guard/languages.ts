import type { Word } from "../core/text/shell-words.ts";

/** A program whose words are a language of its own. `isOption` tells which of them may be options. */
type Reads = (words: Word[], isOption: (word: Word) => boolean) => boolean;

/** Whether what stands in the words only reads. */
export const LANGUAGES: Record<string, Reads> = {
	sed: isReadingSed,
	gsed: isReadingSed,
	awk: isReadingAwk,
	gawk: isReadingAwk,
	mawk: isReadingAwk,
	test: isPlainTest,
	"[": (words) => words.at(-1)?.text === "]" && isPlainTest(words.slice(0, -1)),
	printf: isPlainPrintf,
};

function isReadingSed(words: Word[], isOption: (word: Word) => boolean): boolean {
	const scripts: (Word | undefined)[] = [];
	let at = 0;
	// some versions end their options at the first operand
	for (; at < words.length; at++)
		if (/^-[nEr]*e$/.test(words[at]!.text ?? "")) scripts.push(words[++at]);
		else if (!/^-[nErsuz]+$/.test(words[at]!.text ?? "")) break;
	if (scripts.length === 0) scripts.push(words[at++]);
	return scripts.every((script) => script?.text && isPrintingSed(script.text)) && !words.slice(at).some(isOption);
}

/** Commands that print, delete, count or replace, behind one address or two; none that writes a file or runs a program. */
const SED = (() => {
	// versions differ on what a delimiter in brackets is
	const until = (end: string): string =>
		`(?:[^\\\\\\n[${end}]|\\\\[^\\n]|\\[\\^?(?:\\[:\\w+:\\]|[^\\][\\\\\\n${end}])+\\])*`;
	const address = `(?:\\d+|\\$|/${until("/")}/I?)`;
	const replace = ["/", "|", ",", "#", "@", ":"].map((end) => {
		const sign = end === "|" ? "\\|" : end;
		return `s${sign}${until(sign)}${sign}(?:[^\\\\\\n${sign}]|\\\\[^\\n])*${sign}[gpIi\\d]*`;
	});
	return new RegExp(
		`[\\s;]*(?:${address}(?:,[ ]*(?:${address}|\\+\\d+))?)?[ ]*!?[ ]*(?:[pdq=]|${replace.join("|")})[ \\t]*(?:[;\\n]|$)`,
		"y",
	);
})();

function isPrintingSed(script: string): boolean {
	if (script.length > 1_000) return false;
	for (SED.lastIndex = 0; SED.lastIndex < script.trimEnd().length; ) if (!SED.test(script)) return false;
	return script.trim() !== "";
}

/** What writes or runs something in awk has a name, or stands behind `print` and one of two signs. */
function isWritingAwk(program: string): boolean {
	const [, ...printed] = program.split("print");
	return (
		["system", "getline", "@", "\\\n"].some((sign) => program.includes(sign)) ||
		printed.some((part) => part.includes(">") || part.includes("|"))
	);
}

function isReadingAwk(words: Word[], isOption: (word: Word) => boolean): boolean {
	let at = 0;
	while (["-F", "-v"].includes(words[at]?.start.slice(0, 2) ?? "")) {
		const { text } = words[at]!;
		if (text === null) return false;
		const value = text.length > 2 ? words[at] : words[++at];
		if (!value || value.text === null) return false;
		at++;
	}
	const program = words[at];
	return typeof program?.text === "string" && !isOption(program) && !isWritingAwk(program.text);
}

/** Only compares: with `-v`, or where a number belongs, a shell reckons what is in the text. */
function isPlainTest(words: Word[]): boolean {
	const terms = words[0]?.text === "!" ? words.slice(1) : words;
	const [first, second] = terms.map(({ text }) => text ?? "");
	if (terms.some(({ isSplit }) => isSplit)) return false;
	if (terms.length === 2) return /^-[a-hkprsuwxzGLNOS]$/.test(first!);
	return terms.length < 2 || (terms.length === 3 && ["=", "==", "!=", "-nt", "-ot", "-ef"].includes(second!));
}

/** `-v` and `%n` set a variable; zsh reckons what is printed as a number. */
function isPlainPrintf([format, ...values]: Word[]): boolean {
	if (!format || format.text === null || format.text.startsWith("-")) return false;
	const kinds = format.text.replace(/%%/g, "").match(/%[-+ #0']*\d*(?:\.\d+)?(?:.|$)/gs) ?? [];
	const isText = (kind: string): boolean => "sbq".includes(kind.at(-1)!);
	if (kinds.every(isText)) return true;
	return (
		kinds.every((kind) => "sbqdiouxXfFeEgG".includes(kind.at(-1)!)) &&
		values.every(({ text }, i) => text !== null && (isText(kinds[i % kinds.length]!) || /^\d+$/.test(text)))
	);
}
