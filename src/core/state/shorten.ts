import { mayDirect } from "./directives.ts";
import { ownText } from "./own-text.ts";
import { type Span, sentenceSpans, sentencesOf } from "./sentences.ts";

/** What is left out is said where it stood: this many characters at most. */
const NOTE = 32;
const HEAD = 0.45;
const TAIL = 0.3;

/**
 * A long text within `max` characters: its beginning, its end (requests end in the point), and of what lies between the
 * sentences of `keep` and others that direct; `missing`: characters that are left out. Cut between sentences; inside one only where a single one is longer than its share.
 */
export function shorten(text: string, max: number, keep: readonly string[] = []): { text: string; missing: number } {
	if (text.length <= max) return { text, missing: 0 };
	const spans = sentenceSpans(text);
	const first = keep.flatMap((sentence) => {
		const start = text.indexOf(sentence);
		return start < 0 ? [] : [{ start, end: start + sentence.length }];
	});
	// nobody said what stands in a paste
	const own = new Set(sentencesOf(ownText(text)));
	const price = first.reduce((sum, { start, end }) => sum + end - start + NOTE, 0);
	const room = Math.max(0, max - NOTE - price);
	const head = headOf(text, spans, Math.floor(room * HEAD));
	const tail = tailOf(text, spans, Math.floor(room * TAIL), head);
	const kept: Span[] = [{ start: 0, end: head }, { start: tail, end: text.length }, ...first];
	let left = room - head - (text.length - tail);
	for (const { start, end } of spans) {
		if (start < head || end > tail) continue;
		const price = end - start + NOTE;
		const sentence = text.slice(start, end);
		if (price > left || !own.has(sentence) || !mayDirect(sentence)) continue;
		kept.push({ start, end });
		left -= price;
	}
	return joined(text, apart(kept));
}

function headOf(text: string, spans: readonly Span[], room: number): number {
	const last = spans.findLast(({ end }) => end <= room);
	if (last && last.end > room / 3) return last.end;
	const space = text.lastIndexOf(" ", room);
	return wholeCharacter(text, space > room / 2 ? space : room);
}

function tailOf(text: string, spans: readonly Span[], room: number, lowest: number): number {
	const from = Math.max(lowest, text.length - room);
	const first = spans.find(({ start }) => start >= from);
	if (first && text.length - first.start > room / 3) return first.start;
	const space = text.indexOf(" ", from);
	return wholeCharacter(text, space >= 0 && space - from < room / 2 ? space + 1 : from);
}

/** Not between the two halves of a character. */
function wholeCharacter(text: string, at: number): number {
	const code = text.charCodeAt(at);
	return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

function apart(spans: Span[]): Span[] {
	const kept: Span[] = [];
	for (const span of spans.sort((a, b) => a.start - b.start)) {
		const last = kept.at(-1);
		if (last && span.start <= last.end) last.end = Math.max(last.end, span.end);
		else kept.push({ ...span });
	}
	return kept;
}

function joined(text: string, kept: readonly Span[]): ReturnType<typeof shorten> {
	let result = "";
	let missing = 0;
	let done = 0;
	for (const { start, end } of kept) {
		if (start > done && text.slice(done, start).trim()) {
			missing += start - done;
			result += `${result && !result.endsWith("\n") ? " " : ""}[…${start - done} characters…] `;
		} else result += text.slice(done, start);
		result += text.slice(start, end);
		done = end;
	}
	return { text: result, missing };
}
