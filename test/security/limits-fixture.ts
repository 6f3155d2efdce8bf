/** Inputs of hostile size as `limits-rows.json` lists them, and what driving ccg with one costs and tells. */
import { join } from "node:path";
import { makeSandbox } from "../../src/doctor/sandbox.ts";
import { tryOrUndefined } from "../../src/files/quietly.ts";
import { projectDataFolder } from "../../src/store/project.ts";
import { Transcript } from "../kit/events.ts";
import { type Measured, runApart } from "../kit/measured.ts";
import { LAUNCHER, type Sandbox } from "../kit/sandbox.ts";
import { contextOf, put, stepOf, textsBelow } from "./kit.ts";
import ROWS from "./limits-rows.json";

/** What the user said beside the hostile input: the block after the compaction must hold it. */
export const PLANTED = "Never touch the folder legacy-billing, it is frozen until the audit.";

/** A head, what is repeated (with its number for `@`), how often, an end; `NEST` in the end closes what the unit opens. */
type Text = [head: string, unit: string, count: number, end: string];

/** One of `limits-rows.json`: a file, a folder of files, a field of an input, or lines of the transcript. */
export interface Hostile {
	name: string;
	/** Hooks and commands, in this order, in one session. */
	entries: string;
	/** What must be said of what was left out, by the answer, the log or the checkpoint. */
	told?: string;
	/** By its first sign: `#` in the project's folder in the store, `.` in the workspace, else in the store. */
	file?: string;
	folder?: string;
	/** Stands in the input of this entry beside the usual, as JSON. */
	entry?: string;
	field?: string;
	/** Of a file, a field, or the names of a folder's files. */
	text?: Text;
	/** Lines of the transcript, so often; `LINE` is its number. The last has no end where it is open. */
	raw?: Text;
	lines?: number;
	isOpen?: boolean;
	/** The user's words stand behind it: what lies before so much was read at an earlier compaction, or is not reached. */
	isBefore?: boolean;
}
export const HOSTILE = ROWS as unknown as Hostile[];

function textOf([head, unit, count, end]: Text): string {
	const body = unit.includes("@")
		? Array.from({ length: count }, (_, i) => unit.replaceAll("@", String(i))).join("")
		: unit.repeat(count);
	return head + body + end.replace("NEST", () => "]".repeat(count));
}

function placeOf(at: Sandbox, name: string): string {
	if (name.startsWith("#/")) return join(projectDataFolder(at.store, at.project), name.slice(2));
	return name.startsWith("./") ? join(at.project, name) : join(at.store, name.replace("SID", at.sid));
}

/** A session in which the user said the planted words, a hostile input beside it. */
export function hostileSandbox(row: Hostile, top: string): Sandbox {
	const at = makeSandbox(top);
	const honest = new Transcript(at.project)
		.typed(PLANTED)
		.said("Understood.")
		.typed("Please move it.")
		.said("I begin.");
	const own = honest.lines.join("\n");
	const raw = row.raw ? textOf(row.raw) : "";
	const more = Array.from({ length: row.lines ?? 1 }, (_, n) => raw.replaceAll("LINE", String(n))).join("\n");
	put(at.transcript, (row.isBefore ? [more, own] : [own, more]).join("\n") + (row.isOpen ? "" : "\n"));
	if (row.file) put(placeOf(at, row.file), textOf(row.text!));
	if (row.folder) for (const name of textOf(row.text!).trim().split("\n")) put(join(placeOf(at, row.folder), name), "");
	return at;
}

export async function drive(at: Sandbox, { entries, entry: own, field, text }: Hostile) {
	const rows: [entry: string, ran: Measured][] = [];
	for (const entry of entries.split(", ")) {
		const { args, input } = stepOf(at, entry);
		const more = own === entry ? `,"${field}":${textOf(text!)}}` : "}";
		const place = { top: at.top, cwd: at.project, env: at.env, limitMs: 20_000 };
		rows.push([entry, await runApart([LAUNCHER, ...args], { ...place, input: input && input.slice(0, -1) + more })]);
	}
	return rows;
}

/** All that was given to the model. */
export const givenIn = (rows: readonly [string, Measured][]): string =>
	rows.map(([, { out }]) => tryOrUndefined(() => contextOf(out)) ?? "").join("\n");

/** What a person or the agent can read of what was left out: answers, the log, the checkpoints. */
export function toldIn(at: Sandbox, rows: readonly [string, Measured][]): string {
	const folders = [join(at.store, "log"), join(at.store, "sessions", at.sid, "checkpoints")];
	const kept = folders.flatMap(textsBelow).map(({ text }) => text);
	return [...rows.flatMap(([, { out, err }]) => [out, err]), ...kept].join("\n");
}
