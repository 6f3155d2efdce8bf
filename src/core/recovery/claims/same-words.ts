/** What somebody said, prepared for many look-ups. */
export interface SaidWords {
	words: string[];
	/** Whether a stop or a comma stands before a word. */
	stops: boolean[];
	/** Where each word stands. */
	places: Map<string, number[]>;
	/** All of it without what lies between words, and where each word begins in it. */
	joined: string;
	starts: number[];
	/** Pairs of words that may still be compared: a text made to be compared for long is not. */
	left: number;
}

/** Of all that was said, so many words. */
const MAX_WORDS = 200_000;

const MAX_PAIRS = 600_000;

export function saidWords(texts: Iterable<string>): SaidWords {
	const said: SaidWords = { words: [], stops: [], places: new Map(), joined: "", starts: [], left: MAX_PAIRS };
	const parts: string[] = [];
	let length = 0;
	for (const text of texts) {
		let isStop = true;
		for (const [piece] of folded(text).matchAll(PIECE)) {
			if (STOP.test(piece)) {
				isStop = true;
				continue;
			}
			if (said.words.length >= MAX_WORDS) break;
			const places = said.places.get(piece);
			if (places) places.push(said.words.length);
			else said.places.set(piece, [said.words.length]);
			said.starts.push(length);
			said.stops.push(isStop);
			said.words.push(piece);
			parts.push(piece);
			length += piece.length;
			isStop = false;
		}
	}
	said.joined = parts.join("");
	return said;
}

/** Words, each sign of scripts without spaces, stops. */
const PIECE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{N}\p{M}]+|[.,;:!?\n。，；：！？–—]/gu;
const STOP = /^[.,;:!?\n。，；：！？–—]$/;

/** Case, width, accents, emphasis, kinds of marks and short forms do not count. */
function folded(text: string): string {
	return text
		.normalize("NFKD")
		.toLowerCase()
		.replace(/\p{M}/gu, "")
		.replace(/[’‘ʼ´`]/g, "'")
		.replace(/\b(?:can|won|shan)'?t\b/g, (short) => `${{ c: "can", w: "will", s: "shall" }[short[0] as "c"]} not`)
		.replace(/\bcannot\b/g, "can not")
		.replace(/\b(do|does|did|is|are|was|were|would|should|could|has|have|had)(?:n'?t|'nt)\b/g, "$1 not")
		.replace(/n't\b/g, " not")
		.replace(
			/'(ve|re|ll|m|d)\b/g,
			(_, short: "ve") => ` ${{ ve: "have", re: "are", ll: "will", m: "am", d: "would" }[short]}`,
		)
		.replace(/['*_]/g, "")
		.replace(/(\d)[.,](?=\d)/g, "$1");
}

/**
 * Whether somebody said a text: folded, or nearly so. Typing errors may be corrected, forms of words changed, words left out, and of
 * every seven that tell something one replaced; but no number, and no "not" or "never" added or taken away.
 */
export function hasSaid(said: SaidWords, text: string): boolean {
	const words = [...folded(text).matchAll(PIECE)].map(([piece]) => piece).filter((piece) => !STOP.test(piece));
	if (words.length === 0) return true;
	return saysAsIs(said, words) || saysNearly(said, words);
}

/** As many letters as it has, one after the other, wherever the spaces are. */
function saysAsIs(said: SaidWords, words: readonly string[]): boolean {
	const joined = words.join("");
	let tries = 0;
	for (let at = said.joined.indexOf(joined); at >= 0 && tries++ < 200; at = said.joined.indexOf(joined, at + 1)) {
		const first = wordAt(said, at);
		// part of a word is no word: but a quotation may begin or end within one of two short letters
		if (joined.length < 6 && (said.starts[first] !== at || said.words[first] !== joined)) continue;
		if (!isDenied(said, first)) return true;
	}
	return false;
}

/** The word that stands at a place of the joined text. */
function wordAt({ starts }: SaidWords, at: number): number {
	let [low, high] = [0, starts.length - 1];
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (starts[middle]! <= at) low = middle;
		else high = middle - 1;
	}
	return low;
}

/** Right before it stands a word that turns it into its opposite; at a sentence's beginning "no" is an answer. */
const isDenied = ({ words, stops }: SaidWords, first: number): boolean =>
	first > 0 && !stops[first] && DENIES.test(words[first - 1]!) && !(words[first - 1] === "no" && stops[first - 1]);
const DENIES = /^(?:not|never|no|without|nicht|kein\w*|nie|ne|jamais|nunca|不|别|勿)$/;
const SMALL = new Set(
	"a an the to of in on at for with by from and or but so then that this it its is are was be been do does did can could would should will have has had i we you me my our your us there here just also too very really please ok der die das und ein eine zu le la les de des et un une el los y que".split(
		" ",
	),
);
const isContent = (word: string): boolean => !SMALL.has(word);

/** Quotations are compared with at most so many places each. */
const MAX_PLACES = 6;
const MAX_QUOTE = 120;

function saysNearly(said: SaidWords, words: readonly string[]): boolean {
	if (words.length > MAX_QUOTE) return false;
	const needed = Math.max(1, words.filter(isContent).length);
	const spare = Math.floor(needed / 7);
	return windows(said, words).some((start) => aligns(said, words, start, spare));
}

/** Where many of the words stand together, the likeliest first. */
function windows(said: SaidWords, words: readonly string[]): number[] {
	const votes = new Map<number, number>();
	let all = 0;
	words.forEach((word, i) => {
		const weight = isContent(word) ? 3 : 1;
		all += weight;
		const places = said.places.get(word);
		if (!places || places.length > 400) return;
		for (const place of places) {
			const bucket = Math.floor(Math.max(0, place - i) / 8);
			votes.set(bucket, (votes.get(bucket) ?? 0) + weight);
		}
	});
	// words left out move the others on by a bucket or two
	const near = (bucket: number): number => [0, 1, 2].reduce((sum, i) => sum + (votes.get(bucket + i) ?? 0), 0);
	return [...votes.keys()]
		.map((bucket) => [bucket, near(bucket)] as const)
		.filter(([, sum]) => sum >= all * LIKELY)
		.sort((one, other) => other[1] - one[1])
		.slice(0, MAX_PLACES)
		.map(([bucket]) => Math.max(0, bucket * 8 - 6));
}
/** Share of a quotation's words that stand there as they are. */
const LIKELY = 0.35;

/** The words in their order among those said from a place on; a word may be written as two, and two as one. */
function aligns(said: SaidWords, words: readonly string[], start: number, spare: number): boolean {
	const { words: all } = said;
	const part = all.slice(start, start + words.length * 2 + 30);
	said.left -= part.length * words.length;
	if (said.left < 0) return true;
	const width = part.length + 1;
	// the weight of what is found, and with how few words between
	const best = new Int32Array((words.length + 1) * width);
	const pair = (i: number, j: number): number => {
		const [mine, theirs] = [words[i]!, part[j]!];
		if (isSameWord(mine, theirs)) return 1;
		if (i + 1 < words.length && mine + words[i + 1]! === theirs) return 2;
		if (j + 1 < part.length && mine === theirs + part[j + 1]!) return 3;
		return 0;
	};
	const kinds = new Uint8Array(words.length * part.length);
	for (let i = words.length - 1; i >= 0; i--)
		for (let j = part.length - 1; j >= 0; j--) {
			const kind = pair(i, j);
			kinds[i * part.length + j] = kind;
			const weight = isContent(words[i]!) ? 10 : 2;
			let value = Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
			if (kind === 1) value = Math.max(value, best[(i + 1) * width + j + 1]! + weight);
			if (kind === 2) value = Math.max(value, best[(i + 2) * width + j + 1]! + 20);
			if (kind === 3) value = Math.max(value, best[(i + 1) * width + j + 2]! + weight);
			best[i * width + j] = value;
		}
	let [i, j, first, last, missing, near, denials] = [0, 0, -1, -1, 0, 0, 0];
	const isMissing = (word: string): void => {
		if (/\d/.test(word)) missing += 100;
		if (DENIES.test(word)) denials++;
		if (!isContent(word)) return;
		// another form of it: "catched" and "caught"
		if (
			part.slice(Math.max(0, j - 2), j + 3).some((one) => one[0] === word[0] && isContent(one) && !words.includes(one))
		)
			near++;
		else missing++;
	};
	while (i < words.length && j < part.length) {
		const here = best[i * width + j]!;
		const kind = kinds[i * part.length + j]!;
		const steps = kind === 2 ? [2, 1] : kind === 3 ? [1, 2] : [1, 1];
		const gain = kind === 2 ? 20 : isContent(words[i]!) ? 10 : 2;
		if (kind && here === best[(i + steps[0]!) * width + j + steps[1]!]! + gain) {
			if (first < 0) first = j;
			last = j;
			i += steps[0]!;
			j += steps[1]!;
		} else if (here === best[i * width + j + 1]!) j++;
		else isMissing(words[i++]!);
	}
	for (; i < words.length; i++) isMissing(words[i]!);
	if (first < 0 || missing > spare || missing + near > spare + 1 || denials > 0) return false;
	// what is left out may be long, but what is said with "not" is not said without
	const before = isDenied(said, start + first) ? [all[start + first - 1]!] : [];
	const span = [...before, ...part.slice(first, last + 1)];
	return span.filter((one) => DENIES.test(one)).length === words.filter((one) => DENIES.test(one)).length;
}

/** The same word, in another form or with a typing error. Numbers are the same or not. */
export function isSameWord(one: string, other: string): boolean {
	if (one === other) return true;
	const [short, long] = one.length <= other.length ? [one, other] : [other, one];
	if (short.length < 3 || long.length > 40 || long.length - short.length > 4 || /\d/.test(long)) return false;
	if (long.startsWith(short) && ENDINGS.test(long.slice(short.length))) return true;
	let same = 0;
	while (same < short.length && short[same] === long[same]) same++;
	if (same >= 4 && same >= long.length * 0.6) return true;
	if (short.length < 4 && long.length - short.length !== 0) return false;
	const errors = long.length >= 8 ? 2 : 1;
	return long.length - short.length <= errors && typingErrors(short, long) <= errors;
}
const ENDINGS = /^(?:s|d|es|ed|ing|er|ly|en|n|e)$/;

/** Letters wrong, missing, too many or swapped with the next. */
function typingErrors(one: string, other: string): number {
	let before: number[] = [];
	let row = Array.from({ length: other.length + 1 }, (_, i) => i);
	for (let i = 0; i < one.length; i++) {
		const next = [i + 1];
		for (let j = 0; j < other.length; j++) {
			let least = Math.min(row[j]! + Number(one[i] !== other[j]), row[j + 1]! + 1, next[j]! + 1);
			if (i > 0 && j > 0 && one[i] === other[j - 1] && one[i - 1] === other[j])
				least = Math.min(least, before[j - 1]! + 1);
			next.push(least);
		}
		before = row;
		row = next;
	}
	// words of three letters are too short for another letter: only swapped ones are the same
	const errors = row.at(-1)!;
	return one.length < 4 && [...one].sort().join("") !== [...other].sort().join("") ? 9 : errors;
}
