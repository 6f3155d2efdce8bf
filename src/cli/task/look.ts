import { workingBundle } from "../../core/task/bundle.ts";
import { startupDecision } from "../../core/task/startup.ts";
import type { TaskState } from "../../core/task/task-state.ts";
import { barred } from "../../core/text/quoted.ts";
import { safeText } from "../../core/text/text.ts";
import { lockTask, readTask, writeSummary, writeTask } from "../../store/task/task-state.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { shortLine, tell } from "./answer.ts";
import { begin, type Common, finish, judged, notBegun, stopped } from "./decide.ts";
import { taskPlace } from "./place.ts";

export function status(options: Common, io: Io, now: Date): void {
	const place = taskPlace(options, io, now);
	const disk = readTask(place.folder, now);
	const decision = startupDecision(disk.file, disk.summary);
	if (decision.act === "initialise") return tell(notBegun(place, disk), options.json, io);
	tell(judged(place, disk, decision, options, [], now), options.json, io);
}

export function ensure(options: Common & { goal?: string; fromLast?: boolean }, io: Io, now: Date): void {
	const place = taskPlace(options, io, now);
	lockTask(place.folder, () => {
		const disk = readTask(place.folder, now, options);
		const decision = startupDecision(disk.file, disk.summary);
		const { act } = decision;
		if (act === "initialise") {
			const state = begin(place, disk, options.goal, now);
			const begun = { ...decision, reason: "a new task begins", state };
			return tell(judged(place, disk, begun, options, ["state", "summary"], now), options.json, io);
		}
		if (decision.act === "stop") return tell(stopped(place, disk, decision), options.json, io);
		if (act === "finish") return finish(place, disk, decision.state, options, io, now);
		const { state, note } = withGoal(decision.state, options.goal, now);
		const answer = judged(place, disk, { ...decision, state }, options, [], now);
		const notes = [note, disk.recovered && recoveredNote(state)].filter(Boolean);
		if (notes.length > 0) answer.note = notes.join("\n");
		const filled = state !== decision.state;
		const behind = disk.summaryRevision !== state.revision;
		const level = answer.pressure?.level;
		// what was recovered becomes the file again
		if (disk.recovered || filled || answer.status === "STATUS:HALT_CONTEXT_LIMIT") {
			writeTask(place, state, false);
			answer.wrote.push("state");
		}
		if (act === "rewrite summary" || filled || (behind && (level === "compress" || level === "critical"))) {
			writeSummary(place.folder, state);
			answer.wrote.push("summary");
		}
		tell(answer, options.json, io);
	});
}

/** A goal given for a task that is there: it fills an empty one; another one is told, not taken. */
function withGoal(state: TaskState, given: string | undefined, now: Date): { state: TaskState; note?: string } {
	const goal = given === undefined ? "" : safeText(given).trim();
	if (!goal || shortLine(goal) === shortLine(state.goal)) return { state };
	if (!state.goal.trim())
		return { state: { ...state, goal, revision: state.revision + 1, updated_at: now.toISOString() } };
	return {
		state,
		note: `the task on disk has another goal: "${shortLine(state.goal)}"; finish or archive it (\`ccg task complete\`, \`ccg task archive --force\`), or change it with \`ccg task checkpoint --goal\``,
	};
}

const recoveredNote = ({ revision }: TaskState): string =>
	`revision ${revision}, the version before the damaged one, counts now: what the last checkpoint recorded may not be in it; the damaged file and the dated summaries are kept`;

export function bundle(options: Common, io: Io, now: Date): void {
	const place = taskPlace(options, io, now);
	lockTask(place.folder, () => {
		const disk = readTask(place.folder, now);
		const decision = startupDecision(disk.file, disk.summary);
		if (decision.act === "initialise") return tell(notBegun(place, disk), options.json, io);
		const answer = judged(place, disk, decision, options, [], now);
		if (answer.status !== "OK" || !answer.state) return tell(answer, options.json, io);
		const { state } = answer;
		const level = answer.pressure?.level;
		if (
			decision.act === "rewrite summary" ||
			(disk.summaryRevision !== state.revision && level !== "normal" && level !== "warning")
		)
			writeSummary(place.folder, state);
		const fields = workingBundle(state);
		if (options.json) return answerJson(io, fields);
		for (const [name, value] of Object.entries(fields)) {
			const texts = [value ?? []].flat();
			io.out(texts.length > 0 ? `${name}:\n${texts.map(barred).join("\n")}` : `${name}: (none)`);
		}
	});
}
