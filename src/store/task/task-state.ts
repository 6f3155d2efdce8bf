import { existsSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { summaryMarkdown } from "../../core/block/task-summary.ts";
import type { StateFile, SummaryFile } from "../../core/task/startup.ts";
import { checkedState, isLegacyShape, type TaskState } from "../../core/task/task-state.ts";
import { namesIn } from "../../files/names-in.ts";
import { errorCode, systemReason } from "../../files/system-failure.ts";
import { makeFolder } from "../atomic-write.ts";
import { writeJson, writeText } from "../gate.ts";
import { parseObject, readBytes, readText } from "../json-file.ts";
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

export interface TaskOnDisk {
	file: StateFile;
	summary: SummaryFile;
	/** The revision the summary was made from; `null` where it is not as ccg wrote it. */
	summaryRevision: number | null;
}

/** What stands on disk of a task. Nothing is written or moved. */
export function readTask(folder: string): TaskOnDisk {
	const file = readState(folder);
	const summaryRevision = file.found === "present" ? revisionOf(folder, file.state) : null;
	const isAsWritten = file.found !== "present" || summaryRevision !== null;
	const isThere = existsSync(taskPaths(folder).latest);
	return { file, summary: !isThere ? "absent" : isAsWritten ? "present" : "conflicting", summaryRevision };
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
	if (isLegacyShape(value)) return { found: "legacy" };
	if (value.version !== 1) return invalid(`written by a newer ccg (version ${value.version}, this one reads 1)`);
	const checked = checkedState(value);
	return "problems" in checked ? invalid(checked.problems.join("; ")) : { found: "present", state: checked.state };
}

/** The revision that the summary tells, byte for byte as it was written: this one, or an earlier one with its dated copy. */
function revisionOf(folder: string, state: TaskState): number | null {
	const { latest, summaries } = taskPaths(folder);
	const text = readText(latest, MAX_SUMMARY_BYTES);
	if (text === null) return null;
	const now = summaryMarkdown(state);
	if (text === now) return state.revision;
	// a change of goal or phase writes a summary at once
	if (!text.includes(now.slice(now.indexOf("\n## Goal"), now.indexOf("\n## Completed steps")))) return null;
	const earlier = namesIn(summaries)
		.flatMap((name) => {
			const revision = Number(DATED.exec(name)?.[1] ?? Infinity);
			return revision < state.revision ? [{ name, revision }] : [];
		})
		.sort((a, b) => b.revision - a.revision);
	const made = earlier.find(({ name }) => readText(join(summaries, name), MAX_SUMMARY_BYTES) === text);
	return made?.revision ?? null;
}
const DATED = /^summary-.*-r(\d{1,9})\.md$/;

/**
 * Writes the state, then, when asked, the summary: a dated one and the name that stays. Each is durable when this returns; a
 * summary that is behind after a crash is told by its revision. Throws what the file system says.
 */
export function writeTask(folder: string, state: TaskState, withSummary: boolean): void {
	writeJson(taskPaths(folder).state, state, { durable: true });
	if (withSummary) writeSummary(folder, state);
}

export function writeSummary(folder: string, state: TaskState): void {
	const { summaries, latest } = taskPaths(folder);
	const text = summaryMarkdown(state);
	const at = new Date(state.updated_at);
	const name = `summary-${Number.isNaN(at.getTime()) ? "undated" : stamp(at)}-r${state.revision}.md`;
	writeText(join(summaries, name), text);
	writeText(latest, text, { durable: true });
}

/** The first writes of a task: until the summary stands the state says that it is not begun. */
export function beginTask(folder: string, state: TaskState): TaskState {
	const begun: TaskState = { ...state, status: "active" };
	writeTask(folder, { ...state, status: "initialising" }, false);
	writeSummary(folder, begun);
	writeTask(folder, begun, false);
	return begun;
}

/** Moves everything of the task into a dated folder and gives that; `null` when there is nothing. Cut short, it goes on when called again. */
export function archiveTask(folder: string, now: Date): string | null {
	const { state, summaries, archive } = taskPaths(folder);
	const found = [state, summaries].filter((path) => existsSync(path));
	if (found.length === 0) return null;
	let to = join(archive, stamp(now));
	for (let n = 2; existsSync(to); n++) to = join(archive, `${stamp(now)}-${n}`);
	makeFolder(to);
	for (const path of found) renameSync(path, join(to, basename(path)));
	return to;
}

/**
 * One writer at a time. Waits up to 2 s for another command, throws with code `ELOCKED` then; free when its holder dies.
 * What the file system refuses is thrown with the task's path in place of a temp file's, and what to do.
 */
export function lockTask<T>(folder: string, act: () => T): T {
	const { lock, state } = taskPaths(folder);
	try {
		return withLock(lock, act, 2_000);
	} catch (error) {
		const why = systemReason(error);
		if (why === null) throw error;
		const code = errorCode(error);
		const remedy = REMEDIES[code] ?? `check ${folder}`;
		throw Object.assign(
			new Error(`the task was not saved in ${state}: ${why}; ${remedy.replace("FOLDER", () => folder)}`, {
				cause: error,
			}),
			{ code },
		);
	}
}

const REMEDIES: Record<string, string> = {
	EACCES: "make FOLDER and what is in it writable",
	EPERM: "make FOLDER and what is in it writable",
	EROFS: "set CCG_HOME or CCG_TASK_ROOT to a folder that can be written",
	ENOSPC: "make room there",
	EDQUOT: "make room there",
};

/** `20260131-235959`, UTC: names sort by time. */
function stamp(at: Date): string {
	const digits = at.toISOString().replace(/\D/g, "");
	return `${digits.slice(0, 8)}-${digits.slice(8, 14)}`;
}

/** A task's name: when it began, and a few letters against twins. */
export const newTaskId = (now: Date): string => `task-${stamp(now)}-${Math.random().toString(36).slice(2, 6)}`;
