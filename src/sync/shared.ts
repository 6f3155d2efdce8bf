import { join } from "node:path";
import { cut, oneLine } from "../core/text/text.ts";
import { isObject } from "../core/transcript/decode.ts";
import { cleanText, OWN_HEADING } from "../memory/notes.ts";
import { SHARED, sharedBullet } from "../memory/shared.ts";
import { writeText } from "../store/gate.ts";
import { readText } from "../store/json-file.ts";
import { clockMs } from "./clock.ts";
import { type Log, membersIn, type Value, valuesOf } from "./state.ts";

/** A note of another machine, as it is told here. */
export interface ForeignNote {
	item: string;
	/** The value's id. */
	id: string;
	text: string;
	/** `ann on laptop`. */
	by: string;
	/** Milliseconds since 1970, by the writer's clock. */
	at: number;
	/** The text of this machine's own that it stands beside, where both were changed at once. */
	besides: string | null;
}

/** Who wrote a value, for people and the model. */
export function writerOf(log: Log, machine: string): string {
	const { name, person } = membersIn(log).get(machine) ?? {};
	return `${person || "somebody"} on ${name || machine.slice(0, 8)}`;
}

/** The notes of a project that others wrote, the oldest first. What stands in this machine's own file is not among them. */
export function foreignNotes(log: Log, project: string): ForeignNote[] {
	const own = new Map(
		log.rows
			.query<{ item: string; text: string; base: string }, []>("SELECT item, text, base FROM own")
			.all()
			.map((one) => [one.item, one]),
	);
	return valuesOf(log, "note:", project)
		.filter(({ item, field, value, id }) => field === "text" && typeof value === "string" && own.get(item)?.base !== id)
		.map(({ item, id, value, machine, clock }) => {
			const besides = own.get(item)?.text ?? null;
			return { item, id, text: cleanText(String(value)), by: writerOf(log, machine), at: clockMs(clock), besides };
		})
		.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

/** Its line in `shared.md`. */
export function foreignLine({ text, by, at, besides }: ForeignNote): string {
	const beside = besides === null ? "" : `, beside your "${cut(oneLine(besides), 80)}" (ccg sync conflicts)`;
	return sharedBullet(by, at, `${beside}: ${text}`);
}

const MAX_TASKS = 10;
/** Enough for any start, and for `recall`; who has more looks with `ccg memory list`. */
const MAX_BYTES = 1024 * 1024;

/** Writes what others wrote of a project into a file that starts and searches read. It is made anew each time. */
export function writeShared(log: Log, folder: string, project: string): void {
	const tasks = valuesOf(log, "task:", project).filter(({ machine }) => machine !== log.machine);
	const lines = [
		...tasks.slice(-MAX_TASKS).flatMap((one) => taskLine(log, one)),
		...foreignNotes(log, project).map(foreignLine),
	];
	const fitting: string[] = [];
	let left = MAX_BYTES;
	for (const line of lines.toReversed()) {
		left -= Buffer.byteLength(line);
		if (left >= 0) fitting.unshift(line);
	}
	const head = `${OWN_HEADING}shared: written on other machines; made anew by each 'ccg sync now', so changes here are lost\n\n`;
	const text = [head, ...fitting];
	const path = join(folder, SHARED);
	if (lines.length === 0 && readText(path) === null) return;
	if (readText(path) !== text.join("")) writeText(path, text);
}

function taskLine(log: Log, { value, machine, clock }: Value): string[] {
	if (!isObject(value) || typeof value.goal !== "string") return [];
	const next = typeof value.next_action === "string" ? `; next: ${oneLine(value.next_action)}` : "";
	return [
		sharedBullet(writerOf(log, machine), clockMs(clock), `, task: ${cut(oneLine(value.goal), 200)}${cut(next, 200)}`),
	];
}
