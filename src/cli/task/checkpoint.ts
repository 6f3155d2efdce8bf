import { haltReason } from "../../core/halt/halt-text.ts";
import { startupDecision } from "../../core/task/startup.ts";
import { isDone } from "../../core/task/task-state.ts";
import { changesPhaseOrGoal, type TaskUpdate, unmatched, updated } from "../../core/task/task-update.ts";
import { safeText } from "../../core/text/text.ts";
import { lockTask, readTask, writeTask } from "../../store/task/task-state.ts";
import type { Io } from "../support/io.ts";
import { tell } from "./answer.ts";
import { answerOf, begin, type Common, finish, letPass, notBegun, stopped } from "./decide.ts";
import { pressureAt, taskPlace } from "./place.ts";
import { type CheckpointOptions, updateOf } from "./update.ts";

export function checkpoint(options: CheckpointOptions, io: Io, now: Date, stdin: () => string): void {
	const wanted = updateOf(options, io, stdin);
	if ("problems" in wanted) {
		for (const problem of wanted.problems) io.err(`ccg: ${problem}`);
		io.err("ccg: nothing was written; 'ccg task checkpoint --help' shows examples");
		return io.exit(2);
	}
	const place = taskPlace(options, io, now);
	lockTask(place.folder, () => {
		const disk = readTask(place.folder, now);
		const decision = startupDecision(disk.file, disk.summary);
		if (decision.act === "stop") return tell(stopped(place, disk, decision), options.json, io);
		if (decision.act === "finish") return finish(place, disk, decision.state, options, io, now);
		const unknown = unmatched(decision.act === "initialise" ? null : decision.state, wanted.update);
		if (unknown.length > 0) throw new Error(`${unknown.join("; ")}. Nothing was written`);
		const before = decision.act === "initialise" ? begin(place, disk, wanted.update.goal, now) : decision.state;
		const after = updated(before, wanted.update, now.toISOString());
		if (isDone(after)) return finish(place, disk, after, options, io, now);
		const { pressure, resumed, critical, mode } = pressureAt(
			place,
			{ given: options.pressure, firstTurn: before.checkpoint_at === null },
			now,
		);
		const withSummary = pressure.level !== "normal" || decision.act !== "continue" || changesPhaseOrGoal(before, after);
		writeTask(place, after, withSummary);
		letPass(place, now);
		const halts = pressure.level === "critical" && !resumed;
		tell(
			answerOf(place, disk, {
				status: halts ? "STATUS:HALT_CONTEXT_LIMIT" : "OK",
				reason: halts ? `saved; ${haltReason(pressure, critical, mode)}` : "saved",
				state: after,
				pressure,
				resumed,
				wrote: withSummary ? ["state", "summary"] : ["state"],
			}),
			options.json,
			io,
		);
	});
}

export function complete(options: Common & { outcome?: string }, io: Io, now: Date): void {
	const place = taskPlace(options, io, now);
	lockTask(place.folder, () => {
		const disk = readTask(place.folder, now);
		const decision = startupDecision(disk.file, disk.summary);
		if (decision.act === "finish") {
			finish(place, disk, decision.state, options, io, now);
			return io.exit(0);
		}
		if (decision.act === "initialise") return tell(notBegun(place, disk), options.json, io);
		if (decision.act === "stop") return tell(stopped(place, disk, decision), options.json, io);
		const at = now.toISOString();
		const outcome = options.outcome?.trim();
		const update: TaskUpdate = {
			next_action: "DONE",
			...(outcome && { last_action: { summary: "completed the task", outcome: safeText(outcome) } }),
		};
		finish(place, disk, updated(decision.state, update, at), options, io, now);
		// "nothing left to do" stops whoever goes on; here it is what was asked for
		io.exit(0);
	});
}
