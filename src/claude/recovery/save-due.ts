import type { Checkpoint } from "../../core/recovery/checkpoint.ts";
import { type Due, isCovered, mostImportant, TRIGGERS } from "../../core/recovery/checkpoints/triggers.ts";
import { readCheckpointLog } from "../../store/recovery/checkpoint-log.ts";
import { saveCheckpoint } from "../../store/recovery/checkpoints.ts";
import { deleteCheckpoint } from "../../store/recovery/delete-checkpoint.ts";
import { storedCheckpoints } from "../../store/recovery/find-checkpoints.ts";
import { noteSavedAt } from "../../store/recovery/saved-at.ts";
import { aloneWithCheckpoints, readTriggerRecord, writeTriggerRecord } from "../../store/recovery/trigger-record.ts";
import { type CheckpointPlace, readContent } from "./take-checkpoint.ts";

export interface SaveOptions {
	/** What the user wrote to it. */
	note?: string | undefined;
	/** Of those that came by themselves, how many a session keeps. */
	keep: number;
	/** How long another one that is being taken is waited for. */
	waitMs: number;
}

/**
 * Takes one checkpoint for everything that asks for one now. `null` when nothing does, when one of this moment does for it, or when
 * there is nothing to save. Throws `ELOCKED` when another is still being taken.
 */
export function saveDue(place: CheckpointPlace, due: readonly Due[], options: SaveOptions): Checkpoint | null {
	const most = mostImportant(due);
	if (!most) return null;
	const { session, now } = place;
	const isDone = (): boolean => isCovered(most.trigger, now, readCheckpointLog(session).at(-1) ?? null);
	const save = (): Checkpoint | null => {
		if (isDone()) return null;
		// reading takes longest, and PreCompact, which waits for nobody, may have saved meanwhile
		const content = readContent(place);
		if (!content || isDone()) return null;
		const waves = endWave(place, due);
		const { trigger, reason } = most;
		const { type } = TRIGGERS[trigger];
		const { note } = options;
		const checkpoint = saveCheckpoint(session, now, {
			...content,
			trigger,
			type,
			reason,
			waves,
			...(note && { note }),
		});
		if (due.some((one) => one.trigger === "wave_complete")) nameWave(place, checkpoint.key);
		noteSavedAt(session, now);
		if (type !== "manual") thinOut(place, options.keep);
		return checkpoint;
	};
	return aloneWithCheckpoints(session, save, options.waitMs);
}

const MAX_WAVES = 20;

/** The waves so far, with the one that ends now. */
function endWave({ session, now }: CheckpointPlace, due: readonly Due[]): NonNullable<Checkpoint["waves"]> {
	const record = readTriggerRecord(session);
	if (!due.some(({ trigger }) => trigger === "wave_complete") || record.agents.length === 0) return record.waves;
	const number = (record.waves.at(-1)?.number ?? 0) + 1;
	const agents = record.agents.map(({ type, said }) => ({ type, said }));
	const waves = [...record.waves, { number, endedAt: now.toISOString(), agents }].slice(-MAX_WAVES);
	writeTriggerRecord(session, { ...record, agents: [], waves });
	return waves;
}

function nameWave({ session }: CheckpointPlace, key: string): void {
	const record = readTriggerRecord(session);
	const last = record.waves.at(-1);
	if (last && !last.key)
		writeTriggerRecord(session, { ...record, waves: [...record.waves.slice(0, -1), { ...last, key }] });
}

/** Those of waves, phases and time beyond the newest: a long session would fill the disk. What a pointer names stays. */
function thinOut({ session }: CheckpointPlace, keep: number): void {
	const own = storedCheckpoints(session, session.id).filter(({ key }) => /^(?:wave|phase|time)_/.test(key));
	for (const { key } of own.slice(keep)) deleteCheckpoint(session, key);
}
