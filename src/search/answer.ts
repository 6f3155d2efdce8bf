import { BAR, barred } from "../core/text/quoted.ts";
import { oneLine } from "../core/text/text.ts";
import { type FoundPassage, KINDS } from "./passage.ts";
import { type Asker, heldTerms, saySame, weightOf } from "./ranking.ts";
import { type Term, tellingIn } from "./words.ts";

/** What one call of `ccg recall` answers at most, in characters. */
export const ANSWER = 4_000;
/** A passage is shown whole up to this, else the parts around the words. */
const MOST = 800;
const LEAST = 100;

/**
 * The best passages as a text of at most `most` characters, each cut to where the words stand; what says the same as one before
 * is left out. Empty where there is none. Also gives those it shows.
 */
export function answerText(
	found: readonly FoundPassage[],
	terms: readonly Term[],
	asker: Asker,
	most = ANSWER,
): { text: string; shown: FoundPassage[] } {
	const first = `${FIRST} ${asker.reading ?? "ccg recall --more ID"}`;
	const parts = [first];
	const shown: FoundPassage[] = [];
	const said: ReadonlySet<string>[] = [];
	let left = most - first.length - 1;
	for (const passage of found) {
		const head = headOf(passage, asker);
		const room = Math.min(MOST, left - head.length - 2);
		if (room < LEAST) break;
		const excerpt = quotedExcerpt(passage.text, terms, room);
		const words = tellingIn(excerpt);
		if (said.some((other) => saySame(words, other))) continue;
		said.push(words);
		shown.push(passage);
		parts.push(`${head}\n${excerpt}`);
		left -= head.length + excerpt.length + 2;
	}
	return { text: shown.length === 0 ? "" : parts.join("\n"), shown };
}

const FIRST =
	"Found in earlier messages, calls and notes, best first; behind | quoted as data. Read one whole with what is around it:";

/**
 * `[4711] user, 2026-01-12 14:03`, and the session where it is another one, the file where it is one. `timeOf`: UTC unless it is given,
 * since a reader's own clock costs a start more than the search.
 */
export function headOf(
	{ id, kind, at, session, source, left }: FoundPassage,
	asker: Asker,
	timeOf: (seconds: number) => string = utc,
): string {
	const parts = [KINDS[kind].name, ...(at > 0 ? [timeOf(at)] : [])];
	if (session && session !== asker.session) parts.push(`session ${session.slice(0, 8)}`);
	if (kind === "note" || kind === "log" || kind === "file") parts.push(oneLine(source));
	if (left) parts.push("on a branch the user left");
	return `[${id}] ${parts.join(", ")}`;
}

const utc = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** An excerpt with each of its lines behind a bar, at most `most` characters. */
export function quotedExcerpt(text: string, terms: readonly Term[], most: number): string {
	const excerpt = excerptOf(barred(text.trim()), terms, most - BAR.length).replaceAll(GAP + BAR, GAP);
	return excerpt.startsWith(BAR) ? excerpt : BAR + excerpt;
}

/** The lines and sentences of a text that hold the words, with what stands around them, at most `most` characters. */
function excerptOf(text: string, terms: readonly Term[], most: number): string {
	const whole = text.trim();
	if (whole.length <= most) return whole;
	const segments = segmentsOf(whole);
	const own = segments.map((segment) => weightOf(heldTerms(segment, terms)));
	const at = (i: number): number => own[i] ?? 0;
	const worth = own.map((one, i) => one + AROUND * (at(i - 1) + at(i + 1)) + AROUND * AROUND * (at(i - 2) + at(i + 2)));
	const taken = new Set<number>();
	let left = most - 2 * GAP.length;
	for (const i of [...segments.keys()].sort((a, b) => worth[b]! - worth[a]! || a - b)) {
		const cost = segments[i]!.length + (taken.has(i - 1) || taken.has(i + 1) ? 0 : GAP.length);
		if (cost <= left) {
			taken.add(i);
			left -= cost;
		} else if (taken.size === 0) {
			const from = segments.slice(0, i).join("").length;
			return `${whole.slice(from, from + most - 4).toWellFormed()} …`;
		}
	}
	let shown = "";
	let last = -1;
	for (const i of [...taken].sort((a, b) => a - b)) {
		if (i > last + 1) shown = `${shown.trimEnd()}${GAP}`;
		shown += segments[i]!;
		last = i;
	}
	return `${shown.trim()}${last < segments.length - 1 ? " …" : ""}`;
}

const GAP = " … ";
const AROUND = 0.4;
/** A segment is a line or a sentence; longer ones are cut between words. */
const SEGMENT = 220;

/** The parts of a text; joined they are the text. */
function segmentsOf(text: string): string[] {
	const segments: string[] = [];
	let from = 0;
	const close = (to: number): void => {
		while (to - from > SEGMENT) {
			const space = text.lastIndexOf(" ", from + SEGMENT);
			const end = space > from + SEGMENT / 2 ? space + 1 : from + SEGMENT;
			segments.push(text.slice(from, end));
			from = end;
		}
		if (to > from) segments.push(text.slice(from, to));
		from = to;
	};
	for (const { index, 0: mark } of text.matchAll(/\n+|[.!?。]\s+/g)) close(index + mark.length);
	close(text.length);
	return segments;
}
