import { existsSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { quietly } from "../atomic-write.ts";
import { withLock } from "../kernel-lock.ts";
import { observedTriggersPath } from "../paths.ts";
import type { Store } from "../session-handle.ts";
import { observedLater, observedTriggers as observedShape } from "../shapes.generated.ts";
import { type FileContent, kindOf, readGood, writeVersioned } from "../versioned-file.ts";

const KEPT = 16;
/** With what is written then, a hook has lost no more than 200 ms here; held for about a millisecond. */
const WAIT_MS = 100;

/** Gathers over months and can't be made again: the version before the last write stays. */
const OBSERVED = kindOf("compactions seen", observedShape, { keepLast: true, maxBytes: 1024 * 1024 });
type Observed = FileContent<typeof OBSERVED>;

/** `preTokens` of the compactions seen under a key, oldest first. A missing or broken file gives none. */
export function observedTriggers({ root, tell }: Store): (key: string) => number[] {
	const known = readGood(observedTriggersPath(root), OBSERVED, tell);
	return (key) => (ofKey(known, key) ?? []).map(({ preTokens }) => preTokens);
}

/**
 * Keeps compactions, each once per boundary. Under one lock; when others hold it for longer than a hook may wait, they are
 * put into a file of their own in `observed-later/`, and applied by the next who writes. Not by lines added to one file:
 * a writer that was stopped between its open and its write would add to a file that has been applied (seen once in
 * 1,000).
 */
export function recordTriggers(store: Store, key: string, boundaries: readonly SeenBoundary[]): void {
	const { root, tell } = store;
	const seen = boundaries.map(({ uuid, preTokens }) => ({ uuid, preTokens }));
	if (namesLater(root).length === 0 && isKnown(readGood(observedTriggersPath(root), OBSERVED, tell), key, seen)) return;
	try {
		withLock(join(root, "run", "observed-triggers.lock"), () => apply(store, key, seen), { waitMs: WAIT_MS });
	} catch (error) {
		if ((error as { code?: string }).code !== "ELOCKED") throw error;
		const name = `${process.pid}-${Math.random().toString(36).slice(2)}.json`;
		writeVersioned(join(root, LATER_FOLDER, name), LATER, { version: 1, key, seen }, { sync: false });
	}
}

interface SeenBoundary {
	uuid: string;
	preTokens: number;
}

const LATER_FOLDER = "observed-later";

/** Written once under a name of its own, and applied later. */
const LATER = kindOf("compactions seen late", observedLater, { passing: true });

/** Under the lock. A run killed before it removed what it applied leaves it to be applied again: nothing changes. */
function apply({ root, tell }: Store, key: string, seen: readonly SeenBoundary[]): void {
	const late = namesLater(root).map((name) => join(root, LATER_FOLDER, name));
	const known = readGood(observedTriggersPath(root), OBSERVED, tell);
	const all = [...late.flatMap((path) => readGood(path, LATER, tell) ?? []), { key, seen }];
	if (!all.every((one) => isKnown(known, one.key, one.seen))) {
		const observed = { ...known?.observed };
		for (const one of all)
			for (const { uuid, preTokens } of one.seen) {
				const list = ofKey({ version: 1, observed }, one.key) ?? [];
				if (!list.some((held) => held.uuid === uuid))
					Object.defineProperty(observed, one.key, own([...list, { uuid, preTokens }].slice(-KEPT)));
			}
		writeVersioned(observedTriggersPath(root), OBSERVED, { ...known, version: 1, observed }, { sync: false, tell });
	}
	for (const path of late) quietly(() => unlinkSync(path));
}

/** Also under a name that every object has. */
const own = (value: unknown): PropertyDescriptor => ({ value, enumerable: true, configurable: true, writable: true });

function namesLater(root: string): string[] {
	const folder = join(root, LATER_FOLDER);
	return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
}

const isKnown = (known: Observed | null, key: string, seen: readonly SeenBoundary[]): boolean =>
	seen.every(({ uuid }) => ofKey(known, key)?.some((one) => one.uuid === uuid));

/** Not what every object has under such a name. */
const ofKey = (known: Observed | null, key: string): Observed["observed"][string] | undefined =>
	known && Object.hasOwn(known.observed, key) ? known.observed[key] : undefined;
