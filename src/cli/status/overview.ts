import { short, shortAge } from "../../core/pressure/status-text.ts";
import { oneLine } from "../../core/text/text.ts";
import type { Io } from "../support/io.ts";
import { wrapped } from "../support/layout/fit.ts";
import { type Column, table } from "../support/layout/table.ts";
import { paintZone } from "./paint.ts";
import type { ShownStatus } from "./shown.ts";

/** The sessions as a table in the terminal's width, and what failed below it. */
export function printSessions(sessions: readonly ShownStatus[], io: Io): void {
	const { out, colours: c } = io;
	const width = io.columns ?? Infinity;
	const { lines, left } = table(columnsOf(sessions, c), width, c.dim);
	for (const line of lines) out(line);
	const indented = (sign: string, text: string): void => {
		for (const [i, part] of wrapped(text, width - 2).entries()) out(`${i === 0 ? sign : " "} ${part}`);
	};
	for (const { session, failure, task, checkpoint, unclear } of sessions) {
		const id = shortId(session, sessions);
		if (failure) indented(c.red("!"), `${id} ${failure.where}: ${oneLine(failure.reason)}`);
		if (task && "problem" in task) indented(c.red("!"), `${id} task: ${oneLine(task.problem)}`);
		if (unclear) indented(c.red("!"), `${id} ${unclear}`);
		if (checkpoint?.state === "committed" && checkpoint.delivered === "no")
			indented(c.red("!"), `${id} what was injected did not reach the model`);
	}
	if (left.length > 0)
		for (const line of wrapped(`Not shown in this width: ${left.join(", ")}.`, width)) out(c.dim(line));
}

function columnsOf(sessions: readonly ShownStatus[], c: Io["colours"]): Column[] {
	const ended = (row: number): boolean => sessions[row]!.ended !== null;
	const dimmed = (cell: string, row: number): string => (ended(row) ? c.dim(cell) : cell);
	const column = (
		title: string,
		rank: number,
		cell: (one: ShownStatus) => string,
		more: Partial<Column> = {},
	): Column => ({
		title,
		rank,
		cells: sessions.map(cell),
		paint: dimmed,
		...more,
	});
	return [
		column("session", 0, ({ session, here }) => `${here ? "*" : " "} ${shortId(session, sessions)}`, {
			paint: (cell, row) => (ended(row) ? c.dim(cell) : sessions[row]!.here ? c.bold(cell) : cell),
		}),
		column("project", 2, ({ project }) => project ?? "?", { least: 8 }),
		column("seen", 0, seenText, {
			paint: (cell, row) => (ended(row) ? c.dim(cell) : cell),
		}),
		column("tokens", 1, tokensOf, { align: "right" }),
		column("zone", 3, ({ zone }) => zone, {
			paint: (cell, row) => (ended(row) ? c.dim(cell) : paintZone(cell, c)),
		}),
		column("checkpoint", 4, ({ checkpoint }) =>
			checkpoint
				? `${checkpoint.ageMs === null ? "" : `${shortAge(checkpoint.ageMs)} ago, `}${checkpoint.state}`
				: "none",
		),
		column("halt gate", 6, haltGateOf),
		column("task", 5, taskOf, { least: 16 }),
		column("model", 7, ({ model }) => model ?? "?", { least: 10 }),
	].filter(({ title, cells }) => title !== "task" || cells.some(Boolean));
}

/** The session that runs and the one that has ended look alike but for this. */
function seenText({ ended, seenMs }: ShownStatus): string {
	const age = seenMs === null ? "?" : shortAge(seenMs);
	return ended === null ? `${age} ago` : `ended ${age}`;
}

function tokensOf({ tokens, trigger, window }: ShownStatus): string {
	const goal = trigger ?? window;
	return `${tokens === null ? "?" : short(tokens)}/${goal === null ? "?" : short(goal)}`;
}

function haltGateOf({ haltGate: { mode, state } }: ShownStatus): string {
	return state === "idle" ? mode : `${mode}, ${state}`;
}

function taskOf({ task }: ShownStatus): string {
	if (!task) return "";
	return "problem" in task ? "damaged" : oneLine(task.goal) || "(no goal)";
}

/** The beginning of an id, long enough to name one of these sessions only. */
function shortId(sid: string, sessions: readonly ShownStatus[]): string {
	let length = 8;
	while (
		length < sid.length &&
		sessions.some(({ session }) => session !== sid && session.startsWith(sid.slice(0, length)))
	)
		length++;
	return sid.slice(0, length);
}
