import { join } from "node:path";
import { withLock } from "./kernel-lock.ts";
import { learnedPath } from "./paths.ts";
import { listOf, literal, number, object, or, recordOf, shape, text } from "./shape.ts";
import { type FileKind, readGood, unversioned, writeVersioned } from "./versioned-file.ts";

const KEPT = 16;
/** Less than a hook may wait in all; the lock is held for one read and one write of a small file, below a millisecond. */
const WAIT_MS = 100;

/** Automatic compactions seen, by `CompactionTrigger.observedKey`, oldest first. */
interface Learned {
	version: 1;
	observed: Record<string, { uuid: string; preTokens: number }[]>;
}

/** Gathers over months and can't be made again: the version before the last write stays. */
const LEARNED: FileKind<Learned> = {
	name: "compactions seen",
	version: 1,
	schema: shape(
		object({
			version: literal(1),
			observed: or(recordOf(listOf(object({ uuid: or(text, ""), preTokens: number }))), {}),
		}),
	),
	migrations: unversioned,
	keepLast: true,
};

/** `preTokens` of the compactions seen under a key, oldest first. A missing or broken file gives none. */
export function observedTriggers(root: string): (key: string) => number[] {
	const learned = readGood(learnedPath(root), LEARNED);
	return (key) => (ofKey(learned, key) ?? []).map(({ preTokens }) => preTokens);
}

/**
 * Keeps a compaction once per boundary. Of sessions that learn in the same moment none loses the other's; throws with code
 * `ELOCKED` when others hold the file for longer than 100 ms: the transcript's next reading brings the boundary again.
 */
export function recordTrigger(root: string, key: string, boundary: { uuid: string; preTokens: number }): void {
	const knows = (learned: Learned | null): boolean =>
		ofKey(learned, key)?.some(({ uuid }) => uuid === boundary.uuid) ?? false;
	if (knows(readGood(learnedPath(root), LEARNED))) return;
	const act = (): void => {
		const learned = readGood(learnedPath(root), LEARNED);
		if (knows(learned)) return;
		const { uuid, preTokens } = boundary;
		const list = [...(ofKey(learned, key) ?? []), { uuid, preTokens }].slice(-KEPT);
		const observed = { ...learned?.observed, [key]: list };
		writeVersioned(learnedPath(root), LEARNED, { ...learned, version: 1, observed }, { sync: false });
	};
	withLock(join(root, "run", "learned.lock"), act, { waitMs: WAIT_MS });
}

/** Not what every object has under such a name. */
const ofKey = (learned: Learned | null, key: string): Learned["observed"][string] | undefined =>
	learned && Object.hasOwn(learned.observed, key) ? learned.observed[key] : undefined;
