import { cut, safeText } from "../text/text.ts";
import type { TaskState } from "./task-state.ts";

/** What a checkpoint records: texts replace, entries of lists are added, `remove` takes entries out again. */
export interface TaskUpdate {
	goal?: string;
	current_phase?: string;
	next_action?: string;
	last_action?: { summary: string; outcome: string };
	completed_steps?: { step: string }[];
	failed_attempts?: { attempt: string; reason: string }[];
	decisions?: { decision: string; reason: string }[];
	artifacts?: { path: string; note: string }[];
	tool_outputs?: { output: string }[];
	blockers?: string[];
	invariants?: string[];
	constraints?: string[];
	remove?: Partial<Record<PlainList, string[]>>;
}

type PlainList = "blockers" | "invariants" | "constraints";
type EntryList = "completed_steps" | "failed_attempts" | "decisions" | "artifacts" | "tool_outputs";

const MAX_CHARS = 4_000;
const TEXTS = ["goal", "current_phase", "next_action"] as const;
const PLAIN: readonly PlainList[] = ["blockers", "invariants", "constraints"];
/** The text each entry must have, and the one it may have. */
const ENTRIES: Record<EntryList, readonly [string, string?]> = {
	completed_steps: ["step"],
	failed_attempts: ["attempt", "reason"],
	decisions: ["decision", "reason"],
	artifacts: ["path", "note"],
	tool_outputs: ["output"],
};
/** Other names for the same fields, as agents write them. */
const ALIASES: Record<string, string> = {
	phase: "current_phase",
	touched_files: "artifacts",
	files_touched: "artifacts",
	relevant_artifacts: "artifacts",
	last_successful_action: "last_action",
	next: "next_action",
};
const KNOWN = [...TEXTS, "last_action", ...Object.keys(ENTRIES), ...PLAIN, "remove"];

/**
 * An update from what somebody wrote as JSON. An entry may be a bare text. Secrets go out, long texts are cut. Gives the
 * problems, each naming its field, when anything does not fit: nothing is taken in part.
 */
export function parseUpdate(value: unknown): { update: TaskUpdate } | { problems: string[] } {
	const update: Record<string, unknown> = {};
	const problems: string[] = [];
	if (!isObject(value)) return { problems: ["the update must be one JSON object"] };
	for (const [given, raw] of Object.entries(value)) {
		const name = ALIASES[given] ?? given;
		if (!KNOWN.includes(name)) problems.push(`${given}: unknown field; known are ${KNOWN.join(", ")}`);
		else if (name in update) problems.push(`${given}: given twice, also as ${name}`);
		else update[name] = fieldOf(name, raw, (problem) => problems.push(`${given}: ${problem}`));
	}
	if (problems.length > 0) return { problems };
	if (Object.keys(update).length === 0) return { problems: ["the update is empty: it names no field"] };
	return { update: update as TaskUpdate };
}

/** The state after the update, as of `at`. Entries that are there already are not added again. */
export function updated(state: TaskState, update: TaskUpdate, at: string): TaskState {
	const next: TaskState = { ...state, revision: state.revision + 1, updated_at: at, checkpoint_at: at };
	for (const name of TEXTS) if (update[name] !== undefined) next[name] = update[name];
	if (update.last_action) next.last_action = { ...update.last_action, at };
	next.completed_steps = added(state.completed_steps, update.completed_steps, at, ["step"]);
	next.failed_attempts = added(state.failed_attempts, update.failed_attempts, at, ["attempt", "reason"]);
	next.decisions = added(state.decisions, update.decisions, at, ["decision", "reason"]);
	next.tool_outputs = added(state.tool_outputs, update.tool_outputs, at, ["output"]);
	next.artifacts = [...state.artifacts];
	for (const one of update.artifacts ?? []) {
		const known = next.artifacts.findIndex(({ path }) => path === one.path);
		if (known < 0) next.artifacts.push(one);
		else if (one.note) next.artifacts[known] = one;
	}
	for (const name of PLAIN) {
		const out = (update.remove?.[name] ?? []).map(plain);
		const all = [...new Set([...state[name], ...(update[name] ?? [])])];
		next[name] = out.includes("all") ? [...(update[name] ?? [])] : all.filter((text) => !out.includes(plain(text)));
	}
	next.status = next.blockers.length > 0 ? "blocked" : "active";
	return next;
}

/** What the update would take out but is not there, each with what is; `null` is a task that has not begun. */
export function unmatched(state: TaskState | null, { remove = {} }: TaskUpdate): string[] {
	return PLAIN.flatMap((name) => {
		const known = state?.[name] ?? [];
		const there = known.length > 0 ? known.map((text) => `"${text}"`).join(", ") : "none";
		return (remove[name] ?? [])
			.filter((text) => plain(text) !== "all" && !known.some((one) => plain(one) === plain(text)))
			.map((text) => `"${text}" matches none of the ${name}, which are: ${there}`);
	});
}

/** Whether the update changes what a summary must show at once. */
export const changesPhaseOrGoal = (before: TaskState, after: TaskState): boolean =>
	before.goal !== after.goal || before.current_phase !== after.current_phase;

function fieldOf(name: string, raw: unknown, problem: (text: string) => void): unknown {
	if ((TEXTS as readonly string[]).includes(name)) return textOf(raw, problem);
	if (name === "last_action") {
		if (typeof raw === "string") return { summary: textOf(raw, problem), outcome: "" };
		if (!isObject(raw)) return problem("must be a text or {summary, outcome}");
		return { summary: textOf(raw.summary, problem, "summary"), outcome: optional(raw.outcome, problem, "outcome") };
	}
	if (name === "remove") {
		if (!isObject(raw)) return problem(`must be an object of lists: ${PLAIN.join(", ")}`);
		for (const key of Object.keys(raw))
			if (!(PLAIN as readonly string[]).includes(key)) problem(`${key} can't be removed, only ${PLAIN.join(", ")}`);
		return Object.fromEntries(Object.entries(raw).map(([key, list]) => [key, listOf(list, problem, textOf)]));
	}
	if ((PLAIN as readonly string[]).includes(name)) return listOf(raw, problem, textOf);
	const [main, more] = ENTRIES[name as EntryList];
	return listOf(raw, problem, (one) => {
		const object = isObject(one) ? one : { [main]: one };
		const entry: Record<string, unknown> = { [main]: textOf(object[main], problem, main) };
		if (more) entry[more] = optional(object[more], problem, more);
		return entry;
	});
}

/** A single text stands for a list of one. */
function listOf(
	raw: unknown,
	problem: (text: string) => void,
	one: (value: unknown, problem: (text: string) => void) => unknown,
): unknown[] {
	if (typeof raw === "string") return [one(raw, problem)];
	if (Array.isArray(raw)) return raw.map((value) => one(value, problem));
	problem("must be a list");
	return [];
}

function textOf(raw: unknown, problem: (text: string) => void, part = ""): string {
	const text = typeof raw === "string" ? cut(safeText(raw).trim(), MAX_CHARS) : "";
	if (!text) problem(`${part ? `${part} ` : ""}must be a text that is not empty`);
	return text;
}

function optional(raw: unknown, problem: (text: string) => void, part: string): string {
	return raw === undefined || raw === null || raw === "" ? "" : textOf(raw, problem, part);
}

function added<T extends object>(
	known: (T & { at: string })[],
	more: T[] | undefined,
	at: string,
	by: (keyof T)[],
): (T & { at: string })[] {
	const list = [...known];
	for (const one of more ?? [])
		if (!list.some((entry) => by.every((name) => entry[name] === one[name]))) list.push({ ...one, at });
	return list;
}

const plain = (text: string): string => text.replace(/\s+/g, " ").trim().toLowerCase();

const isObject = (value: unknown): value is Record<string, unknown> =>
	value !== null && typeof value === "object" && !Array.isArray(value);
