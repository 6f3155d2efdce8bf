/** Half-life of an identifier's score, in calls and messages. */
const HALF_LIFE = 60;
const KEPT = 2000;
const TOKEN = /[A-Za-z0-9_./\-:@]{5,}/g;
const SHAPED = /[./_\-:@]|[a-z][A-Z]|\d/;
const NOISE = /^(?:[\d.:,-]+|[-=_.*/]+|https?:?)$/;

/** Paths, symbols, flags, ids, hosts and numbers in a text, in the order they appear, each once. */
export function identifiersOf(text: string): Set<string> {
	const found = new Set<string>();
	for (const match of text.match(TOKEN) ?? []) {
		if (match.length > MAX_LENGTH || !SHAPED.test(match)) continue;
		const token = isPlain(match) ? match : match.replace(EDGES, "");
		if (token.length >= 4 && SHAPED.test(token) && !NOISE.test(token) && token !== "__proto__") found.add(token);
	}
	return found;
}

/** Begins and ends with a letter or digit, as most do: nothing to trim. */
const isPlain = (token: string): boolean => !EDGE.includes(token[0]!) && !EDGE.includes(token.at(-1)!);
const EDGE = ".:-/";
const EDGES = /^[.:-]+(?=[A-Za-z0-9/])|[.:\-/]+$/g;
const MAX_LENGTH = 140;

/** Adds to each identifier's score, old scores fading with every call. `weight` says how much this place counts. */
export function scoreIdentifiers(
	scores: Record<string, [number, number]>,
	tokens: Iterable<string>,
	order: number,
	weight: number,
): void {
	for (const token of tokens) {
		const old = Object.hasOwn(scores, token) ? scores[token] : undefined;
		scores[token] = [(old ? old[0] * fade(order - old[1]) : 0) + weight, order];
	}
}

/** Identifiers by present score, best first. */
export function rankedIdentifiers(scores: Record<string, [number, number]>, order: number): [string, number][] {
	return Object.entries(scores)
		.map(([token, [score, at]]): [string, number] => [token, score * fade(order - at)])
		.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** Keeps the best; called when a ledger is saved. */
export function pruneIdentifiers(
	scores: Record<string, [number, number]>,
	order: number,
): Record<string, [number, number]> {
	const names = Object.keys(scores);
	if (names.length <= KEPT) return scores;
	return Object.fromEntries(
		rankedIdentifiers(scores, order)
			.slice(0, KEPT)
			.map(([token]) => [token, scores[token]!]),
	);
}

const fade = (age: number): number => 2 ** (-age / HALF_LIFE);
