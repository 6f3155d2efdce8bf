import { readJson, writeJson } from "./json-file.ts";
import { learnedPath } from "./paths.ts";

const KEPT = 16;

/** Automatic compactions seen, by `CompactionTrigger.observedKey`, oldest first. */
interface Learned {
	observed: Record<string, { uuid: string; preTokens: number }[]>;
}

/** `preTokens` of the compactions seen under a key, oldest first. A missing or broken file gives none. */
export function observedTriggers(root: string): (key: string) => number[] {
	const learned = readJson<Learned>(learnedPath(root));
	return (key) => {
		const list = learned?.observed?.[key];
		return Array.isArray(list) ? list.map((one) => one?.preTokens).filter((tokens) => Number.isFinite(tokens)) : [];
	};
}

/**
 * Keeps a compaction once per boundary. Two sessions that learn in the same moment may lose one observation; the next
 * compaction brings another.
 */
export function recordTrigger(root: string, key: string, boundary: { uuid: string; preTokens: number }): void {
	const learned = readJson<Learned>(learnedPath(root)) ?? {};
	const observed = typeof learned.observed === "object" && learned.observed ? learned.observed : {};
	const list = Array.isArray(observed[key]) ? observed[key] : [];
	if (list.some((one) => one?.uuid === boundary.uuid)) return;
	observed[key] = [...list, { uuid: boundary.uuid, preTokens: boundary.preTokens }].slice(-KEPT);
	writeJson(learnedPath(root), { ...learned, observed }, { sync: false });
}
