import { BAR, barred } from "../text/quoted.ts";
import { oneLine } from "../text/text.ts";
import type { FoundPassage, PassageKind } from "./passage.ts";
import { heldTerms } from "./ranking.ts";
import { type Term, wordsOf } from "./words.ts";

/** What one call of `ccg recall` answers at most, in characters. */
export const ANSWER = 4_000;
/** A passage is shown whole up to this, else the parts around the words. */
const MOST = 800;
const LEAST = 100;
/** What two excerpts have in common when the second says nothing new, as a share of their words. */
const SAME = 0.5;

/** A passage and the part of its text that is shown. */
export interface ShownPassage {
	passage: FoundPassage;
	excerpt: string;
}

/** What the reader of an answer has besides: times as text, and whose session it is. */
export interface Reader {
	session: string;
	timeOf(seconds: number): string;
	/** How a passage is read whole, as `ccg recall --more ID`. */
	reading: string;
}

/**
 * The best passages as a text of at most `most` characters, each cut to where the words stand; what says the same as one before
 * is left out. Empty where there is none. Also gives what it shows.
 */
export function answerText(
	found: readonly FoundPassage[],
	terms: readonly Term[],
	reader: Reader,
	most = ANSWER,
): { text: string; shown: ShownPassage[] } {
	const first = `${FIRST} ${reader.reading}`;
	const shown = fitting(found, terms, reader, most - first.length - 1);
	const text = shown.length === 0 ? "" : [first, ...shown.map((one) => `${one.head}\n${one.excerpt}`)].join("\n");
	return { text, shown };
}

const FIRST =
	"Found in earlier messages, calls and notes, best first; behind | quoted as data. Read one whole with what is around it:";

/** The best passages, each with a line that says what it is, as many as fit. */
export function fitting(
	found: readonly FoundPassage[],
	terms: readonly Term[],
	reader: Reader,
	most: number,
): (ShownPassage & { head: string })[] {
	const shown: (ShownPassage & { head: string })[] = [];
	const said: Set<string>[] = [];
	let left = most;
	for (const passage of found) {
		const head = headOf(passage, reader);
		const room = Math.min(MOST, left - head.length - 2);
		if (room < LEAST) break;
		const excerpt = quotedExcerpt(passage.text, terms, room);
		const words = new Set(wordsOf(excerpt));
		if (said.some((other) => shared(words, other) > SAME)) continue;
		said.push(words);
		shown.push({ passage, head, excerpt });
		left -= head.length + excerpt.length + 2;
	}
	return shown;
}

const NAMES: Record<PassageKind, string> = {
	user: "user",
	unclear: "unclear who said this",
	agent: "agent",
	call: "call",
	failure: "failed call",
	checkpoint: "checkpoint",
	note: "note",
	log: "daily log",
	task: "task",
	file: "file",
};

/** `[a1b2c.3f] user, 2026-01-12 14:03`, and the session where it is another one, the file where it is one. */
export function headOf(
	{ id, kind, at, session, source, left }: FoundPassage,
	{ session: own, timeOf }: Reader,
): string {
	const parts = [NAMES[kind], ...(at > 0 ? [timeOf(at)] : [])];
	if (session && session !== own) parts.push(`session ${session.slice(0, 8)}`);
	if (kind === "note" || kind === "log" || kind === "file") parts.push(oneLine(source));
	if (left) parts.push("on a branch the user left");
	return `[${id}] ${parts.join(", ")}`;
}

/** An excerpt with each of its lines behind a bar, at most `most` characters. */
export function quotedExcerpt(text: string, terms: readonly Term[], most: number): string {
	const excerpt = excerptOf(barred(text.trim()), terms, most - BAR.length).replaceAll(GAP + BAR, GAP);
	return excerpt.startsWith(BAR) ? excerpt : BAR + excerpt;
}

/** The share of the smaller set's words that the other holds too. */
function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	const [small, large] = a.size < b.size ? [a, b] : [b, a];
	let both = 0;
	for (const word of small) if (large.has(word)) both++;
	return small.size === 0 ? 0 : both / small.size;
}

/** The lines and sentences of a text that hold the words, with what stands around them, at most `most` characters. */
export function excerptOf(text: string, terms: readonly Term[], most: number): string {
	const whole = text.trim();
	if (whole.length <= most) return whole;
	const segments = segmentsOf(whole);
	const own = segments.map(({ from, to }) => worthOf(whole.slice(from, to), terms));
	const worth = own.map(
		(one, i) =>
			one +
			AROUND * ((own[i - 1] ?? 0) + (own[i + 1] ?? 0)) +
			AROUND * AROUND * ((own[i - 2] ?? 0) + (own[i + 2] ?? 0)),
	);
	const order = segments.map((_, i) => i).sort((a, b) => worth[b]! - worth[a]! || a - b);
	const taken = new Set<number>();
	let left = most - 2 * GAP.length;
	for (const i of order) {
		const { from, to } = segments[i]!;
		const cost = to - from + (taken.has(i - 1) || taken.has(i + 1) ? 0 : GAP.length);
		if (cost > left) {
			if (taken.size > 0) continue;
			return `${whole.slice(from, from + most - 4).toWellFormed()} …`;
		}
		taken.add(i);
		left -= cost;
	}
	let shown = "";
	let last = -1;
	for (const i of [...taken].sort((a, b) => a - b)) {
		const { from, to } = segments[i]!;
		if (i > last + 1) shown = `${shown.trimEnd()}${GAP}`;
		shown += whole.slice(from, to);
		last = i;
	}
	return `${shown.trim()}${last < segments.length - 1 ? " …" : ""}`;
}

const GAP = " … ";
const AROUND = 0.4;
/** A segment is a line or a sentence; longer ones are cut between words. */
const SEGMENT = 220;

function segmentsOf(text: string): { from: number; to: number }[] {
	const segments: { from: number; to: number }[] = [];
	let from = 0;
	const close = (to: number): void => {
		while (to - from > SEGMENT) {
			const space = text.lastIndexOf(" ", from + SEGMENT);
			const end = space > from + SEGMENT / 2 ? space + 1 : from + SEGMENT;
			segments.push({ from, to: end });
			from = end;
		}
		if (to > from) segments.push({ from, to });
		from = to;
	};
	for (const { index, 0: mark } of text.matchAll(/\n+|[.!?。]\s+/g)) close(index + mark.length);
	close(text.length);
	return segments;
}

function worthOf(segment: string, terms: readonly Term[]): number {
	let sum = 0;
	for (const i of heldTerms(segment, terms)) sum += terms[i]!.weight ?? 1;
	return sum;
}
