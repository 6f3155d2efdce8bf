import { placed } from "../text/paths.ts";
import { safeHead } from "../text/safe-head.ts";
import { cut, safeText } from "../text/text.ts";
import type { TranscriptEvent } from "../transcript/event.ts";
import { endsBackgroundTask } from "./background-tasks.ts";
import { beginDeeds } from "./deeds.ts";
import { filePath, isEdit, safeName, touch } from "./file-uses.ts";
import { keptInput } from "./kept-input.ts";
import { type Applied, countDropped, type OpenCall, type SessionState } from "./session-state.ts";
import { applyTask, tasksBefore } from "./tasks.ts";

const KEEPS_INPUT = new Set(["TaskCreate", "ExitPlanMode", "AskUserQuestion", "CronCreate", "ScheduleWakeup"]);

export function applyCall(state: SessionState, event: Extract<TranscriptEvent, { kind: "call" }>): Applied {
	const { tool, input } = event;
	state.order++;
	const named = filePath(input);
	const path = named && placed(named, state.cwd);
	if (path) touch(state, safeName(path), event);
	const subject = callSubject(tool, input, state.cwd);
	const keepsInput = KEEPS_INPUT.has(tool);
	if (event.id === "__proto__") return {};
	const undo = tasksBefore(state, event);
	const call: OpenCall = {
		// a server names its tools as it likes
		tool: safeName(tool).slice(0, 200),
		subject,
		order: state.order,
		at: event.at,
		...(keepsInput ? { input: keptInput(input) } : {}),
		...(path && isEdit(tool) ? { path: safeName(path) } : {}),
		...(tool === "Bash" && input.run_in_background === true ? { background: true } : {}),
		...(undo && { undo }),
	};
	state.open[event.id] = call;
	beginDeeds(state, event, call);
	boundOpen(state);
	if (tool === "ExitPlanMode" && typeof input.plan === "string") {
		const path = typeof input.planFilePath === "string" ? safeName(input.planFilePath) : "";
		state.plan = { text: cut(safeText(input.plan), 12_000), path, at: event.at, approved: false };
	}
	applyTask(state, event);
	endsBackgroundTask(state, event);
	return { call };
}

/** What a call was made on, one line: the command, the file, the pattern. */
function callSubject(tool: string, input: Record<string, unknown>, cwd: string): string {
	const where = typeof input.path === "string" && input.path ? ` in ${placed(input.path, cwd)}` : "";
	const value =
		tool === "Bash"
			? input.command
			: typeof input.pattern === "string"
				? `${input.pattern}${where}`
				: (filePath(input) ?? input.description ?? input.url ?? input.query);
	return cut(safeHead(typeof value === "string" ? value : "", 2_000).trim(), 400);
}

/** Calls that never end: as many as a session never has at once. The oldest goes. */
function boundOpen(state: SessionState): void {
	const many = openCalls.get(state) ?? Object.keys(state.open).length;
	openCalls.set(state, many + 1);
	if (many < 2 * MAX_OPEN) return;
	// counted now and then: results have closed most of them
	const ids = Object.keys(state.open);
	const over = ids.slice(0, Math.max(0, ids.length - MAX_OPEN));
	for (const id of over) delete state.open[id];
	if (over.length) countDropped(state, "open calls", over.length);
	openCalls.set(state, ids.length - over.length);
}
const openCalls = new WeakMap<SessionState, number>();
const MAX_OPEN = 400;
