/**
 * A small embedding model of its own: random indexing (Kanerva, Kristoferson and Holst 2000). Each text it learns from has a sparse random vector; a
 * word is the sum of its texts' vectors, a text the sum of its words. Words that stand in the same texts become alike, though no text
 * holds both. It knows no more than what it learned from: enough to tell meaning from words in a test, nothing like a trained model.
 */
export function learnedFrom(texts: readonly string[], dimensions = 256): (text: string) => number[] {
	const words = new Map<string, Float64Array>();
	for (const [i, text] of texts.entries()) {
		const own = sparse(`${i}`, dimensions);
		for (const word of wordsIn(text)) {
			const sum = words.get(word) ?? new Float64Array(dimensions);
			for (const [at, sign] of own) sum[at]! += sign;
			words.set(word, sum);
		}
	}
	return (text) => {
		const sum = new Float64Array(dimensions);
		// what it never read still has a direction, so that no text is without one
		for (const word of wordsIn(text))
			for (const [at, value] of words.get(word)?.entries() ?? sparse(word, dimensions)) sum[at]! += value;
		return [...sum];
	};
}

const wordsIn = (text: string): Set<string> => new Set(text.toLowerCase().match(/\p{L}{4,}/gu) ?? ["nothing"]);

/** Eight places of a vector with a sign each, the same for the same text. */
function sparse(text: string, dimensions: number): [number, number][] {
	return Array.from({ length: 8 }, (_, i) => {
		const hash = Bun.hash.wyhash(`${text} ${i}`);
		return [Number(hash % BigInt(dimensions)), hash & (1n << 60n) ? 1 : -1];
	});
}
