import { rmSync } from "node:fs";
import { removeOnce } from "../atomic-write.ts";
import { writeText } from "../gate.ts";
import type { Session } from "../session-handle.ts";
import { readCheckpointLog } from "./checkpoint-log.ts";
import { checkpointPath, jsonPath, latestKey, loadCheckpoint } from "./checkpoints.ts";
import { storedCheckpoints } from "./find-checkpoints.ts";
import { readCommitted, readPending } from "./pending.ts";
import { latestOfProject, pointProjectTo } from "./project-checkpoint.ts";

/** What a compaction of this session still needs. */
export const isInUse = (session: Session, key: string): boolean =>
	readPending(session)?.key === key || readCommitted(session)?.key === key;

/**
 * Deletes a checkpoint with its readable form; pointers that named it name the newest one left. Gives whether it was there. The
 * pointers move first: killed in between, none names what is gone.
 */
export function deleteCheckpoint(session: Session, key: string): boolean {
	// (no pointer names what came from a file)
	const isNext = (one: string): boolean => one !== key && !loadCheckpoint(session, one)?.imported;
	const next = storedCheckpoints(session, session.id).find((one) => isNext(one.key))?.key;
	if (latestKey(session) === key) {
		if (next) writeText(session.paths.latest, `${next}\n`, { sync: false });
		else rmSync(session.paths.latest, { force: true });
	}
	const project = readCheckpointLog(session).findLast((line) => line.key === key)?.project;
	const pointed = project ? latestOfProject(session.root, project) : null;
	if (project && next && pointed?.sid === session.id && pointed.key === key) pointProjectTo(session, project, next);
	rmSync(checkpointPath(session, key), { force: true });
	return removeOnce(jsonPath(session, key));
}
