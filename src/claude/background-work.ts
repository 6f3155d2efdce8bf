import type { BackgroundAccount } from "../core/state/background-tasks.ts";
import { safeHead } from "../core/text/safe-head.ts";
import { cut } from "../core/text/text.ts";
import { isObject } from "../core/transcript/decode.ts";
import type { HookInput } from "./hook-input.ts";

type Task = BackgroundAccount["tasks"][number];

const MAX_TASKS = 60;

/**
 * What runs in the background by Claude Code's own account: `background_tasks` and `session_crons` of a Stop or SubagentStop
 * input (2.1.145 and later; shapes read on 2.1.329). Both lists hold only what runs, so what is missing from them has ended.
 * `null` where neither field came: nothing is known then.
 */
export function backgroundWork({
	background_tasks: tasks,
	session_crons: crons,
}: Pick<HookInput, "background_tasks" | "session_crons">): Task[] | null {
	if (!Array.isArray(tasks) && !Array.isArray(crons)) return null;
	const found = [
		...listed(tasks, ({ id, type, description, command, agent_type: agent, name }) =>
			task(id, type, [description, command, agent ?? name]),
		),
		...listed(crons, ({ id, schedule, prompt }) => task(id, "schedule", [schedule, prompt])),
	];
	const byId = new Map(found.filter(({ id }) => id).map((one) => [one.id, one]));
	return [...byId.values()].slice(0, MAX_TASKS);
}

const listed = (value: unknown, read: (one: Record<string, unknown>) => Task): Task[] =>
	Array.isArray(value) ? value.filter(isObject).slice(0, 200).map(read) : [];

const task = (id: unknown, kind: unknown, about: unknown[]): Task => ({
	id: line(id, 100),
	kind: line(kind, 40) || "task",
	description: line([...new Set(about)].filter((one) => typeof one === "string" && one).join(" — "), 300),
});

const line = (text: unknown, max: number): string =>
	typeof text === "string" ? cut(safeHead(text, 2_000).replace(/\s+/g, " ").trim(), max) : "";
