import type { Operation } from "./batch.ts";
import { write } from "./log.ts";
import type { Log } from "./state.ts";

/** A batch holds so many operations, and bytes of them: sealed they take a third more, and `MAX_BATCH` is its end. */
const [MANY, FULL] = [500, 256 * 1024];

/** Says them in as few batches as hold them, in order. Gives their ids. */
export function writeAll(log: Log, project: string | null, ops: readonly Operation[]): string[] {
	const ids: string[] = [];
	for (let from = 0; from < ops.length; ) {
		let [to, bytes] = [from, 0];
		while (to < ops.length && to - from < MANY) {
			bytes += Buffer.byteLength(JSON.stringify(ops[to]));
			if (to > from && bytes > FULL) break;
			to++;
		}
		ids.push(...write(log, project, ops.slice(from, to)));
		from = to;
	}
	return ids;
}
