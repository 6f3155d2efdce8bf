import { deleteCheckpoint, isInUse } from "../../store/recovery/delete-checkpoint.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { pickCheckpoint } from "../checkpoint/pick.ts";
import { checkpointStore } from "../checkpoint/place.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Ask } from "../support/ask-on-terminal.ts";
import type { Io } from "../support/io.ts";

export interface DeleteOptions {
	session?: string;
	yes?: boolean;
	anyway?: boolean;
	json?: boolean;
}

/** Deletes the checkpoints named, with their readable forms. */
export async function remove(
	named: readonly string[],
	options: DeleteOptions,
	io: Io,
	ask: Ask,
	now: Date,
): Promise<void> {
	const { store, folder } = checkpointStore(io);
	const found = named.map((one) => pickCheckpoint(store, one, { session: options.session, folder }, io, now));
	for (const { sid, key } of found)
		if (!options.anyway && isInUse(sessionAt(store, sid), key))
			throw new Error(`${key} is what the last compaction of session ${sid} goes by; add --anyway to delete it`);
	if (!options.yes && !io.interactive) {
		io.err("Nothing was deleted: there is no terminal to ask on. To delete add --yes");
		return io.exit(2);
	}
	const names = found.map(({ key, sid }) => `${key} of session ${sid}`).join("\n");
	if (
		!options.yes &&
		!(await ask(`${names}\nDelete ${found.length === 1 ? "this checkpoint" : "these checkpoints"}? [y/N] `))
	)
		return io.err("Nothing was deleted.");
	const deleted = found.filter(({ sid, key }) => deleteCheckpoint(sessionAt(store, sid), key));
	if (options.json) return answerJson(io, { deleted: deleted.map(({ key, sid }) => ({ key, session: sid })) });
	for (const { key, sid } of deleted) io.out(`deleted ${key} of session ${sid}`);
}
