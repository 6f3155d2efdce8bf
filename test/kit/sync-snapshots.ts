import type { Carrier } from "../../src/sync/carrier.ts";
import { compact } from "../../src/sync/compact.ts";
import { firstEpoch, missingKeys } from "../../src/sync/epochs.ts";
import { write } from "../../src/sync/log.ts";
import { type Log, valuesOf } from "../../src/sync/state.ts";
import { scratch } from "../scratch-home.ts";
import type { Shelf } from "./sync-carrier.ts";
import { spaceOf } from "./sync-space.ts";

/** A root, an owner and a writer with some notes, of which some were changed and deleted; two who are not taken in yet. */
export async function snapshotSpace({ isSealed = false } = {}) {
	const made = spaceOf(scratch("snapshot"), ["root", "owner", "writer", "new", "away"]);
	const [root, owner, writer, fresh, away] = made.logs as [Log, Log, Log, Log, Log];
	if (isSealed) write(root, null, firstEpoch(root));
	made.grant(root, owner, "owner");
	made.grant(root, writer, "writer");
	made.grant(root, away, "writer");
	if (isSealed) write(root, null, missingKeys(root));
	const everybody = [root, owner, writer];
	await made.sync(...everybody, away);
	const first = made.note(root, "1", "one");
	made.note(writer, "2", "two of the writer");
	await made.sync(...everybody, away, ...everybody);
	made.note(owner, "1", "one, changed", [first]);
	made.note(writer, "3", "three");
	await made.sync(...everybody, root);
	/** Each exchanges and compacts; `least`: a snapshot is due from so many bytes on. */
	const exchange = async (logs: readonly Log[], least = 1, carrier: Carrier = made.carrier): Promise<unknown[]> => {
		const problems = [];
		for (const log of logs) {
			problems.push(...(await made.sync(log)).flatMap((one) => one.problems));
			problems.push(...(await compact(log, carrier, least)));
		}
		return problems;
	};
	return { ...made, root, owner, writer, fresh, away, everybody, exchange };
}

export const documents = ({ documents }: Shelf, what: string): string[] =>
	[...documents.keys()].filter((one) => one.startsWith(what));
export const state = (log: Log): string[] =>
	valuesOf(log, "").map((one) => `${one.id} ${one.item} ${JSON.stringify(one.value)}`);
export const Never = Number.POSITIVE_INFINITY;
