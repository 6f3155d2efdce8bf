import { existsSync, readdirSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import type { StateFile, SummaryFile } from "../../core/task/startup.ts";
import { conflicts, readSummaryMarkdown, summaryMarkdown, type TaskSummary } from "../../core/task/summary.ts";
import { checkedState, isLegacyShape, type TaskState } from "../../core/task/task-state.ts";
import { errorCode, systemReason } from "../../files/system-failure.ts";
import { makeFolder } from "../atomic-write.ts";
import { writeText } from "../gate.ts";
import { readJson, readText } from "../json-file.ts";
import { withLock } from "../kernel-lock.ts";
import type { Tell } from "../problems.ts";
import { taskState as taskShape } from "../shapes.generated.ts";
import { kindOf, readVersioned, writeVersioned } from "../versioned-file.ts";

/** Fields are checked by the core, which says what is missing; a file with a gap is stopped at, not taken for damaged. */
const KIND = kindOf("task state", taskShape, { keepLast: true });

/** A task's summary is a page; a larger file is none, and counts as a conflict. */
const MAX_SUMMARY_BYTES = 1024 * 1024;

/** Where a task lies: a folder of one's own, or the session's; and where to tell what its files are like. */
export interface TaskFolder {
	folder: string;
	tell: Tell;
}

/** Paths of a task below its root: a folder of one's own, or the session's. */
export function taskPaths(folder: string) {
	const summaries = join(folder, "summaries");
	return {
		state: join(folder, "task-state.json"),
		/** The version before the last write. */
		last: join(folder, "task-state.json.last"),
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
	/** The revision the summary was made from; `null` when it can't be read. */
	summaryRevision: number | null;
	/** The version before the last write was asked for and stands in for a file that is damaged or gone. */
	recovered: boolean;
	/** What was wrong with the file, also where the version before it could be taken. */
	problem?: string | undefined;
}

/**
 * What stands on disk. A damaged state is quarantined; the version before it may lack the last checkpoint, so it counts
 * only when `fromLast` asks for it. A legacy state is not touched.
 */
export function readTask(folder: string, now: Date, { fromLast = false } = {}): TaskOnDisk {
	const { state: path, last, latest } = taskPaths(folder);
	const { file: found, problem } = readStateFile(path, last, now);
	const before = found.found === "invalid" ? found.before : undefined;
	const recovered = fromLast && before !== undefined;
	const file: StateFile = recovered ? { found: "present", state: before } : found;
	const text = readText(latest, MAX_SUMMARY_BYTES);
	const read = text === null ? null : readSummaryMarkdown(text);
	return {
		file,
		summary: judged(latest, read, file),
		summaryRevision: read?.revision ?? null,
		recovered,
		...(problem && { problem }),
	};
}

function readStateFile(path: string, last: string, now: Date): { file: StateFile; problem?: string | undefined } {
	const raw = readJson<Record<string, unknown>>(path);
	if (raw && isLegacyShape(raw)) return { file: { found: "legacy" } };
	const read = readVersioned(path, KIND, now);
	const { problem } = read;
	if (read.found === "absent") {
		const reason = problem ?? quarantinedAs(path);
		return reason ? { file: { found: "invalid", problem: reason }, problem: reason } : { file: { found: "absent" } };
	}
	if (read.found !== "good") return { file: { found: "invalid", problem: read.problem }, problem };
	const checked = checkedState(read.value as Record<string, unknown>);
	if ("problems" in checked) return { file: { found: "invalid", problem: checked.problems.join("; ") }, problem };
	// whole, but not the file itself: the reader gave the version before
	if (problem || !existsSync(path)) {
		const damaged = (problem ?? quarantinedAs(path) ?? `task state ${path} is gone`).replace(
			/; the version before it counts$/,
			"",
		);
		const reason = `${damaged}. The version before it, ${last}, is whole, but may lack what the last checkpoint recorded`;
		return { file: { found: "invalid", problem: reason, before: checked.state }, problem: problem && damaged };
	}
	return { file: { found: "present", state: checked.state } };
}

/** The task of a folder for a look from outside, which moves nothing: `null` where none is, the problem where it can't be trusted. */
export function glanceAtTask(folder: string): TaskState | { problem: string } | null {
	const { state: path, last } = taskPaths(folder);
	if (!existsSync(path)) return existsSync(last) || quarantinedAs(path) ? { problem: "damaged or gone" } : null;
	const raw = readJson<Record<string, unknown>>(path);
	if (!raw) return { problem: "damaged" };
	if (isLegacyShape(raw)) return { problem: "of another tool or an older shape" };
	if ((raw.version as number) > KIND.version) return { problem: "written by a newer ccg" };
	const checked = checkedState(raw);
	return "problems" in checked ? { problem: checked.problems.join("; ") } : checked.state;
}

function judged(latest: string, read: TaskSummary | null, file: StateFile): SummaryFile {
	if (!existsSync(latest)) return "absent";
	return file.found === "present" && conflicts(read, file.state) ? "conflicting" : "present";
}

/** A damaged state without a good one beside it stays a damaged state until it is archived. */
function quarantinedAs(path: string): string | null {
	const name = damagedOf(path).at(-1);
	return name ? `task state ${path} was damaged; kept as ${name}` : null;
}

/** Files the reader quarantined, oldest first. */
function damagedOf(path: string): string[] {
	try {
		const folder = join(path, "..");
		return readdirSync(folder)
			.filter((name) => name.startsWith(`${basename(path)}.damaged-`))
			.sort()
			.map((name) => join(folder, name));
	} catch {
		return [];
	}
}

/**
 * Writes the state, then, when asked, the summary: a dated one and the name that stays. Each is durable when this returns; a
 * summary that is behind after a crash is told by its revision. Throws what the file system says.
 */
export function writeTask({ folder, tell }: TaskFolder, state: TaskState, withSummary: boolean): void {
	writeVersioned(taskPaths(folder).state, KIND, state, { durable: true, tell });
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
export function beginTask(place: TaskFolder, state: TaskState): TaskState {
	const begun: TaskState = { ...state, status: "active" };
	writeTask(place, { ...state, status: "initialising" }, false);
	writeSummary(place.folder, begun);
	writeTask(place, begun, false);
	return begun;
}

/** Moves everything of the task into a dated folder and gives that; `null` when there is nothing. Cut short, it goes on when called again. */
export function archiveTask(folder: string, now: Date): string | null {
	const { state, last, summaries, archive } = taskPaths(folder);
	const found = [state, last, ...damagedOf(state), summaries].filter((path) => existsSync(path));
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
		return withLock(lock, act, { waitMs: 2_000 });
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
const stamp = (at: Date): string =>
	at
		.toISOString()
		.replace(/\D/g, "")
		.slice(0, 14)
		.replace(/^(.{8})/, "$1-");

/** A task's name: when it began, and a few letters against twins. */
export const newTaskId = (now: Date): string => `task-${stamp(now)}-${Math.random().toString(36).slice(2, 6)}`;
