/** The text without those of the signs that stand at its end. In one pass: a pattern tries again at each of them. */
export function withoutEnd(text: string, signs: string): string {
	let end = text.length;
	while (end > 0 && signs.includes(text[end - 1]!)) end--;
	return text.slice(0, end);
}
