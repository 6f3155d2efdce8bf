import { existsSync } from "node:fs";
import { compactedAt, mayPass } from "../../core/session/cycle.ts";
import { loadConfig } from "../config/config.ts";
import { chosenProfile } from "../config/profiles.ts";
import { readFailure } from "../failure-log.ts";
import { sessionPaths } from "../paths.ts";
import { readHalt, readUsage, type UsageRecord } from "../pressure/flags.ts";
import { checkpointPath, latestCheckpoint } from "../recovery/checkpoints.ts";
import { listSessions, readCycle } from "../session/cycles.ts";
import { type Session, type Store, sessionAt } from "../session-handle.ts";
import { readState } from "../task/task-state.ts";

/** A session as `ccg status` shows it. Unknown numbers are `null`; ages in milliseconds. */
export type SessionStatus = ReturnType<typeof readSession>;

/** What a session works under: the halt gate, the profile chosen for it, its task. */
export function readWork(store: Store, { session, cwd }: SessionStatus) {
	const { root } = store;
	const place = { sid: session, ...(cwd ? { folder: cwd } : {}) };
	const { mode } = loadConfig(root, place).config.guard;
	const profile = chosenProfile(root, place);
	return {
		haltGate: { mode, state: haltStatus(sessionAt(store, session), mode) },
		profile: profile && { name: profile.name, by: profile.by },
		task: taskOf(sessionPaths(root, session).folder),
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
function haltStatus(session: Session, mode: string): "idle" | "critical" | "held back" | "free" | "lifted" {
	const cycle = readCycle(session);
	if (mode === "off") return "idle";
	if (cycle.resumed) return "lifted";
	const halt = readHalt(session);
	// measured before a compaction, written after it: the halt gate takes it for none
	const stands = halt !== null && compactedAt(cycle) <= halt.at;
	if (mode !== "enforce") return stands || cycle.isHaltTold ? "critical" : "idle";
	if (!stands) return "idle";
	return mayPass(cycle, halt) ? "free" : "held back";
}

/** All sessions of a store, the one seen last first. */
export const readSessions = (store: Store, now: Date): SessionStatus[] =>
	listSessions(store)
		.map((sid) => readSession(sessionAt(store, sid), now))
		.sort((a, b) => (a.seenMs ?? Infinity) - (b.seenMs ?? Infinity));

function readSession(session: Session, now: Date) {
	const read: Partial<UsageRecord> = readUsage(session) ?? {};
	const cycle = readCycle(session);
	// what was measured before a compaction says nothing of the context behind it, as `ccg task` has it too
	const isOver = compactedAt(cycle) > (read.at ?? "");
	const usage = isOver ? { ...read, tokens: null, distance: null, zone: undefined } : read;
	const latest = latestCheckpoint(session);
	const since = (at: string | undefined): number | null => {
		const ms = now.getTime() - Date.parse(at ?? "");
		return Number.isNaN(ms) ? null : ms;
	};
	const stateOf = (key: string) =>
		cycle.prepared?.key === key ? "pending" : cycle.began?.key === key ? "committed" : "saved";
	return {
		session: session.id,
		seenMs: since(usage.at) ?? since(latest?.at),
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
		marker: cycle.nudged ? "nudged" : existsSync(session.paths.marker) ? "marker" : "none",
		checkpoint: latest && {
			key: latest.key,
			path: checkpointPath(session, latest.key),
			ageMs: since(latest.at),
			state: stateOf(latest.key),
		},
		failure: readFailure(session),
	};
}
