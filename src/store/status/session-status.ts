import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../config/config.ts";
import { chosenProfile } from "../config/profiles.ts";
import { readFailure } from "../last-failure.ts";
import { isSessionId, sessionPaths } from "../paths.ts";
import { readHalt, resumedUntil } from "../pressure/halt.ts";
import { markerState } from "../pressure/marker.ts";
import { readUsage, type UsageRecord } from "../pressure/usage-record.ts";
import { latestKey, readablePath } from "../recovery/checkpoints.ts";
import { compactedAt, readCommitted, readPending } from "../recovery/pending.ts";
import { type Session, type Store, sessionAt } from "../session-handle.ts";
import { glanceAtTask } from "../task/task-state.ts";

/** A session as `ccg status` shows it. Unknown numbers are `null`; ages in milliseconds. */
export interface SessionStatus {
	session: string;
	seenMs: number | null;
	cwd: string | null;
	transcriptPath: string | null;
	model: string | null;
	claudeVersion: string | null;
	source: string | null;
	tokens: number | null;
	window: number | null;
	trigger: number | null;
	/** How the trigger is known, or why there is none. */
	why: string | null;
	distance: number | null;
	zone: string;
	marker: "none" | "marker" | "nudged";
	checkpoint: { key: string; path: string; ageMs: number | null; state: "pending" | "committed" | "saved" } | null;
	failure: { at: string; where: string; reason: string } | null;
}

/** What a session works under: the halt gate, the profile chosen for it, its task. */
export interface SessionWork {
	haltGate: {
		mode: string;
		/** `free`: a checkpoint was written, so one change may pass. `lifted`: by a person, `until` then or the next compaction (`null`). */
		state: "idle" | "critical" | "held back" | "free" | "lifted";
		until: string | null;
	};
	profile: { name: string; by: "session" | "project" } | null;
	task: { goal: string; next_action: string; status: string; revision: number } | { problem: string } | null;
}

export function readWork(store: Store, { session, cwd }: SessionStatus, now: Date): SessionWork {
	const { root, tell } = store;
	const place = { sid: session, tell, ...(cwd ? { folder: cwd } : {}) };
	const { mode } = loadConfig(root, place).config.guard;
	const profile = chosenProfile(root, place);
	const task = glanceAtTask(sessionPaths(root, session).folder);
	return {
		haltGate: { mode, ...haltStatus(sessionAt(store, session), mode, now) },
		profile: profile && { name: profile.name, by: profile.by },
		task:
			task && "goal" in task
				? { goal: task.goal, next_action: task.next_action, status: task.status, revision: task.revision }
				: task,
	};
}

function haltStatus(session: Session, mode: string, now: Date): Omit<SessionWork["haltGate"], "mode"> {
	const resumed = resumedUntil(session, now);
	if (mode === "off") return { state: "idle", until: null };
	if (resumed) return { state: "lifted", until: resumed.until };
	const { haltMarker, haltTold, changePass } = session.paths;
	if (mode !== "enforce")
		return { state: existsSync(haltMarker) || existsSync(haltTold) ? "critical" : "idle", until: null };
	const halt = readHalt(session);
	// measured before a compaction, written after it: the halt gate takes it for none
	if (!halt || compactedAt(session) > halt.at) return { state: "idle", until: null };
	return { state: existsSync(changePass) ? "free" : "held back", until: null };
}

/** All sessions of a store, the one seen last first. Broken files count as missing. */
export function readSessions(store: Store, now: Date): SessionStatus[] {
	let names: string[] = [];
	try {
		names = readdirSync(join(store.root, "sessions")).filter(isSessionId);
	} catch {
		return [];
	}
	return names
		.map((sid) => readSession(sessionAt(store, sid), now))
		.sort((a, b) => (a.seenMs ?? Infinity) - (b.seenMs ?? Infinity));
}

function readSession(session: Session, now: Date): SessionStatus {
	const usage: Partial<UsageRecord> = readUsage(session) ?? {};
	const key = latestKey(session);
	const failure = readFailure(session);
	const seen = Date.parse(usage.at ?? "");
	return {
		session: session.id,
		seenMs: Number.isNaN(seen) ? ageOf(session.paths.folder, now) : now.getTime() - seen,
		cwd: usage.cwd || null,
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
		marker: markerState(session),
		checkpoint: key ? checkpointStatus(session, key, now) : null,
		failure,
	};
}

function checkpointStatus(session: Session, key: string, now: Date): SessionStatus["checkpoint"] {
	const path = readablePath(session, key);
	const pending = readPending(session)?.key === key;
	const committed = readCommitted(session)?.key === key;
	return { key, path, ageMs: ageOf(path, now), state: pending ? "pending" : committed ? "committed" : "saved" };
}

function ageOf(path: string, now: Date): number | null {
	try {
		return Math.round(now.getTime() - statSync(path).mtimeMs);
	} catch {
		return null;
	}
}
