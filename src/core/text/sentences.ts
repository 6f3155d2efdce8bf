/**
 * Where the sentences of a text begin and end, in order, without the white space between. One ends at its mark, at a blank line, before
 * a list's item or a heading; not at a wrapped line, at the number of a list's item, or inside a name. Linear.
 */
export function sentenceSpans(text: string): { start: number; end: number }[] {
	const ends = Array.from(text.matchAll(END), ({ index, 0: mark }) => index + mark.length);
	return [...ends, text.length].flatMap((end, n) => {
		const sentence = text.slice(ends[n - 1] ?? 0, end);
		const trimmedEnd = end - (sentence.length - sentence.trimEnd().length);
		return sentence.trim() ? [{ start: trimmedEnd - sentence.trim().length, end: trimmedEnd }] : [];
	});
}

const END =
	/(?<!^[ \t>#*-]{0,12}\d{1,3})[.!?…؟۔।][.!?…؟۔।"'”’»)\]*_`]{0,8}(?=\s|$)|[。！？；]|(?<=:)\n|\n(?=[^\S\n]{0,40}(?:\n|[-*•+] |\d{1,3}[.)] |#{1,6} ))/gm;
