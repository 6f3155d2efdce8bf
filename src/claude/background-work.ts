import type { BackgroundAccount } from "../core/state/background-tasks.ts";
import { safeHead } from "../core/text/safe-head.ts";
import { cut } from "../core/text/text.ts";

type Task = BackgroundAccount["tasks"][number];

const MAX_TASKS = 60;

/**
 * What runs in the background by Claude Code's own account: `background_tasks` and `session_crons` of a Stop or
 * SubagentStop input (2.1.145 and later; shapes read on 2.1.329: `id type status description command? agent_type? server?
 * tool? name?` and `id schedule recurring prompt`). Both lists hold only background tasks that run, so what is missing
 * from them has ended. `null` where neither field came: nothing is known then.
 */
export function backgroundWork(input: { background_tasks?: unknown; session_crons?: unknown }): Task[] | null {
	const { background_tasks: tasks, session_crons: crons } = input;
	if (!Array.isArray(tasks) && !Array.isArray(crons)) return null;
	const found = [...list(tasks).flatMap(taskOf), ...list(crons).flatMap(cronOf)];
	const seen = new Set<string>();
	return found.filter(({ id }) => !seen.has(id) && seen.add(id)).slice(0, MAX_TASKS);
}

function taskOf(value: Record<string, unknown>): Task[] {
	const { id, type, description, command, agent_type: agent, name, server, tool } = value;
	if (typeof id !== "string" || !id) return [];
	const what = [description, command, agent ?? name ?? [server, tool].filter(isText).join(" ")].filter(isText);
	return [task(id, isText(type) ? type : "task", [...new Set(what)].join(" — "))];
}

function cronOf(value: Record<string, unknown>): Task[] {
	const { id, schedule, recurring, prompt } = value;
	if (typeof id !== "string" || !id) return [];
	const when = isText(schedule) ? `${recurring === false ? "once at" : "at"} ${schedule}` : "";
	return [task(id, "schedule", [when, isText(prompt) ? prompt : ""].filter(Boolean).join(": "))];
}

function task(id: string, kind: string, description: string): Task {
	return { id: line(id, 100), kind: line(kind, 40), description: line(description, 300) };
}

const line = (text: string, max: number): string => cut(safeHead(text, 2_000).replace(/\s+/g, " ").trim(), max);
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const list = (value: unknown): Record<string, unknown>[] =>
	Array.isArray(value) ? value.filter((one) => one !== null && typeof one === "object").slice(0, 200) : [];
