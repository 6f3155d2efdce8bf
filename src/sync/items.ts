import { handoff } from "../core/block/views.ts";
import { exact, redactSecrets } from "../core/redact/secrets.ts";
import { sha256 } from "../store/gate.ts";
import { loadCheckpoint, sessionsIn, storedCheckpoints } from "../store/recovery/checkpoints.ts";
import { readCycle } from "../store/session/cycles.ts";
import { type Store, sessionAt } from "../store/session-handle.ts";
import { readState } from "../store/task/task-state.ts";
import { MAX_VALUE, type Operation } from "./batch.ts";
import { write } from "./log.ts";
import type { Log } from "./state.ts";
import { inStep } from "./tables.ts";

/** What of a project may be shared beside its notes. */
export const KINDS = ["notes", "tasks", "checkpoints", "summaries"] as const;
export type Kind = (typeof KINDS)[number];

/** Looked at of a project: the sessions and checkpoints written to last. */
const MOST = 50;
/** JSON takes more than the text. */
const MAX_TEXT = MAX_VALUE / 4;

export interface Item {
	item: string;
	field: "state" | "view" | "text";
	value: unknown;
}

/** What this machine has of a project: tasks as they stand, readable views of checkpoints, summaries of compactions. */
export function itemsHere(store: Store, key: string, folder: string, kinds: readonly Kind[]): Item[] {
	const found: Item[] = [];
	const sids = sessionsIn(store, key, { most: MOST });
	if (kinds.includes("tasks"))
		for (const sid of sids) {
			const file = readState(sessionAt(store, sid).paths.folder);
			if (file.found !== "present") continue;
			const { session_id: _, ...state } = file.state;
			found.push({ item: `task:${nameOf(state.task_id)}`, field: "state", value: inProject(state, folder) });
		}
	if (kinds.includes("summaries"))
		for (const sid of sids) {
			const { summary } = readCycle(sessionAt(store, sid));
			if (!summary) continue;
			found.push({
				item: `summary:${sid}/${nameOf(summary.at)}`,
				field: "text",
				value: inProject(cut(summary.text), folder),
			});
		}
	if (kinds.includes("checkpoints"))
		for (const { sid, key: own } of storedCheckpoints(store, { project: key }, { most: MOST, taken: true })) {
			const checkpoint = loadCheckpoint(sessionAt(store, sid), own);
			if (!checkpoint) continue;
			const { text } = handoff(checkpoint, { isLive: false, made: checkpoint.at, changes: [] });
			found.push({ item: `checkpoint:${sid}/${nameOf(own)}`, field: "view", value: inProject(cut(text), folder) });
		}
	return found;
}

const cut = (text: string): string =>
	text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n[cut]`.toWellFormed() : text;
const nameOf = (text: string): string => text.replace(/[^\w.-]/g, "-").slice(0, 80);

/** Paths are told from the project's folder on: where it lies is this machine's own. */
function inProject<T>(value: T, folder: string): T {
	if (typeof value === "string") return value.replaceAll(`${folder}/`, "").replaceAll(folder, ".") as T;
	if (Array.isArray(value)) return value.map((one) => inProject(one, folder)) as T;
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inProject(one, folder)])) as T;
}

/** Of these what was not offered yet, or changed since. Only a task changes. */
export function newItems({ rows }: Log, items: readonly Item[]): (Item & { text: string; base: string })[] {
	return items.flatMap((one) => {
		const text = sha256(JSON.stringify(one.value));
		const had = rows
			.query<{ text: string; base: string }, [string]>("SELECT text, base FROM own WHERE item = ?")
			.get(one.item);
		const isNew = !had || (one.field === "state" && had.text !== text);
		return isNew && JSON.stringify(one.value).length <= MAX_VALUE ? [{ ...one, text, base: had?.base ?? "" }] : [];
	});
}

/** Says them, each in a batch of its own. Gives how many. */
export function offerItems(log: Log, project: string, items: readonly Item[]): number {
	const due = newItems(log, items);
	for (const { item, field, value, text, base } of due)
		inStep(log.rows, () => {
			const op: Operation = { item, field, value, ...(base && { replaces: [base] }) };
			const [id = ""] = write(log, project, [op]);
			const insert = log.rows.query("INSERT OR REPLACE INTO own VALUES(?, ?, 0, ?, ?)");
			insert.run(exact(item), exact(`items ${project}`), redactSecrets(text), exact(id));
		});
	return due.length;
}
