import { existsSync, renameSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { appendLines } from "./append-line.ts";
import { quietly } from "./atomic-write.ts";
import { readText } from "./json-file.ts";
import { withLock } from "./kernel-lock.ts";
import { learnedPath } from "./paths.ts";
import { listOf, literal, number, object, or, recordOf, shape, text } from "./shape.ts";
import { type FileKind, readGood, unversioned, writeVersioned } from "./versioned-file.ts";

const KEPT = 16;
/** With what is written then, a hook has lost no more than 200 ms here; held for about a millisecond. */
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
 * Keeps compactions, each once per boundary. Under one lock; when others hold it for longer than a hook may wait, they are
 * appended beside the file and folded in by the next who writes.
 */
export function recordTriggers(root: string, key: string, boundaries: readonly Boundary[]): void {
	const seen = boundaries.map(({ uuid, preTokens }) => ({ key, uuid, preTokens }));
	if (!existsSync(laterPath(root)) && isKnown(readGood(learnedPath(root), LEARNED), seen)) return;
	try {
		withLock(join(root, "run", "learned.lock"), () => fold(root, seen), { waitMs: WAIT_MS });
	} catch (error) {
		if ((error as { code?: string }).code !== "ELOCKED") throw error;
		appendLines(laterPath(root), seen.map((one) => `${JSON.stringify(one)}\n`).join(""));
	}
}

interface Boundary {
	uuid: string;
	preTokens: number;
}

type Seen = Boundary & { key: string };

/** Under the lock. What was appended is taken over by rename; a run that is killed leaves it for the next, which folds it once more. */
function fold(root: string, seen: readonly Seen[]): void {
	const taken = `${laterPath(root)}.folding`;
	if (!existsSync(taken)) quietly(() => renameSync(laterPath(root), taken));
	let later = readText(taken);
	for (;;) {
		const learned = readGood(learnedPath(root), LEARNED);
		const all = [...linesOf(later), ...seen];
		if (!isKnown(learned, all)) {
			const observed = { ...learned?.observed };
			for (const { key, uuid, preTokens } of all) {
				const list = ofKey({ version: 1, observed }, key) ?? [];
				if (!list.some((one) => one.uuid === uuid))
					Object.defineProperty(observed, key, own([...list, { uuid, preTokens }].slice(-KEPT)));
			}
			writeVersioned(learnedPath(root), LEARNED, { ...learned, version: 1, observed }, { sync: false });
		}
		if (later === null) return;
		// who had opened it before the rename may have written since
		const again = readText(taken);
		if (again === later) return quietly(() => unlinkSync(taken));
		later = again;
	}
}

/** Also under a name that every object has. */
const own = (value: unknown): PropertyDescriptor => ({ value, enumerable: true, configurable: true, writable: true });

const laterPath = (root: string): string => join(root, "learned-later.jsonl");

function linesOf(text: string | null): Seen[] {
	return (text ?? "").split("\n").flatMap((line) => {
		try {
			return line ? APPENDED(JSON.parse(line)) : [];
		} catch {
			return [];
		}
	});
}

const APPENDED = object({ key: text, uuid: text, preTokens: number });

const isKnown = (learned: Learned | null, seen: readonly Seen[]): boolean =>
	seen.every(({ key, uuid }) => ofKey(learned, key)?.some((one) => one.uuid === uuid));

/** Not what every object has under such a name. */
const ofKey = (learned: Learned | null, key: string): Learned["observed"][string] | undefined =>
	learned && Object.hasOwn(learned.observed, key) ? learned.observed[key] : undefined;
