import { observedIn } from "../../core/pressure/compaction-trigger.ts";
import { readPart } from "../../files/read-file.ts";
import { appendText } from "../gate.ts";
import { observedTriggersPath } from "../paths.ts";
import type { Store } from "../session-handle.ts";

const MOST_USED = 16;
/** Bytes read of the file's end: more than two thousand compactions. */
const MAX_BYTES = 256 * 1024;

/** Gives a function that lists `preTokens` of a key's last automatic compactions, oldest first; none where the file is missing or broken. */
export function observedTriggers({ root }: Pick<Store, "root">): (key: string) => number[] {
	const lines = triggerLines(root);
	return (wanted) => lines.flatMap(([key, , preTokens]) => (key === wanted ? preTokens : [])).slice(-MOST_USED);
}

/** Adds a line for each compaction to a file of the store, unless its boundary (`uuid`) stands there under that key. */
export function recordTriggers(
	{ root }: Pick<Store, "root">,
	key: string,
	compactions: readonly { uuid: string; preTokens: number }[],
): void {
	const known = new Set(triggerLines(root).map(([ofKey, uuid]) => `${ofKey} ${uuid}`));
	const added = compactions.filter(({ uuid }) => !known.has(`${key} ${uuid}`));
	const lines = added.map(({ uuid, preTokens }) => `${JSON.stringify([key, uuid, preTokens])}\n`);
	if (lines.length > 0) appendText(observedTriggersPath(root), lines.join(""));
}

const triggerLines = (root: string): ReturnType<typeof observedIn> =>
	observedIn(readPart(observedTriggersPath(root), MAX_BYTES, { end: true })?.text ?? "");
