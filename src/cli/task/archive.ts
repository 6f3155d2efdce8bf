import { isDone } from "../../core/task/task-state.ts";
import { archiveTask, lockTask, readTask } from "../../store/task/task-state.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { asTyped } from "../support/own-name.ts";
import type { Common } from "./decide.ts";
import { taskPlace } from "./place.ts";

export function archive(options: Common & { force?: boolean }, io: Io, now: Date): void {
	const place = taskPlace(options, io, now);
	lockTask(place.folder, () => {
		const { file, summary } = readTask(place.folder, now);
		const unfinished = file.found === "present" && !isDone(file.state);
		if (unfinished && !options.force)
			throw new Error(
				`the task in ${place.folder} is not finished; 'ccg task complete' finishes it, --force archives it as it is`,
			);
		const to = archiveTask(place.folder, now);
		if (options.json) return answerJson(io, { archived: to, state: file.found, summary });
		io.out(
			to ? asTyped(`moved to ${to}; \`ccg task ensure\` begins a new task`, io) : `there is no task in ${place.folder}`,
		);
	});
}
