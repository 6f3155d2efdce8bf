import { cut, normalise, safeText } from "../text/text.ts";
import { isObject } from "../transcript/decode.ts";
import { ENTRIES, ENTRY_LISTS, type EntryList, PLAIN_LISTS, type TaskState } from "./task-state.ts";

type PlainList = (typeof PLAIN_LISTS)[number];
type Entries = { [name in EntryList]: Omit<TaskState[name][number], "at">[] };

/** What a checkpoint records: texts replace, entries of lists are added, `remove` takes entries out again. */
export interface TaskUpdate extends Partial<Pick<TaskState, (typeof TEXTS)[number] | PlainList>>, Partial<Entries> {
	last_action?: { summary: string; outcome: string };
	remove?: Partial<Record<PlainList, string[]>>;
}

const MAX_CHARS = 4_000;
const TEXTS = ["goal", "current_phase", "next_action"] as const;
/** Other names of the document for the same fields. */
const ALIASES: Record<string, string> = {
	phase: "current_phase",
	touched_files: "artifacts",
	relevant_artifacts: "artifacts",
	last_successful_action: "last_action",
};
const KNOWN: readonly string[] = [...TEXTS, "last_action", ...ENTRY_LISTS, ...PLAIN_LISTS, "remove"];

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
export function applyUpdate(state: TaskState, update: TaskUpdate, at: string): TaskState {
	const next: TaskState = { ...state, revision: state.revision + 1, updated_at: at, checkpoint_at: at };
	for (const name of TEXTS) if (update[name] !== undefined) next[name] = update[name];
	if (update.last_action) next.last_action = { ...update.last_action, at };
	for (const name of ENTRY_LISTS)
		Object.assign(next, { [name]: mergeEntries(name, state[name], update[name] ?? [], at) });
	for (const name of PLAIN_LISTS) {
		const out = (update.remove?.[name] ?? []).map(normalise);
		const all = [...new Set([...state[name], ...(update[name] ?? [])])];
		next[name] = out.includes("all") ? [...(update[name] ?? [])] : all.filter((text) => !out.includes(normalise(text)));
	}
	next.status = next.blockers.length > 0 ? "blocked" : "active";
	return next;
}

/** An artifact is known by its path, and a new note takes the place of the old one; it bears no time. */
function mergeEntries(name: EntryList, known: readonly object[], more: readonly object[], at: string): object[] {
	const list = known as Record<string, string>[];
	const isFile = name === "artifacts";
	const by = isFile ? ["path"] : ENTRIES[name];
	const all = [...list];
	for (const one of more as Record<string, string>[]) {
		const same = all.findIndex((entry) => by.every((text) => entry[text] === one[text]));
		if (same < 0) all.push(isFile ? one : { ...one, at });
		else if (isFile && one.note) all[same] = one;
	}
	return all;
}

/** What the update would take out but is not there, each with what is; `null` is a task that has not begun. */
export function missingRemovals(state: TaskState | null, { remove = {} }: TaskUpdate): string[] {
	return PLAIN_LISTS.flatMap((name) => {
		const known = state?.[name] ?? [];
		const there = known.map((text) => `"${text}"`).join(", ") || "none";
		return (remove[name] ?? [])
			.filter((text) => normalise(text) !== "all" && !known.some((one) => normalise(one) === normalise(text)))
			.map((text) => `"${text}" matches none of the ${name}, which are: ${there}`);
	});
}

type Tell = (problem: string) => void;

function fieldOf(name: string, raw: unknown, problem: Tell): unknown {
	const text = (one: unknown): string => parseText(one, problem);
	if (TEXTS.some((one) => one === name)) return text(raw);
	if (name === "last_action") return parseEntry(["summary", "outcome"], raw, problem);
	if (name !== "remove") {
		const texts = (ENTRIES as Record<string, readonly string[]>)[name];
		return parseList(raw, problem, texts ? (one) => parseEntry(texts, one, problem) : text);
	}
	if (!isObject(raw) || !Object.keys(raw).every((key) => PLAIN_LISTS.some((one) => one === key)))
		return problem(`must be an object of lists: ${PLAIN_LISTS.join(", ")}`);
	return Object.fromEntries(Object.entries(raw).map(([key, list]) => [key, parseList(list, problem, text)]));
}

/** A single text stands for a list of one. */
function parseList(raw: unknown, problem: Tell, one: (value: unknown) => unknown): unknown[] {
	if (Array.isArray(raw)) return raw.map(one);
	if (typeof raw === "string") return [one(raw)];
	problem("must be a list");
	return [];
}

/** Its first text must be there; a bare text stands for it. */
function parseEntry([main = "", ...more]: readonly string[], raw: unknown, problem: Tell): Record<string, string> {
	const given = isObject(raw) ? raw : { [main]: raw };
	const entry = { [main]: parseText(given[main], problem, main) };
	for (const name of more) entry[name] = given[name] ? parseText(given[name], problem, name) : "";
	return entry;
}

function parseText(raw: unknown, problem: Tell, part = ""): string {
	const text = typeof raw === "string" ? cut(safeText(raw).trim(), MAX_CHARS) : "";
	if (!text) problem(`${part ? `${part} ` : ""}must be a text that is not empty`);
	return text;
}
