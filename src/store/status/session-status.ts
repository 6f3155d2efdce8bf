import type { Cycle } from "../../core/session/cycle.ts";
import { describeSession, haltStatus } from "../../core/session/status.ts";
import { outlineOf } from "../../core/task/task-state.ts";
import { quietly } from "../../files/quietly.ts";
import { chosenProfile, loadConfig } from "../config.ts";
import { fromStore, MAX_VALUE } from "../database.ts";
import { readFailures } from "../failure-log.ts";
import { haltSince, markerState, readUsage } from "../pressure/flags.ts";
import { checkpointPath } from "../recovery/checkpoints.ts";
import { listSessions } from "../session/cycles.ts";
import { NO_TRANSCRIPT } from "../session/records.ts";
import { type Session, type Store, sessionAt } from "../session-handle.ts";
import { readState } from "../task/task-state.ts";

/** A session as `describeSession` tells it, with its marker and its last failure. */
export type SessionStatus = ReturnType<typeof readSessions>[number];

/** Reads a session's halt gate, the profile chosen for it, and its task. `cwd`: the folder it works in, `null` while unknown. */
export function readWork(session: Session, cycle: Cycle, cwd: string | null) {
	const { id: sid, root } = session;
	const place = { sid, ...(cwd ? { folder: cwd } : {}) };
	const { mode } = loadConfig(root, place).config.guard;
	const profile = chosenProfile(root, place);
	return {
		haltGate: { mode, state: haltStatus(haltSince(session), cycle, mode) },
		profile: profile && { name: profile.name, by: profile.by },
		task: outlineOf(readState(session.paths.folder)),
	};
}

/** Reads the status of sessions of a store, the one seen last first. */
export function readSessions(store: Store, sids: readonly string[] = listSessions(store)) {
	const failureOf = readFailures(store.root);
	const rows = fromStore(store, (database) => database.query(ROWS).values(JSON.stringify(sids))) ?? [];
	return rows
		.map(([sid, ...row]) => readSession(sessionAt(store, String(sid)), row, failureOf))
		.sort((a, b) => (a.seenAt === b.seenAt ? 0 : (a.seenAt ?? "") < (b.seenAt ?? "") ? 1 : -1));
}

/** Reads each session's row: cycle and `about` as JSON, whether a prompt was heard, key and time of its newest checkpoint. */
const ROWS = `SELECT session, iif(length(cycles.value) <= ${MAX_VALUE}, cycles.value, '{}'), about,
		EXISTS (SELECT 1 FROM heard WHERE heard.session = asked.value),
		(SELECT json_object('key', key, 'at', own.at) FROM checkpoints AS own
		WHERE own.session = asked.value ORDER BY id DESC LIMIT 1)
	FROM json_each(?) AS asked CROSS JOIN cycles ON session = asked.value LEFT JOIN records USING(session)`;

function readSession(session: Session, row: unknown[], failureOf: ReturnType<typeof readFailures>) {
	const [cycle = {}, about = {}, isHeard = 0, latest = null] = row.map(
		(text) => quietly(() => JSON.parse(String(text))) ?? undefined,
	) as [Cycle?, { ended?: string; unclear?: string; isRead?: boolean }?, number?, { key: string; at: string }?];
	const unclear = about.isRead === false && isHeard ? NO_TRANSCRIPT : about.unclear;
	return {
		sessionId: session.id,
		...describeSession({
			read: readUsage(session) ?? {},
			cycle,
			about: { ...about, unclear },
			latest: latest && { ...latest, path: checkpointPath(session, latest.key) },
		}),
		marker: markerState(session, cycle),
		failure: failureOf(session.id),
	};
}
