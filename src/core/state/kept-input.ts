import { safeHead } from "../text/safe-head.ts";

/** Of one input: what is deeper, wider or longer is left out. A question has four options, a plan 12,000 characters. */
const MAX_DEPTH = 8;
const MAX_WIDTH = 100;
const MAX_PARTS = 1_000;
const MAX_CHARS = 48_000;
const MAX_TEXT = 12_000;

/** A call's input kept until its result comes: it lies on disk until then. */
export function keptInput(input: Record<string, unknown>): Record<string, unknown> {
	const left = { parts: MAX_PARTS, chars: MAX_CHARS };
	return kept(input, left, 0) as Record<string, unknown>;
}

function kept(value: unknown, left: { parts: number; chars: number }, depth: number): unknown {
	left.parts--;
	if (typeof value === "string") {
		const text = safeHead(value, Math.min(MAX_TEXT, left.chars));
		left.chars -= text.length;
		return text;
	}
	if (value === null || typeof value !== "object") return value;
	if (depth >= MAX_DEPTH) return null;
	if (Array.isArray(value)) {
		const list: unknown[] = [];
		for (const one of value.slice(0, MAX_WIDTH)) if (left.parts > 0) list.push(kept(one, left, depth + 1));
		return list;
	}
	const object: Record<string, unknown> = {};
	let width = 0;
	for (const name in value) {
		if (!Object.hasOwn(value, name)) continue;
		if (width++ >= MAX_WIDTH || left.parts <= 0 || left.chars <= 0) break;
		const own = kept((value as Record<string, unknown>)[name], left, depth + 1);
		const descriptor = { value: own, enumerable: true, configurable: true, writable: true };
		// also under a name that every object has
		Object.defineProperty(object, safeHead(name, 200), descriptor);
	}
	return object;
}
