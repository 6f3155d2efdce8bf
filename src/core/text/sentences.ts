/**
 * The sentences of a text as places in it, in order; what lies between them is white space. One ends at its mark, at a blank line, before
 * a list's item or a heading; not where its line is wrapped, at the number of a list's item, or inside a name. Linear.
 */
export function sentenceSpans(text: string): { start: number; end: number }[] {
	const ends = Array.from(text.matchAll(END), ({ index, 0: mark }) => index + mark.length);
	return [...ends, text.length].flatMap((end, n) => {
		const whole = text.slice(ends[n - 1] ?? 0, end);
		const last = end - (whole.length - whole.trimEnd().length);
		return whole.trim() ? [{ start: last - whole.trim().length, end: last }] : [];
	});
}

const END =
	/(?<!^[ \t>#*-]{0,12}\d{1,3})[.!?…؟۔।][.!?…؟۔।"'”’»)\]*_`]{0,8}(?=\s|$)|[。！？；]|(?<=:)\n|\n(?=[^\S\n]{0,40}(?:\n|[-*•+] |\d{1,3}[.)] |#{1,6} ))/gm;
