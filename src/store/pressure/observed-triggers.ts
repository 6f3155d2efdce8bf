import { observedIn } from "../../core/pressure/compaction-trigger.ts";
import { readPart } from "../../files/read-file.ts";
import { appendText } from "../gate.ts";
import { observedTriggersPath } from "../paths.ts";
import type { Store } from "../session-handle.ts";

const KEPT = 16;
/** Of the file's end: more than two thousand compactions. */
const MAX_BYTES = 256 * 1024;

/** `preTokens` of the automatic compactions seen under a key, oldest first. A missing or broken file gives none. */
export function observedTriggers({ root }: Pick<Store, "root">): (key: string) => number[] {
	const lines = triggerLines(root);
	return (of) => lines.flatMap(([key, , preTokens]) => (key === of ? preTokens : [])).slice(-KEPT);
}

/** Keeps compactions, each once per boundary: a line each, added to a file of the store. */
export function recordTriggers(
	{ root }: Pick<Store, "root">,
	key: string,
	seen: readonly { uuid: string; preTokens: number }[],
): void {
	const known = new Set(triggerLines(root).map(([of, uuid]) => `${of} ${uuid}`));
	const added = seen.filter(({ uuid }) => !known.has(`${key} ${uuid}`));
	const lines = added.map(({ uuid, preTokens }) => `${JSON.stringify([key, uuid, preTokens])}\n`);
	if (lines.length > 0) appendText(observedTriggersPath(root), lines.join(""));
}

const triggerLines = (root: string): ReturnType<typeof observedIn> =>
	observedIn(readPart(observedTriggersPath(root), MAX_BYTES, { end: true })?.text ?? "");
