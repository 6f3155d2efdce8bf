import { isDrawn } from "../../src/core/redact/random-looking.ts";
import type { Had, Occasion } from "./occasions.ts";

/**
 * What a text that is given is worth: where the name in it that the next calls use could be had otherwise. `new`: nowhere, so the
 * text was of use. `idle`: the next calls use no name in it.
 */
export type Verdict = "new" | keyof Had | "idle";
/** From the best to the worst. */
export const VERDICTS = ["new", "block", "conversation", "summary", "occasion", "idle"] as const;

/** The verdict on a text, from the inputs of the next calls or, with `next`, from another text. */
export function judged(text: string, one: Occasion, next = one.next): Verdict {
	let best: Verdict = "idle";
	for (const name of namesOf(text.replaceAll(`${one.cwd}/`, ""))) {
		if (!stands(name, next)) continue;
		const source = sourceOf(name, one.had);
		if (VERDICTS.indexOf(source) < VERDICTS.indexOf(best)) best = source;
	}
	return best;
}

/** The first of what the model had that holds a name. A path counts as had when its last part is. */
export function sourceOf(name: string, had: Had): Verdict {
	const last = name.slice(name.lastIndexOf("/") + 1);
	const holds = (text: string): boolean => text.includes(name) || (last.length > 3 && text.includes(last));
	return (["occasion", "summary", "conversation", "block"] as const).find((source) => holds(had[source])) ?? "new";
}

/** Names of tool parameters, which the model has from its tools. */
const PARAMETERS = new Set("file_path old_string new_string replace_all output_mode subagent_type".split(" "));
/** Compound words of plain letters are words. */
const COMPOUND = /^[A-Z]?[a-z]+(?:[-/][A-Z]?[a-z]+)?$/;

/** The names of a text: identifiers, paths, values; lower case. */
export const namesOf = (text: string): Set<string> =>
	new Set(
		[...identifiersOf(text)]
			.filter((name) => !COMPOUND.test(name))
			.map((name) => name.replace(/^[./]+/, "").toLowerCase())
			.filter((name) => name.length > 3 && !PARAMETERS.has(name)),
	);

const LETTER = /[\p{L}\p{N}_]/u;

/** Whether a name stands in a text by itself, not as a part of a longer one. */
function stands(name: string, text: string): boolean {
	for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
		if (!LETTER.test(text[at - 1] ?? " ") && !LETTER.test(text[at + name.length] ?? " ")) return true;
	return false;
}

const TOKEN = /[A-Za-z0-9_./\-:@]{5,}/g;
const SHAPED = /[./_\-:@]|[a-z][A-Z]|\d/;
const NOISE = /^(?:[\d.:,-]+|[-=_.*/]+|https?:?)$/;

/** Paths, symbols, flags, ids, hosts and numbers in a text, in the order they appear, each once. */
function identifiersOf(text: string): Set<string> {
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
