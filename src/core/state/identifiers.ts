import type * as z from "zod/mini";
import { isDrawn } from "../redact/random-looking.ts";
import { IDENTIFIER_WEIGHTS, type NamePlace } from "./identifier-weights.ts";
import type * as shapes from "./session-state-shape.ts";

const KEPT = 1200;
const TOKEN = /[A-Za-z0-9_./\-:@]{5,}/g;
const SHAPED = /[./_\-:@]|[a-z][A-Z]|\d/;
const NOISE = /^(?:[\d.:,-]+|[-=_.*/]+|https?:?)$/;

/** Paths, symbols, flags, ids, hosts and numbers in a text, in the order they appear, each once. */
export function identifiersOf(text: string): Set<string> {
	const found = new Set<string>();
	for (const match of text.match(TOKEN) ?? []) {
		if (match.length > MAX_LENGTH || !SHAPED.test(match)) continue;
		const token = isPlain(match) ? match : match.replace(EDGES, "");
		if (token.length < 4 || !SHAPED.test(token) || NOISE.test(token) || token === "__proto__") continue;
		if (!mayBePassword(token)) found.add(token);
	}
	return found;
}

/** A word drawn by lot that stands alone: no name of anything, and perhaps what opens something. Hashes and ids are names. */
const mayBePassword = (token: string): boolean =>
	token.length >= 8 && token.length <= 64 && MIXED.test(token) && /^[A-Za-z0-9]+$/.test(token) && isDrawn(token);
const MIXED = /^(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)/;

/** Begins and ends with a letter or digit, as most do: nothing to trim. */
const isPlain = (token: string): boolean => !EDGE.includes(token[0]!) && !EDGE.includes(token.at(-1)!);
const EDGE = ".:-/";
const EDGES = /^[.:-]+(?=[A-Za-z0-9/])|[.:\-/]+$/g;
const MAX_LENGTH = 140;

export type Score = z.infer<typeof shapes.score>;

/** Counts occurrences in one place of the session; old scores fade with every call. */
export function scoreIdentifiers(
	scores: Record<string, Score>,
	tokens: Iterable<string>,
	order: number,
	place: NamePlace,
): void {
	const weight = places[place];
	let many = counted.get(scores) ?? Object.keys(scores).length;
	for (const token of tokens) {
		const isKnown = Object.hasOwn(scores, token);
		const old = isKnown ? scores[token]! : NONE;
		if (!isKnown) many++;
		const age = order - old[2];
		scores[token] = [old[0] * near(age) + weight, old[1] * far(age) + weight, order];
	}
	counted.set(scores, many > MOST ? weeded(scores, order) : many);
}

/** How many names a session has at one time: seldom over 1,500. Of more the weaker half goes, before they cost memory. */
const MOST = 20_000;
const counted = new WeakMap<Record<string, Score>, number>();

function weeded(scores: Record<string, Score>, order: number): number {
	for (const [token] of rankedIdentifiers(scores, order).slice(MOST / 2)) delete scores[token];
	return MOST / 2;
}

/** Identifiers by what they are worth per character, best first. */
export function rankedIdentifiers(scores: Record<string, Score>, order: number): [string, number][] {
	return Object.entries(scores)
		.map(([token, score]): [string, number] => [token, worth(token, score, order)])
		.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

function worth(token: string, [now, ever, at]: Score, order: number): number {
	const age = order - at;
	const score = now * near(age) + farShare * ever * far(age);
	return (score ** saturation / (token.length + 2) ** lengthPenalty) * (token.includes("/") ? pathFactor : 1);
}

/** Keeps the best, with scores to three places; called when a state snapshot is saved. */
export function pruneIdentifiers(scores: Record<string, Score>, order: number): Record<string, Score> {
	if (Object.keys(scores).length <= KEPT) return scores;
	return Object.fromEntries(
		rankedIdentifiers(scores, order)
			.slice(0, KEPT)
			.map(([token]) => {
				const [now, ever, at] = scores[token]!;
				return [token, [Math.round(now * 1000) / 1000, Math.round(ever * 1000) / 1000, at]];
			}),
	);
}

const { places, halfLives, farShare, saturation, lengthPenalty, pathFactor } = IDENTIFIER_WEIGHTS;
const NONE: Score = [0, 0, 0];

/** Powers by table, filled as they are asked for: applying a transcript asks for tens of thousands. */
function fading(halfLife: number): (age: number) => number {
	const table = new Float64Array(1024);
	return (age) => {
		const known = table[age];
		if (known) return known;
		const power = 2 ** (-age / halfLife);
		if (known === 0) table[age] = power;
		return power;
	};
}
const near = fading(halfLives.near);
const far = fading(halfLives.far);
