import type * as z from "zod/mini";
import { type BackgroundTask, countDropped, type SessionState } from "./session-state.ts";
import type * as shapes from "./session-state-shape.ts";

export type BackgroundAccount = z.infer<typeof shapes.backgroundAccount>;

/**
 * Corrects the running background tasks by Claude Code's own account (Stop's `background_tasks` and `session_crons`): what began
 * before it and is not listed has ended; what is listed and was not seen to begin is added. Processes a shell left running by
 * itself are none of its business.
 */
export function applyBackgroundAccount(state: SessionState, account: BackgroundAccount): void {
	const { at, tasks } = account;
	endUnlisted(state, account);
	for (const { id, kind, description } of tasks) {
		const listed = { kind, description, at };
		const known = state.backgroundTasks.find((one) => one.id === id);
		if (known) known.listed = listed;
		else
			state.backgroundTasks.push({
				id,
				kind: KINDS[kind] ?? "agent",
				what: description,
				at,
				output: "",
				listed,
				order: state.order,
			});
	}
	while (state.backgroundTasks.length > MAX_TASKS) {
		state.backgroundTasks.shift();
		countDropped(state, "backgroundTasks");
	}
}

/** What began before the account and is not listed has ended. Also for what the transcript tells behind it. */
export function endUnlisted(state: SessionState, { at, tasks }: BackgroundAccount): void {
	const listed = new Set(tasks.map(({ id }) => id));
	state.backgroundTasks = state.backgroundTasks.filter(
		(one) => one.kind === "detached process" || listed.has(one.id) || one.at === "" || one.at > at,
	);
}

const MAX_TASKS = 40;
/** Claude Code's names of what runs (2.1.329) to ours. */
const KINDS: Record<string, BackgroundTask["kind"]> = {
	shell: "background shell",
	local_bash: "background shell",
	schedule: "schedule",
};
