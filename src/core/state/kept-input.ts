import { safeHead } from "../text/safe-head.ts";

/** Of one input: what is deeper, wider or longer is left out. A question has four options, a plan 12,000 characters. */
const MAX_DEPTH = 8;
const MAX_WIDTH = 100;
const MAX_PARTS = 1_000;
const MAX_CHARS = 48_000;
const MAX_TEXT = 12_000;

/** A call's input kept until its result comes: it lies on disk until then. */
export function keptInput(input: Record<string, unknown>): Record<string, unknown> {
	let [parts, chars] = [MAX_PARTS, MAX_CHARS];
	const kept = (value: unknown, depth: number): unknown => {
		parts--;
		if (typeof value === "string") {
			const text = safeHead(value, Math.min(MAX_TEXT, chars));
			chars -= text.length;
			return text;
		}
		if (value === null || typeof value !== "object") return value;
		if (depth >= MAX_DEPTH) return null;
		const entries: [string, unknown][] = [];
		for (const name in value) {
			if (entries.length >= MAX_WIDTH || parts <= 0 || chars <= 0) break;
			entries.push([safeHead(name, 200), kept((value as Record<string, unknown>)[name], depth + 1)]);
		}
		return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
	};
	return kept(input, 0) as Record<string, unknown>;
}
