import { redactDeep } from "../redact/deep.ts";
import { safeHead } from "../text/safe-head.ts";
import type { NamePlace } from "./identifier-weights.ts";
import { identifiersOf, scoreIdentifiers } from "./identifiers.ts";
import type { SessionState } from "./session-state.ts";

/** How much of a result counts as looked at. */
export const LOOKED_AT = 20_000;

/** The names in a result, whole. */
export const namesLookedAt = (text: string): string[] => [...identifiersOf(safeHead(text, LOOKED_AT))];

/**
 * Counts the names in what the agent looked at last, for the checkpoint of this moment: results are applied by their first lines, but what the next calls
 * need stands in the last ones anywhere (measured: 5 of 100 needed names more).
 */
export function countLookedAt(state: SessionState, results: readonly { names: readonly string[] }[]): void {
	for (const { names } of results) scoreIdentifiers(state.identifiers, names, state.order, "lookedAt");
}

/** What each part of a call's input says; parts of no name of their own count as `input`. */
export const PLACES: Record<string, NamePlace> = {
	new_string: "written",
	content: "written",
	old_string: "replaced",
	file_path: "path",
	path: "path",
	command: "command",
	pattern: "pattern",
};

/** Of one part of an input: files are written whole. */
export const MAX_INPUT = 20_000;

/** Of one input: no tool has as many parameters. */
const MAX_PARTS = 64;

/** Counts the names in a call's input, each part in its place. */
export function scoreInput(state: SessionState, input: Record<string, unknown>): void {
	let left = MAX_PARTS;
	const texts: Record<string, string> = {};
	for (const name in input) {
		const value = Object.hasOwn(input, name) ? input[name] : undefined;
		if (left-- <= 0) break;
		if (typeof value !== "string") continue;
		// also under a name that every object has
		Object.defineProperty(texts, name, { value: safeHead(value, MAX_INPUT), enumerable: true, configurable: true });
	}
	// a part's name may say that it is a secret
	for (const [name, value] of Object.entries(redactDeep(texts))) {
		const place = (Object.hasOwn(PLACES, name) && PLACES[name]) || "input";
		scoreIdentifiers(state.identifiers, identifiersOf(value), state.order, place);
	}
}
