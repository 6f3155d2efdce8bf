import { parseObservedTriggers } from "../../core/pressure/compaction-trigger.ts";
import { readTextPart } from "../../files/read-file.ts";
import { appendText } from "../gate.ts";
import { observedTriggersPath } from "../paths.ts";
import type { Store } from "../session-handle.ts";

const MAX_TRIGGERS = 16;
/** Bytes read of the file's end: more than two thousand compactions. */
const MAX_BYTES = 256 * 1024;

/** Gives a function that lists the tokens before the last automatic compactions of a model and its settings (`observedKey`), oldest first. */
export function triggerLookup({ root }: Pick<Store, "root">): (key: string) => number[] {
	const triggers = readObservedTriggers(root);
	return (observedKey) =>
		triggers.flatMap(([key, , preTokens]) => (key === observedKey ? preTokens : [])).slice(-MAX_TRIGGERS);
}

/** Keeps at how many tokens compactions took place, each once (by `uuid`), under the `observedKey` of their model and settings. */
export function addObservedTriggers(
	{ root }: Pick<Store, "root">,
	observedKey: string,
	compactions: readonly { uuid: string; preTokens: number }[],
): void {
	const knownIds = new Set(readObservedTriggers(root).map(([key, uuid]) => `${key} ${uuid}`));
	const added = compactions.filter(({ uuid }) => !knownIds.has(`${observedKey} ${uuid}`));
	const lines = added.map(({ uuid, preTokens }) => `${JSON.stringify([observedKey, uuid, preTokens])}\n`);
	if (lines.length > 0) appendText(observedTriggersPath(root), lines.join(""));
}

/** Reads the kept triggers; none where the file is missing or damaged. */
const readObservedTriggers = (root: string): ReturnType<typeof parseObservedTriggers> =>
	parseObservedTriggers(readTextPart(observedTriggersPath(root), MAX_BYTES, { fromEnd: true })?.text ?? "");
