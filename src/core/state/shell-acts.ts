const named = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Programs that only look: when they find nothing, nothing is left to be mended. */
const LOOKS = named(`
	cd pushd ls ll la cat bat head tail less more grep egrep fgrep zgrep rg ag find fd fdfind which type whereis stat file wc du tree pwd test [
	readlink realpath basename dirname sort uniq cut tr nl column echo printf true
`);
/** Programs that ask whether something is there or differs: 1 is an answer, whatever they print. */
const ASKS = named("ls which type whereis stat find fd test [ diff cmp pgrep grep egrep fgrep zgrep rg ag");
const GIT_ASKS = named("diff grep show-ref rev-parse merge-base check-ignore ls-files ls-remote cat-file");
const PRINTS = named("head tail wc sort uniq cut tr nl echo printf true");

const wordsOf = (run: string): string[] => run.split(" ", 4);
const programOf = (run: string): string => wordsOf(run)[0]!;

/** A part of a command that only looks. */
export function looksOnly(run: string): boolean {
	const [program = "", option] = wordsOf(run);
	return LOOKS.has(program) || (program === "command" && option === "-v") || (program === "sed" && option === "-n");
}

/** A part of a command whose failure is an answer: no. */
export function asks(run: string): boolean {
	const [program = "", what = "", ...more] = wordsOf(run);
	if (program === "git") return GIT_ASKS.has(what);
	if (program === "cd") return what !== "" && more.length === 0;
	return ASKS.has(program) || (program === "command" && what === "-v");
}

/** It asks, or only prints what another gave. */
export const asksOrPrints = (run: string): boolean => asks(run) || PRINTS.has(programOf(run));
