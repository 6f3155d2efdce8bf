import { join } from "node:path";
import { cut, oneLine } from "../core/text/text.ts";
import { isObject } from "../core/transcript/decode.ts";
import { cleanText, OWN_HEADING } from "../memory/notes.ts";
import { SHARED, SHARED_SESSIONS, sharedBullet } from "../memory/shared.ts";
import { writeText } from "../store/gate.ts";
import { readText } from "../store/json-file.ts";
import { clockMs } from "./clock.ts";
import { type Log, membersIn, ownIn, type Value, valuesOf, vectorOf } from "./state.ts";
import { factOf, keepFact } from "./tables.ts";

/** A note of another machine, as it is told here. */
interface ForeignNote {
	item: string;
	/** The value's id. */
	id: string;
	text: string;
	/** `ann on laptop`. */
	by: string;
	/** Milliseconds since 1970, by the writer's clock. */
	at: number;
	/** Who wrote it before it was imported, as it is told: `, first by bob on desk, 2026-01-31`. */
	first: string;
	/** The text of this machine's own that it stands beside, where both were changed at once. */
	besides: string | null;
}

/** Who wrote a value, for people and the model. */
export function writerOf(log: Log, machine: string): string {
	const { name, person } = membersIn(log).get(machine) ?? {};
	return `${person || "somebody"} on ${name || machine.slice(0, 8)}`;
}

/** The item that says who wrote another one first, where it was imported: somebody's word, signed by whoever imported it. */
export const fromItem = (item: string): string => `from:${item.replace(":", "/")}`;

/** By item. */
export function firstOf(log: Log, project: string): Map<string, { by: string; at: string }> {
	return new Map(
		valuesOf(log, "from:", project).flatMap(({ item, value }) => {
			const { by, at } = isObject(value) ? value : {};
			const own = item.slice("from:".length).replace("/", ":");
			return [[own, { by: oneLine(String(by)).slice(0, 90), at: isMoment(at) ? at : "" }] as const];
		}),
	);
}

/** A moment in ISO 8601, as ccg writes it. */
export const isMoment = (at: unknown): at is string =>
	typeof at === "string" && /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z$/.test(at) && !Number.isNaN(Date.parse(at));

const firstWords = (first: ReturnType<typeof firstOf>, item: string): string => {
	const { by, at } = first.get(item) ?? {};
	return by ? `, first by ${by}${at && `, ${at.slice(0, 10)}`}` : "";
};

/** The notes of a project that others wrote, the oldest first. What stands in this machine's own file is not among them. */
export function foreignNotes(log: Log, project: string): ForeignNote[] {
	const own = ownIn(log);
	const first = firstOf(log, project);
	return valuesOf(log, "note:", project)
		.filter(({ item, field, value, id }) => field === "text" && typeof value === "string" && own.get(item)?.base !== id)
		.map(({ item, id, value, machine, clock }) => {
			const besides = own.get(item)?.text ?? null;
			const who = { by: writerOf(log, machine), at: clockMs(clock), first: firstWords(first, item) };
			return { item, id, text: cleanText(String(value)), ...who, besides };
		})
		.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
		.filter(({ item, text, besides }, i, all) => {
			const isSame = (one: ForeignNote): boolean => one.item === item && one.text === text;
			return text !== besides && all.findIndex(isSame) === i;
		});
}

/** Its line in `shared.md`. */
export function foreignLine({ text, by, at, first, besides }: ForeignNote): string {
	const beside = besides === null ? "" : `, beside your "${cut(oneLine(besides), 80)}" (ccg sync conflicts)`;
	return sharedBullet(by, at, `${first}${beside}: ${text}`);
}

const MAX_TASKS = 10;
/** Enough for any start, and for `recall`, which reads no file of 1 MiB; who has more looks with `ccg memory list`. */
const MAX_BYTES = 1020 * 1024;

/** Writes what others wrote of a project into files that starts and searches read. They are made anew each time, but for the last. */
export function writeShared(log: Log, folder: string, project: string, isLast: boolean): void {
	const then = isLast
		? "as it was when this machine left"
		: "made anew by each 'ccg sync now', so changes here are lost";
	const tasks = valuesOf(log, "task:", project).filter(({ machine }) => machine !== log.machine);
	const notes = foreignNotes(log, project).map(foreignLine);
	const first = firstOf(log, project);
	const lines = [
		...tasks.slice(-MAX_TASKS).flatMap((one) => taskLine(log, one, firstWords(first, one.item))),
		...notes,
	];
	writeLines(join(folder, SHARED), `shared: written on other machines; ${then}`, lines);
	// (of these there may be many)
	const state = JSON.stringify([...vectorOf(log), factOf(log.rows, "sees")]);
	if (!isLast && factOf(log.rows, `sessions ${project}`) === state) return;
	writeLines(join(folder, SHARED_SESSIONS), `shared sessions: of other machines; ${then}`, sessionLines(log, project));
	keepFact(log.rows, `sessions ${project}`, state, true);
}

/** The last ones that fit. */
function writeLines(path: string, title: string, lines: readonly string[]): void {
	const fitting: string[] = [];
	let left = MAX_BYTES;
	for (const line of lines.toReversed()) {
		left -= Buffer.byteLength(line);
		if (left >= 0) fitting.unshift(line);
	}
	const text = [`${OWN_HEADING}${title}\n\n`, ...fitting];
	const before = readText(path);
	if ((lines.length > 0 || before !== null) && before !== text.join("")) writeText(path, text);
}

/** More of them fit into no file. */
const MOST = 1_000;

/** Checkpoints, summaries and passages of others, the last that were written, the oldest first. */
function sessionLines(log: Log, project: string): string[] {
	const sql = `SELECT machine, item, value, clock FROM live WHERE project = ? AND machine <> ? AND value IS NOT NULL
		AND substr(item, 1, instr(item, ':')) IN ('checkpoint:', 'summary:', 'passage:') ORDER BY clock DESC LIMIT ${MOST}`;
	const found = log.rows.query<Value & { value: string }, [string, string]>(sql).all(project, log.machine);
	const first = firstOf(log, project);
	return found
		.map(({ value, ...one }) => ({ ...one, ...said({ value: JSON.parse(value), clock: one.clock }) }))
		.filter(({ text }) => text !== "")
		.sort((a, b) => a.at - b.at || (a.item < b.item ? -1 : 1))
		.map(({ item, by, text, at, machine }) =>
			sharedBullet(writerOf(log, machine), at, `, ${item.split(":")[0]}${by}${firstWords(first, item)}: ${text}`),
		);
}

/** What a value of a session says, and when; of a passage that of its saying, and by whom. */
export function said({ value, clock }: Pick<Value, "value" | "clock">): { text: string; by: string; at: number } {
	const { text = value, by = "", at = "" } = isObject(value) ? value : {};
	const who = by === "user" || by === "agent" ? `, said by the ${by} there` : "";
	return {
		text: typeof text === "string" ? cleanText(text) : "",
		by: who,
		at: isMoment(at) ? Date.parse(at) : clockMs(clock),
	};
}

function taskLine(log: Log, { value, machine, clock }: Value, first: string): string[] {
	if (!isObject(value) || typeof value.goal !== "string") return [];
	const next = typeof value.next_action === "string" ? `; next: ${oneLine(value.next_action)}` : "";
	return [
		sharedBullet(
			writerOf(log, machine),
			clockMs(clock),
			`, task${first}: ${cut(oneLine(value.goal), 200)}${cut(next, 200)}`,
		),
	];
}
