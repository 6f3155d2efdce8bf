import { checkpointMarkdown } from "../../core/recovery/checkpoint-markdown.ts";
import { differences } from "../../core/recovery/checkpoints/difference.ts";
import { documentState } from "../../core/recovery/checkpoints/document-state.ts";
import { asImported } from "../../core/recovery/imported.ts";
import { type Picked, pickCheckpoint, whyNot } from "../checkpoint/pick.ts";
import { checkpointStore } from "../checkpoint/place.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";

export interface LookOptions {
	session?: string;
	json?: boolean;
}

/** Prints a checkpoint: as people read it, or in the fields of the agent's document. */
export function show(named: string | undefined, options: LookOptions, io: Io, now: Date): void {
	const { checkpoint, key, sid, validation } = picked(named, options, io, now);
	if (!validation.valid)
		io.err(`ccg: ${key} is not fit for a restore: ${whyNot({ checkpoint, validation, bytes: 0 })}`);
	const { fields, missing, coverage } = documentState(checkpoint);
	if (options.json)
		return answerJson(io, {
			key,
			session: sid,
			note: checkpoint.note ?? null,
			imported: checkpoint.imported ?? null,
			session_state: fields,
			coverage,
			missing,
		});
	const text = checkpointMarkdown(checkpoint);
	if (!io.page?.(text)) io.out(text.trimEnd());
}

/** Says in words what changed from one checkpoint to another. */
export function diff(before: string, after: string | undefined, options: LookOptions, io: Io, now: Date): void {
	const [a, b] = [picked(before, options, io, now), picked(after, options, io, now)];
	const changes = differences(a.checkpoint, b.checkpoint);
	if (options.json) return answerJson(io, { from: a.key, to: b.key, changes });
	io.out(`From ${a.key} (${a.checkpoint.at}) to ${b.key} (${b.checkpoint.at}):`);
	if (changes.length === 0) io.out("Nothing changed.");
	const imported = a.checkpoint.imported ?? b.checkpoint.imported;
	for (const { about, says } of changes) io.out(asImported(`- ${about}: ${says}`, imported));
}

/** One that can be read, fit for a restore or not. */
function picked(
	named: string | undefined,
	{ session }: LookOptions,
	io: Io,
	now: Date,
): Picked & { checkpoint: NonNullable<Picked["checkpoint"]> } {
	const { store, folder } = checkpointStore(io);
	const found = pickCheckpoint(store, named, { session, folder }, io, now);
	const { checkpoint } = found;
	if (!checkpoint) throw new Error(`${found.key} can't be read: ${whyNot(found)}`);
	return { ...found, checkpoint };
}
