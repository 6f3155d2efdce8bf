import { type Cycle, compactedAt, mayPass } from "../../core/session/cycle.ts";
import { quietly } from "../../files/quietly.ts";
import { chosenProfile, loadConfig } from "../config.ts";
import { fromStore, MAX_VALUE } from "../database.ts";
import { readFailures } from "../failure-log.ts";
import { haltSince, markerState, readUsage, type UsageRecord } from "../pressure/flags.ts";
import { checkpointPath } from "../recovery/checkpoints.ts";
import { listSessions } from "../session/cycles.ts";
import { NO_TRANSCRIPT } from "../session/records.ts";
import { type Session, type Store, sessionAt } from "../session-handle.ts";
import { readState } from "../task/task-state.ts";

/** What a session's last measurement, cycle and checkpoint tell. Unknown values are `null`; times in ISO 8601. */
export type SessionStatus = ReturnType<typeof readSessions>[number];

/** What a session works under: the halt gate, the profile chosen for it, its task. `cwd`: where it works, `null` while unknown. */
export function readWork(session: Session, cycle: Cycle, cwd: string | null) {
	const { id: sid, root } = session;
	const place = { sid, ...(cwd ? { folder: cwd } : {}) };
	const { mode } = loadConfig(root, place).config.guard;
	const profile = chosenProfile(root, place);
	return {
		haltGate: { mode, state: haltStatus(session, cycle, mode) },
		profile: profile && { name: profile.name, by: profile.by },
		task: taskOf(session.paths.folder),
	};
}

function taskOf(folder: string) {
	const file = readState(folder);
	if (file.found === "absent") return null;
	if (file.found === "legacy") return { problem: "of another tool or an older shape" };
	if (file.found === "invalid") return { problem: file.problem };
	const { goal, next_action, status, revision } = file.state;
	return { goal, next_action, status, revision };
}

/** `free`: a checkpoint was written, so one change may pass. `lifted`: by a person, until the next compaction. */
function haltStatus(
	session: Session,
	cycle: Cycle,
	mode: string,
): "idle" | "critical" | "held back" | "free" | "lifted" {
	if (mode === "off") return "idle";
	if (cycle.resumed) return "lifted";
	const halt = haltSince(session);
	// measured before a compaction, written after it: the halt gate takes it for none
	const stands = halt !== null && compactedAt(cycle) <= halt;
	if (mode !== "enforce") return stands || cycle.isHaltTold ? "critical" : "idle";
	if (!stands) return "idle";
	return mayPass(cycle, halt) ? "free" : "held back";
}

/** Sessions of a store, the one seen last first. */
export function readSessions(store: Store, sids: readonly string[] = listSessions(store)) {
	const failureOf = readFailures(store.root);
	const rows = fromStore(store, (database) => database.query(ROWS).values(JSON.stringify(sids))) ?? [];
	return rows
		.map(([sid, ...row]) => readSession(sessionAt(store, String(sid)), row, failureOf))
		.sort((a, b) => (a.seenAt === b.seenAt ? 0 : (a.seenAt ?? "") < (b.seenAt ?? "") ? 1 : -1));
}

/** What the tables hold of a session: values as JSON, whether a prompt was heard, of the newest checkpoint its key and time. */
const ROWS = `SELECT session, iif(length(cycles.value) <= ${MAX_VALUE}, cycles.value, '{}'), about,
		EXISTS (SELECT 1 FROM heard WHERE heard.session = asked.value),
		(SELECT json_object('key', key, 'at', own.at) FROM checkpoints AS own
		WHERE own.session = asked.value ORDER BY id DESC LIMIT 1)
	FROM json_each(?) AS asked CROSS JOIN cycles ON session = asked.value LEFT JOIN records USING(session)`;

function readSession(session: Session, row: unknown[], failureOf: ReturnType<typeof readFailures>) {
	const read: Partial<UsageRecord> = readUsage(session) ?? {};
	const [cycle = {}, about = {}, isHeard = 0, latest = null] = row.map(
		(text) => quietly(() => JSON.parse(String(text))) ?? undefined,
	) as [Cycle?, { ended?: string; unclear?: string; isRead?: boolean }?, number?, { key: string; at: string }?];
	// what was measured before a compaction says nothing of the context behind it, as `ccg task` has it too
	const isOver = compactedAt(cycle) > (read.at ?? "");
	const usage = isOver ? { ...read, tokens: null, distance: null, zone: undefined } : read;
	const stateOf = (key: string) =>
		cycle.prepared?.key === key ? "pending" : cycle.began?.key === key ? "committed" : "saved";
	return {
		sessionId: session.id,
		cycle,
		seenAt: usage.at ?? latest?.at ?? null,
		cwd: usage.cwd || cycle.place?.folder || null,
		transcriptPath: usage.transcriptPath || null,
		model: usage.model ?? null,
		claudeVersion: usage.claudeVersion ?? null,
		source: usage.source ?? null,
		tokens: usage.tokens ?? null,
		window: usage.window ?? null,
		trigger: usage.trigger ?? null,
		why: usage.why ?? null,
		distance: usage.distance ?? null,
		zone: usage.zone ?? "unknown",
		marker: markerState(session, cycle),
		failure: failureOf(session.id),
		/** Why Claude Code said it ended; `null` while it runs. */
		ended: about.ended || null,
		/** What its transcript does not tell, or that there is none where a prompt was heard; else `null`. */
		unclear: about.isRead === false && isHeard ? NO_TRANSCRIPT : (about.unclear ?? null),
		checkpoint: latest && {
			key: latest.key,
			path: checkpointPath(session, latest.key),
			state: stateOf(latest.key),
			at: latest.at,
		},
	};
}
