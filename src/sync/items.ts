import { homedir } from "node:os";
import { handoff } from "../core/block/views.ts";
import { redactDeep } from "../core/redact/secrets.ts";
import { newestSaid } from "../search/recall.ts";
import { sha256 } from "../store/gate.ts";
import { loadCheckpoint, sessionsIn, storedCheckpoints } from "../store/recovery/checkpoints.ts";
import { readCycle } from "../store/session/cycles.ts";
import { type Store, sessionAt } from "../store/session-handle.ts";
import { readState } from "../store/task/task-state.ts";
import { MAX_VALUE } from "./batch.ts";
import { write } from "./log.ts";
import { keepOwn, type Log, ownIn, valuesAt } from "./state.ts";
import { inStep } from "./tables.ts";

/** What of a project may be shared beside its notes. */
export const KINDS = ["notes", "tasks", "checkpoints", "summaries", "passages"] as const;
export type Kind = (typeof KINDS)[number];

/** Looked at of a project: the sessions and checkpoints written to last, the passages said last. */
const [MOST, MOST_SAID] = [50, 200];
/** JSON takes more than the text. */
const MAX_TEXT = MAX_VALUE / 4;

export interface Item {
	item: string;
	field: "state" | "view" | "text";
	value: unknown;
}

/**
 * What this machine has of a project: tasks as they stand, readable views of checkpoints, summaries of compactions, passages of the search
 * index: what user and agent said, no call and no result.
 */
export function itemsHere(store: Store, key: string, folder: string, kinds: readonly Kind[]): Item[] {
	const found: Item[] = [];
	const sids = sessionsIn(store, key, { most: MOST });
	if (kinds.includes("tasks"))
		for (const sid of sids) {
			const file = readState(sessionAt(store, sid).paths.folder);
			if (file.found !== "present") continue;
			const { session_id: _, ...state } = file.state;
			found.push({ item: `task:${nameOf(state.task_id)}`, field: "state", value: state });
		}
	if (kinds.includes("summaries"))
		for (const sid of sids) {
			const { summary } = readCycle(sessionAt(store, sid));
			if (!summary) continue;
			found.push({ item: `summary:${sid}/${nameOf(summary.at)}`, field: "text", value: cut(summary.text) });
		}
	if (kinds.includes("checkpoints"))
		for (const { sid, key: own } of storedCheckpoints(store, { project: key }, { most: MOST, taken: true })) {
			const checkpoint = loadCheckpoint(sessionAt(store, sid), own);
			if (!checkpoint) continue;
			const { text } = handoff(checkpoint, { isLive: false, made: checkpoint.at, changes: [] });
			found.push({ item: `checkpoint:${sid}/${nameOf(own)}`, field: "view", value: cut(text) });
		}
	if (kinds.includes("passages"))
		for (const { session, pos, part, kind, at, text } of newestSaid(store, key, MOST_SAID)) {
			const value = { by: kind, at: new Date(at * 1000).toISOString(), text };
			found.push({ item: `passage:${nameOf(session)}/${pos}-${part}`, field: "text", value });
		}
	return found.map((one) => ({ ...one, value: redactDeep(inProject(one.value, folder)) }));
}

const cut = (text: string): string =>
	text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n[cut]`.toWellFormed() : text;
const nameOf = (text: string): string => text.replace(/[^\w.-]/g, "-").slice(0, 80);

/** Paths are told from the project's folder on, else from the home folder: where these lie is this machine's own. */
function inProject<T>(value: T, folder: string): T {
	if (typeof value === "string")
		return value.replaceAll(`${folder}/`, "").replaceAll(folder, ".").replaceAll(`${homedir()}/`, "~/") as T;
	if (Array.isArray(value)) return value.map((one) => inProject(one, folder)) as T;
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inProject(one, folder)])) as T;
}

/** Of these what was not offered yet, nor imported, or changed since. Only a task changes. */
export function newItems(log: Log, items: readonly Item[]): (Item & { text: string; base: string })[] {
	const own = ownIn(log);
	return items.flatMap((one) => {
		const text = sha256(JSON.stringify(one.value));
		const standing = () =>
			valuesAt(log, one.item, one.field).map(({ id, machine, value }) => ({
				...{ machine, text: sha256(JSON.stringify(value)), base: id },
			}));
		const had = own.get(one.item) ?? standing().find((had) => had.machine === log.machine || had.text === text);
		const isNew = !had || (one.field === "state" && had.text !== text);
		return isNew && JSON.stringify(one.value).length <= MAX_VALUE ? [{ ...one, text, base: had?.base ?? "" }] : [];
	});
}

/** Says them. Gives how many. */
export function offerItems(log: Log, project: string, items: readonly Item[]): number {
	const due = newItems(log, items);
	inStep(log.rows, () => {
		const ids = write(
			log,
			project,
			due.map(({ item, field, value, base }) => ({ item, field, value, ...(base && { replaces: [base] }) })),
		);
		const place = `items ${project}`;
		keepOwn(
			log,
			due.map(({ item, text }, i) => ({ item, place, at: 0, text, base: ids[i]! })),
		);
	});
	return due.length;
}
