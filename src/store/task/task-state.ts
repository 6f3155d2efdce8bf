import { existsSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { summaryMarkdown } from "../../core/block/task-summary.ts";
import type { TaskOnDisk } from "../../core/task/startup.ts";
import { type StateFile, stateIn, type TaskState, taskStamp } from "../../core/task/task-state.ts";
import { parseObject, readBytes, readText } from "../../files/json-file.ts";
import { makeFolder } from "../atomic-write.ts";
import { writeJson, writeText } from "../gate.ts";
import { withLock } from "../lock.ts";

/** A task's summary is a page; a larger file is none, and counts as a conflict. */
const MAX_SUMMARY_BYTES = 1024 * 1024;

/** Paths of a task below its root: a folder of one's own, or the session's. */
export function taskPaths(folder: string) {
	const summaries = join(folder, "summaries");
	return {
		state: join(folder, "task-state.json"),
		summaries,
		/** The name that stays; a copy of the newest dated one. */
		latest: join(summaries, "latest-summary.md"),
		archive: join(folder, "archive"),
		lock: join(folder, "task-state.lock"),
	};
}

/** What stands on disk of a task. Nothing is written or moved. */
export function readTask(folder: string): TaskOnDisk {
	const file = readState(folder);
	const { latest } = taskPaths(folder);
	if (!existsSync(latest)) return { file, summary: "absent" };
	const isAsWritten = file.found !== "present" || readText(latest, MAX_SUMMARY_BYTES) === summaryMarkdown(file.state);
	return { file, summary: isAsWritten ? "present" : "conflicting" };
}

/** The state alone. A link in its place is not followed. */
export function readState(folder: string): StateFile {
	const path = taskPaths(folder).state;
	const read = readBytes(path, { follow: false });
	if (read.state === "absent") return { found: "absent" };
	const invalid = (why: string): StateFile => ({ found: "invalid", problem: `task state ${path}: ${why}` });
	if (read.state === "unreadable") return invalid(read.reason);
	const value = parseObject(read.text, 3);
	if (!value) return invalid(read.text.trim() ? "damaged: it holds no JSON object" : "damaged: it is empty");
	const file = stateIn(value);
	return file.found === "invalid" ? invalid(file.problem) : file;
}

/**
 * Writes the state, then its summary: a dated one and the name that stays. Each is durable when this returns; a summary that
 * was not written any more after a crash differs from the state, which counts.
 */
export function writeTask(folder: string, state: TaskState): void {
	writeState(folder, state);
	writeSummary(folder, state);
}

const writeState = (folder: string, state: TaskState): void =>
	writeJson(taskPaths(folder).state, state, { durable: true });

export function writeSummary(folder: string, state: TaskState): void {
	const { summaries, latest } = taskPaths(folder);
	const text = summaryMarkdown(state);
	const at = new Date(state.updated_at);
	const name = `summary-${Number.isNaN(at.getTime()) ? "undated" : taskStamp(at)}-r${state.revision}.md`;
	writeText(join(summaries, name), text);
	writeText(latest, text, { durable: true });
}

/** The first writes of a task: until the summary stands the state says that it is not begun. */
export function beginTask(folder: string, state: TaskState): TaskState {
	const begun: TaskState = { ...state, status: "active" };
	writeState(folder, { ...state, status: "initialising" });
	writeSummary(folder, begun);
	writeState(folder, begun);
	return begun;
}

/** Moves everything of the task into a dated folder and gives that; `null` when there is nothing. Cut short, it goes on when called again. */
export function archiveTask(folder: string, now: Date): string | null {
	const { state, summaries, archive } = taskPaths(folder);
	const found = [state, summaries].filter((path) => existsSync(path));
	if (found.length === 0) return null;
	let to = join(archive, taskStamp(now));
	for (let n = 2; existsSync(to); n++) to = join(archive, `${taskStamp(now)}-${n}`);
	makeFolder(to);
	for (const path of found) renameSync(path, join(to, basename(path)));
	return to;
}

/** One writer at a time. Waits up to 2 s for another command, throws with code `ELOCKED` then; free when its holder dies. */
export const lockTask = <T>(folder: string, act: () => T): T => withLock(taskPaths(folder).lock, act, 2_000);
