import { existsSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { summaryMarkdown } from "../../core/block/task-summary.ts";
import type { TaskOnDisk } from "../../core/task/startup.ts";
import { parseTaskState, type StateFile, type TaskState, taskStamp } from "../../core/task/task-state.ts";
import { parseObject, readText, readTextOrReason } from "../../files/json-file.ts";
import { makePrivateFolder } from "../atomic-write.ts";
import { writeJson, writeText } from "../gate.ts";
import { withLock } from "../lock.ts";

const MAX_SUMMARY_BYTES = 1024 * 1024;

/** Paths of a task's files below its folder: one of its own, or the session's. */
export function taskPaths(folder: string) {
	const summaries = join(folder, "summaries");
	return {
		state: join(folder, "task-state.json"),
		summaries,
		/** A copy of the newest dated summary, under a name that stays. */
		latest: join(summaries, "latest-summary.md"),
		archive: join(folder, "archive"),
		lock: join(folder, "task-state.lock"),
	};
}

/** Reads a task's state, and whether its summary fits the state. Nothing is written or moved. */
export function readTask(folder: string): TaskOnDisk {
	const file = readTaskState(folder);
	const { latest } = taskPaths(folder);
	if (!existsSync(latest)) return { file, summary: "absent" };
	const isAsWritten = file.found !== "present" || readText(latest, MAX_SUMMARY_BYTES) === summaryMarkdown(file.state);
	return { file, summary: isAsWritten ? "present" : "conflicting" };
}

/** Reads a task's state: absent, invalid with the problem, or present. A link in the file's place is not followed. */
export function readTaskState(folder: string): StateFile {
	const path = taskPaths(folder).state;
	const read = readTextOrReason(path, { follow: false });
	if (read.state === "absent") return { found: "absent" };
	const invalid = (why: string): StateFile => ({ found: "invalid", problem: `task state ${path}: ${why}` });
	if (read.state === "unreadable") return invalid(read.reason);
	const value = parseObject(read.text, 3);
	if (!value) return invalid(read.text.trim() ? "damaged: it holds no JSON object" : "damaged: it is empty");
	const file = parseTaskState(value);
	return file.found === "invalid" ? invalid(file.problem) : file;
}

/** Writes a task's state, then its summary, both durably. After a crash between them the state is right, the summary old. */
export function writeTask(folder: string, state: TaskState): void {
	writeTaskState(folder, state);
	writeSummary(folder, state);
}

/** Writes a task's state durably. */
const writeTaskState = (folder: string, state: TaskState): void =>
	writeJson(taskPaths(folder).state, state, { durable: true });

/** Writes the summary of a state into a dated file, and durably as `latest`. */
export function writeSummary(folder: string, state: TaskState): void {
	const { summaries, latest } = taskPaths(folder);
	const text = summaryMarkdown(state);
	const at = new Date(state.updated_at);
	const name = `summary-${Number.isNaN(at.getTime()) ? "undated" : taskStamp(at)}-r${state.revision}.md`;
	writeText(join(summaries, name), text);
	writeText(latest, text, { durable: true });
}

/** Writes a new task and gives it. Its state says `initialising` until the summary is written. */
export function beginTask(folder: string, state: TaskState): TaskState {
	const active: TaskState = { ...state, status: "active" };
	writeTaskState(folder, { ...state, status: "initialising" });
	writeSummary(folder, active);
	writeTaskState(folder, active);
	return active;
}

/** Moves a task's files into a dated folder and gives its path; `null` when there are none. After a crash the next call moves the rest. */
export function archiveTask(folder: string, now: Date): string | null {
	const { state, summaries, archive } = taskPaths(folder);
	const existing = [state, summaries].filter((path) => existsSync(path));
	if (existing.length === 0) return null;
	let to = join(archive, taskStamp(now));
	for (let n = 2; existsSync(to); n++) to = join(archive, `${taskStamp(now)}-${n}`);
	makePrivateFolder(to);
	for (const path of existing) renameSync(path, join(to, basename(path)));
	return to;
}

/** Runs `act` while no other process changes the task. Waits up to 2 s for one, then throws with code `ELOCKED`. */
export const withTaskLock = <T>(folder: string, act: () => T): T => withLock(taskPaths(folder).lock, act, 2_000);
