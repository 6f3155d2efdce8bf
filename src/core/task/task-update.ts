import { cut, normalise, safeText } from "../text/text.ts";
import { isObject } from "../transcript/decode.ts";
import { ENTRIES, ENTRY_LISTS, type EntryList, PLAIN_LISTS, type TaskState } from "./task-state.ts";

type PlainList = (typeof PLAIN_LISTS)[number];
type Entries = { [name in EntryList]: Omit<TaskState[name][number], "at">[] };

/** An update of a task's state: its texts replace the old ones, its entries are added to lists, `remove` takes entries out again. */
export interface TaskUpdate extends Partial<Pick<TaskState, (typeof TEXTS)[number] | PlainList>>, Partial<Entries> {
	last_action?: { summary: string; outcome: string };
	remove?: Partial<Record<PlainList, string[]>>;
}

const MAX_CHARS = 4_000;
const TEXTS = ["goal", "current_phase", "next_action"] as const;
/** Other names that the document uses for the same fields. */
const ALIASES: Record<string, string> = {
	phase: "current_phase",
	touched_files: "artifacts",
	relevant_artifacts: "artifacts",
	last_successful_action: "last_action",
};
const KNOWN: readonly string[] = [...TEXTS, "last_action", ...ENTRY_LISTS, ...PLAIN_LISTS, "remove"];

/**
 * Reads an update from parsed JSON that a person or an agent wrote. An entry may be a bare text. Secrets are taken out, long texts cut.
 * Where anything does not fit, it gives the problems alone, each naming its field: no update is taken in part.
 */
export function parseUpdate(value: unknown): { update: TaskUpdate } | { problems: string[] } {
	const update: Record<string, unknown> = {};
	const problems: string[] = [];
	if (!isObject(value)) return { problems: ["the update must be one JSON object"] };
	for (const [field, raw] of Object.entries(value)) {
		const name = ALIASES[field] ?? field;
		if (!KNOWN.includes(name)) problems.push(`${field}: unknown field; known are ${KNOWN.join(", ")}`);
		else if (name in update) problems.push(`${field}: given twice, also as ${name}`);
		else update[name] = fieldOf(name, raw, (problem) => problems.push(`${field}: ${problem}`));
	}
	if (problems.length > 0) return { problems };
	if (Object.keys(update).length === 0) return { problems: ["the update is empty: it names no field"] };
	return { update: update as TaskUpdate };
}

/** The task's state after an update, as of `at`. Entries that are in a list already are not added again. */
export function applyUpdate(state: TaskState, update: TaskUpdate, at: string): TaskState {
	const next: TaskState = { ...state, revision: state.revision + 1, updated_at: at, checkpoint_at: at };
	for (const name of TEXTS) if (update[name] !== undefined) next[name] = update[name];
	if (update.last_action) next.last_action = { ...update.last_action, at };
	for (const name of ENTRY_LISTS)
		Object.assign(next, { [name]: mergeEntries(name, state[name], update[name] ?? [], at) });
	for (const name of PLAIN_LISTS) {
		const removed = (update.remove?.[name] ?? []).map(normalise);
		const added = update[name] ?? [];
		const all = [...new Set([...state[name], ...added])];
		next[name] = removed.includes("all") ? [...added] : all.filter((text) => !removed.includes(normalise(text)));
	}
	next.status = next.blockers.length > 0 ? "blocked" : "active";
	return next;
}

/** A list with the new entries added. An artifact is the same by its path: a new note replaces the old one; artifacts bear no time. */
function mergeEntries(name: EntryList, known: readonly object[], more: readonly object[], at: string): object[] {
	const list = known as Record<string, string>[];
	const isFile = name === "artifacts";
	const keyNames = isFile ? ["path"] : ENTRIES[name];
	const all = [...list];
	for (const one of more as Record<string, string>[]) {
		const same = all.findIndex((entry) => keyNames.every((text) => entry[text] === one[text]));
		if (same < 0) all.push(isFile ? one : { ...one, at });
		else if (isFile && one.note) all[same] = one;
	}
	return all;
}

/** Problems in words: entries that an update would remove but that its lists do not hold. `state` is `null` before a task has begun. */
export function missingRemovals(state: TaskState | null, { remove = {} }: TaskUpdate): string[] {
	return PLAIN_LISTS.flatMap((name) => {
		const entries = state?.[name] ?? [];
		const present = entries.map((text) => `"${text}"`).join(", ") || "none";
		return (remove[name] ?? [])
			.filter((text) => normalise(text) !== "all" && !entries.some((one) => normalise(one) === normalise(text)))
			.map((text) => `"${text}" matches none of the ${name}, which are: ${present}`);
	});
}
type Tell = (problem: string) => void;
/** Reads the value of one field of an update; problems go to `problem`. */
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

/** Reads a list, each entry by `parse`; a single text stands for a list of one. */
function parseList(raw: unknown, problem: Tell, parse: (value: unknown) => unknown): unknown[] {
	if (Array.isArray(raw)) return raw.map(parse);
	if (typeof raw === "string") return [parse(raw)];
	problem("must be a list");
	return [];
}

/** Reads an entry with these texts. The first must be there, the others are `""` where they are missing; a bare text stands for the first. */
function parseEntry([main = "", ...more]: readonly string[], raw: unknown, problem: Tell): Record<string, string> {
	const texts = isObject(raw) ? raw : { [main]: raw };
	const entry = { [main]: parseText(texts[main], problem, main) };
	for (const name of more) entry[name] = texts[name] ? parseText(texts[name], problem, name) : "";
	return entry;
}
/** Reads a text: without secrets, at most `MAX_CHARS` long; an empty one is a problem, which names `part`. */
function parseText(raw: unknown, problem: Tell, part = ""): string {
	const text = typeof raw === "string" ? cut(safeText(raw).trim(), MAX_CHARS) : "";
	if (!text) problem(`${part ? `${part} ` : ""}must be a text that is not empty`);
	return text;
}
