import type { Cycle } from "../../core/session/cycle.ts";
import { describeSession, haltStatus } from "../../core/session/status.ts";
import { taskOutline } from "../../core/task/task-state.ts";
import { tryOrUndefined } from "../../files/quietly.ts";
import { loadConfig, readChosenProfile } from "../config.ts";
import { MAX_VALUE_BYTES, readFromStore } from "../database.ts";
import { loadFailureFinder } from "../failure-log.ts";
import { readHaltTime, readLastUsage, readNudgeState } from "../pressure/flags.ts";
import { checkpointPath } from "../recovery/checkpoints.ts";
import { listSessions } from "../session/cycles.ts";
import { NO_TRANSCRIPT } from "../session/records.ts";
import { type Session, type Store, sessionHandle } from "../session-handle.ts";
import { readTaskState } from "../task/task-state.ts";

/** What `describeSession` says of a session, with the state of its nudge and its last failure. */
export type SessionStatus = ReturnType<typeof readSessionStatuses>[number];

/** Reads a session's halt gate, the profile chosen for it, and its task. `cwd`: the folder it works in, `null` while unknown. */
export function readSessionWork(session: Session, cycle: Cycle, cwd: string | null) {
	const { id: sid, root } = session;
	const choosers = { sid, ...(cwd ? { folder: cwd } : {}) };
	const { mode } = loadConfig(root, choosers).config.guard;
	const profile = readChosenProfile(root, choosers);
	return {
		haltGate: { mode, state: haltStatus(readHaltTime(session), cycle, mode) },
		profile: profile && { name: profile.name, by: profile.by },
		task: taskOutline(readTaskState(session.paths.folder)),
	};
}

/** Reads the status of sessions of a store, the one seen last first. */
export function readSessionStatuses(store: Store, sids: readonly string[] = listSessions(store)) {
	const findFailure = loadFailureFinder(store.root);
	const rows = readFromStore(store, (database) => database.query(STATUS_ROWS).values(JSON.stringify(sids))) ?? [];
	return rows
		.map(([sid, ...row]) => readSessionStatus(sessionHandle(store, String(sid)), row, findFailure))
		.sort((a, b) => (a.seenAt === b.seenAt ? 0 : (a.seenAt ?? "") < (b.seenAt ?? "") ? 1 : -1));
}

/** Selects of each session: cycle and `about` as JSON, whether a prompt was kept, key and time of its newest checkpoint. */
const STATUS_ROWS = `SELECT session, iif(length(cycles.value) <= ${MAX_VALUE_BYTES}, cycles.value, '{}'), about,
		EXISTS (SELECT 1 FROM heard WHERE heard.session = asked.value),
		(SELECT json_object('key', key, 'at', own.at) FROM checkpoints AS own
		WHERE own.session = asked.value ORDER BY id DESC LIMIT 1)
	FROM json_each(?) AS asked CROSS JOIN cycles ON session = asked.value LEFT JOIN records USING(session)`;

/** The status of one session, from its row of `STATUS_ROWS`. */
function readSessionStatus(session: Session, row: unknown[], findFailure: ReturnType<typeof loadFailureFinder>) {
	const [cycle = {}, about = {}, hasPrompt = 0, latest = null] = row.map(
		(text) => tryOrUndefined(() => JSON.parse(String(text))) ?? undefined,
	) as [Cycle?, { ended?: string; unclear?: string; isRead?: boolean }?, number?, { key: string; at: string }?];
	const unclear = about.isRead === false && hasPrompt ? NO_TRANSCRIPT : about.unclear;
	return {
		sessionId: session.id,
		...describeSession({
			lastUsage: readLastUsage(session) ?? {},
			cycle,
			recordFacts: { ...about, unclear },
			latest: latest && { ...latest, path: checkpointPath(session, latest.key) },
		}),
		marker: readNudgeState(session),
		failure: findFailure(session.id),
	};
}
