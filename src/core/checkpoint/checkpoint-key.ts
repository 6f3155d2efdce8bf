import { isoStamp } from "../text/text.ts";

/** The form of a checkpoint's key: `{type}_checkpoint_yyyymmdd_hhmmss` in UTC. Keys become parts of paths, so no other form passes. */
export const CHECKPOINT_KEY = /^[a-z]+_checkpoint_[0-9_]+$/;
export const MAX_KEY_LENGTH = 80;

/** Why a checkpoint was taken, as its key says it; the triggers of each: `checkpoints/triggers.ts`. */
export const CHECKPOINT_TYPES = ["precompact", "manual", "wave", "phase", "time"] as const;
export type CheckpointType = (typeof CHECKPOINT_TYPES)[number];

/** The key of a checkpoint taken at `now`; `n` tells keys of the same second apart. */
export function checkpointKey(now: Date, n = 1, type: CheckpointType = "precompact"): string {
	return `${type}_checkpoint_${isoStamp(now, "_")}${n > 1 ? `_${n}` : ""}`;
}
