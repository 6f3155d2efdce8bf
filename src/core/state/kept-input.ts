import { safeHead } from "../text/safe-head.ts";

/** Bounds of a kept input: what is deeper, wider or longer is left out. A question has four options, a plan 12,000 characters. */
const MAX_DEPTH = 8;
const MAX_WIDTH = 100;
const MAX_PARTS = 1_000;
const MAX_CHARS = 48_000;
const MAX_TEXT = 12_000;

/** Copies a call's input within these bounds, with safe texts: the copy lies on disk until the call's result comes. */
export function copyWithinBounds(input: Record<string, unknown>): Record<string, unknown> {
	let [partsLeft, charsLeft] = [MAX_PARTS, MAX_CHARS];
	const copyOf = (value: unknown, depth: number): unknown => {
		partsLeft--;
		if (typeof value === "string") {
			const text = safeHead(value, Math.min(MAX_TEXT, charsLeft));
			charsLeft -= text.length;
			return text;
		}
		if (value === null || typeof value !== "object") return value;
		if (depth >= MAX_DEPTH) return null;
		const entries: [string, unknown][] = [];
		for (const name in value) {
			if (entries.length >= MAX_WIDTH || partsLeft <= 0 || charsLeft <= 0) break;
			entries.push([safeHead(name, 200), copyOf((value as Record<string, unknown>)[name], depth + 1)]);
		}
		return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
	};
	return copyOf(input, 0) as Record<string, unknown>;
}
