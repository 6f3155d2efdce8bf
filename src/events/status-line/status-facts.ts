import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { branchOf } from "../../claude/machine/branch.ts";
import type { StatusLineInput } from "../../claude/status-line-input.ts";
import type { Pressure } from "../../core/pressure/pressure.ts";
import { holdsPart } from "../../core/pressure/status-format.ts";
import type { StatusFacts } from "../../core/pressure/status-parts.ts";
import type { Config } from "../../store/config/config.ts";
import { readJson } from "../../store/json-file.ts";
import type { Env } from "../../store/paths.ts";
import { readHalt } from "../../store/pressure/halt.ts";
import { markerState } from "../../store/pressure/marker.ts";
import { quietTaskRoot } from "../../store/project-store.ts";
import { freshLossNote } from "../../store/recovery/loss-note.ts";
import { savedClock } from "../../store/recovery/saved-at.ts";
import { type Session, type Store, sessionAt } from "../../store/session-handle.ts";

/** What a status line works with. */
export interface StatusPlace {
	store: Store | null;
	config: Config;
	env: Env;
	now: Date;
}

/** Everything the status line tells beside the measurement. Only what the format shows is read. */
export function statusFacts(
	input: StatusLineInput | null,
	pressure: Pressure | null,
	{ store, config, env, now }: StatusPlace,
): StatusFacts {
	const { format } = config.statusLine;
	const facts = { modelName: input?.modelName ?? null, pressure };
	const cwd = input?.cwd ?? "";
	const names = {
		branch: holdsPart(format, "branch") ? branchOf(cwd) : null,
		session: input?.sessionName ?? null,
	};
	if (!store || !input?.sid) return { ...facts, ...names, cycle: "none", saved: null, failureMs: null };
	const session = sessionAt(store, input.sid);
	return {
		...facts,
		...names,
		cycle: markerState(session),
		saved: savedClock(session, now),
		loss: holdsPart(format, "loss") ? freshLossNote(session, input.promptId) : null,
		failureMs: ageOf(session.paths.failure, now),
		guard: config.guard.mode === "enforce" ? haltState(session) : null,
		task: holdsPart(format, "task") ? taskGoal(quietTaskRoot(env, cwd) ?? session.paths.folder) : null,
	};
}

/** What the halt gate would answer to a change; a marker measured before the last compaction holds nothing back. */
function haltState(session: Session): "held" | "free" | null {
	const { haltMarker, changePass, committed } = session.paths;
	if (!existsSync(haltMarker)) return null;
	const halt = readHalt(session);
	if (!halt || modified(committed) > Date.parse(halt.at)) return null;
	return existsSync(changePass) ? "free" : "held";
}

/** The goal of the task that is worked on. Its reader checks every field with a library; here a glance is enough. */
function taskGoal(folder: string): string | null {
	const task = readJson<{ goal: unknown; status: unknown }>(join(folder, "task-state.json"));
	return typeof task?.goal === "string" && task.status === "active" ? task.goal.replace(/\s+/g, " ") : null;
}

function ageOf(path: string, now: Date): number | null {
	const at = modified(path);
	return at === 0 ? null : now.getTime() - at;
}

/** 0 where there is no such file. */
function modified(path: string): number {
	// a file that is not there is the usual case: asked for without an error thrown
	if (!existsSync(path)) return 0;
	try {
		return statSync(path).mtimeMs;
	} catch {
		return 0;
	}
}
