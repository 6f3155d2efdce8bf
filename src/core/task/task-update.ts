import { normalise, safeText, truncate } from "../text/text.ts";
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
const FIELDS: readonly string[] = [...TEXTS, "last_action", ...ENTRY_LISTS, ...PLAIN_LISTS, "remove"];

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
		if (!FIELDS.includes(name)) problems.push(`${field}: unknown field; known are ${FIELDS.join(", ")}`);
		else if (name in update) problems.push(`${field}: given twice, also as ${name}`);
		else update[name] = parseField(name, raw, (problem) => problems.push(`${field}: ${problem}`));
	}
	if (problems.length > 0) return { problems };
	if (Object.keys(update).length === 0) return { problems: ["the update is empty: it names no field"] };
	return { update: update as TaskUpdate };
}

/** The task's state after an update, as of `at`. Entries that are in a list already are not added again; "all" in `remove` empties a list. */
export function applyUpdate(state: TaskState, update: TaskUpdate, at: string): TaskState {
	const next: TaskState = { ...state, revision: state.revision + 1, updated_at: at, checkpoint_at: at };
	for (const name of TEXTS) if (update[name] !== undefined) next[name] = update[name];
	if (update.last_action) next.last_action = { ...update.last_action, at };
	for (const name of ENTRY_LISTS)
		Object.assign(next, { [name]: mergeEntries(name, state[name], update[name] ?? [], at) });
	for (const name of PLAIN_LISTS) {
		const toRemove = (update.remove?.[name] ?? []).map(normalise);
		const added = update[name] ?? [];
		const all = [...new Set([...state[name], ...added])];
		next[name] = toRemove.includes("all") ? [...added] : all.filter((text) => !toRemove.includes(normalise(text)));
	}
	next.status = next.blockers.length > 0 ? "blocked" : "active";
	return next;
}

/** A list with new entries added. Artifacts have no time, and are the same by their path alone: a new note replaces the old one. */
function mergeEntries(name: EntryList, before: readonly object[], added: readonly object[], at: string): object[] {
	const isFile = name === "artifacts";
	const keyNames = isFile ? ["path"] : ENTRIES[name];
	const all = [...(before as Record<string, string>[])];
	for (const one of added as Record<string, string>[]) {
		const index = all.findIndex((entry) => keyNames.every((text) => entry[text] === one[text]));
		if (index < 0) all.push(isFile ? one : { ...one, at });
		else if (isFile && one.note) all[index] = one;
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
/** Adds a problem with the value that is read. */
type AddProblem = (problem: string) => void;
/** Reads the value of the field `name` of an update. */
function parseField(name: string, raw: unknown, addProblem: AddProblem): unknown {
	const text = (one: unknown): string => parseText(one, addProblem);
	if (TEXTS.some((one) => one === name)) return text(raw);
	if (name === "last_action") return parseEntry(["summary", "outcome"], raw, addProblem);
	if (name !== "remove") {
		const entryTexts = (ENTRIES as Record<string, readonly string[]>)[name];
		return parseList(raw, addProblem, entryTexts ? (one) => parseEntry(entryTexts, one, addProblem) : text);
	}
	if (!isObject(raw) || !Object.keys(raw).every((key) => PLAIN_LISTS.some((one) => one === key)))
		return addProblem(`must be an object of lists: ${PLAIN_LISTS.join(", ")}`);
	return Object.fromEntries(Object.entries(raw).map(([key, list]) => [key, parseList(list, addProblem, text)]));
}

/** Reads a list, each entry by `parse`; a single text stands for a list of one. */
function parseList(raw: unknown, addProblem: AddProblem, parse: (value: unknown) => unknown): unknown[] {
	if (Array.isArray(raw)) return raw.map(parse);
	if (typeof raw === "string") return [parse(raw)];
	addProblem("must be a list");
	return [];
}

/** Reads an entry of a list: the text `main`, which must be there, and others, `""` where they are missing. A bare text stands for `main`. */
function parseEntry(
	[main = "", ...others]: readonly string[],
	raw: unknown,
	addProblem: AddProblem,
): Record<string, string> {
	const texts = isObject(raw) ? raw : { [main]: raw };
	const entry = { [main]: parseText(texts[main], addProblem, main) };
	for (const name of others) entry[name] = texts[name] ? parseText(texts[name], addProblem, name) : "";
	return entry;
}
/** Reads a text without its secrets, truncated to `MAX_CHARS`. An empty one is a problem; `name`: of the text within its entry. */
function parseText(raw: unknown, addProblem: AddProblem, name = ""): string {
	const text = typeof raw === "string" ? truncate(safeText(raw).trim(), MAX_CHARS) : "";
	if (!text) addProblem(`${name ? `${name} ` : ""}must be a text that is not empty`);
	return text;
}
