import type { SessionState } from "../state/session-state.ts";
import type { Workspace } from "./item.ts";

/** What PreCompact saves: the session's state and the workspace's, at one moment. */
export interface Checkpoint {
	version: 1;
	/** `precompact_checkpoint_yyyymmdd_hhmmss` in UTC. */
	key: string;
	at: string;
	session: string;
	trigger: string;
	projectDir: string;
	transcriptPath: string;
	state: SessionState;
	workspace: Workspace | null;
	/** Steps that were left out when it was taken, for want of time or since they failed. */
	leftOut?: string[];
}

/** Keys become path parts, so nothing else passes. */
export const isCheckpointKey = (key: string): boolean => key.length <= 80 && /^[a-z]+_checkpoint_[0-9_]+$/.test(key);

/** The key of a checkpoint taken at `now`; `n` tells apart those of one second. */
export function checkpointKey(now: Date, n = 1): string {
	const digits = now.toISOString().replace(/\D/g, "");
	return `precompact_checkpoint_${digits.slice(0, 8)}_${digits.slice(8, 14)}${n > 1 ? `_${n}` : ""}`;
}
