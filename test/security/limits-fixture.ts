/** Inputs of hostile size as `limits-rows.json` lists them, and what driving ccg with one costs and tells. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeSandbox } from "../../src/doctor/sandbox.ts";
import { quietly } from "../../src/files/quietly.ts";
import { projectFolder } from "../../src/store/project.ts";
import { Transcript } from "../kit/events.ts";
import { type Measured, runApart } from "../kit/measured.ts";
import { LAUNCHER, type Sandbox } from "../kit/sandbox.ts";
import { contextOf, textsBelow } from "./kit.ts";
import ROWS from "./limits-rows.json";

/** What the user said beside the hostile input: the block after the compaction must hold it. */
export const PLANTED = "Never touch the folder legacy-billing, it is frozen until the audit.";

export interface Hostile {
	name: string;
	/** Hooks and commands, in this order, in one session. */
	entries: string[];
	prepare?: (at: Sandbox) => void;
	/** What stands in the input of an entry beside the usual: its name, and a value as JSON. */
	field?: { entry: string; name: string; json: () => string };
	/** What must be said of what was left out, by the answer, the log or the checkpoint. */
	told?: RegExp | undefined;
}

/** A head, what is repeated (with its number for `@`), how often, an end; `NEST` in the end closes what the unit opens. */
type Text = [head: string, unit: string, count: number, end: string];

function textOf([head, unit, count, end]: Text): string {
	const body = unit.includes("@")
		? Array.from({ length: count }, (_, i) => unit.replaceAll("@", String(i))).join("")
		: unit.repeat(count);
	return head + body + end.replace("NEST", () => "]".repeat(count));
}

const entriesOf = (way: string): string[] => ROWS.ways[way as keyof typeof ROWS.ways].split(", ");
const toldBy = (words: string | undefined) =>
	words ? new RegExp(words === "told" ? ROWS.told : words, "i") : undefined;

/** Where a file lies, by the first sign of its name: `#` the project's folder in the store, `.` the workspace, else the store. */
function placeOf(at: Sandbox, name: string): string {
	if (name.startsWith("#/")) return join(projectFolder(at.store, at.project), name.slice(2));
	return name.startsWith("./") ? join(at.project, name) : join(at.store, name.replace("SID", at.sid));
}

function put(path: string, content: string): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, content);
}

const files = (ROWS.files as [string, string, Text, string, string?][]).map(
	([what, name, text, way, told]): Hostile => ({
		name: `${name}: ${what}`,
		entries: entriesOf(way),
		prepare: (at) => put(placeOf(at, name), textOf(text)),
		told: toldBy(told),
	}),
);

const folders = (ROWS.folders as [string, string, string][]).map(
	([name, entry, way]): Hostile => ({
		name: `${name} of 20,000 files`,
		entries: entriesOf(way),
		prepare(at) {
			const folder = placeOf(at, name);
			mkdirSync(folder, { recursive: true });
			for (let i = 0; i < 20_000; i++) writeFileSync(join(folder, entry.replace("@", String(i))), "");
		},
	}),
);

const fields = (ROWS.fields as [string, string, string, Text, string?][]).map(
	([what, entry, name, text, told]): Hostile => ({
		name: `${entry}: ${what}`,
		entries: entriesOf("compaction").includes(entry) ? entriesOf("compaction") : [entry],
		field: { entry, name, json: () => textOf(text) },
		told: toldBy(told),
	}),
);

interface LineRow {
	name: string;
	lines?: number;
	/** The call has no result, or the line no end. */
	isOpen?: boolean;
	/** The user's words stand behind it: what lies before so much was read at an earlier compaction, or is not reached. */
	isBefore?: boolean;
	raw?: Text;
	typed?: Text;
	content?: Text;
	said?: Text;
	tool?: string;
	input?: Text;
	result?: Text;
	detail?: Text;
}

const transcripts = (ROWS.transcripts as unknown as LineRow[]).map(
	(row): Hostile => ({
		name: row.name,
		entries: entriesOf("all"),
		prepare(at) {
			const lines = Array.from({ length: row.lines ?? 1 }, (_, n) => lineOf(row, n)).join("\n");
			const own = honestLines(at).join("\n");
			put(at.transcript, (row.isBefore ? [lines, own] : [own, lines]).join("\n") + (row.isOpen ? "" : "\n"));
		},
	}),
);

const message = (type: string, n: number, content: string, more = ""): string =>
	`{"type":"${type}","promptSource":"typed","timestamp":"2026-01-02T03:04:05.000Z","uuid":"u-${type}-${n}",` +
	`"message":{"role":"${type}","content":${content}}${more}}`;

function lineOf({ raw, typed, content, said, tool, input, result, detail, isOpen }: LineRow, n: number): string {
	if (raw) return textOf(raw);
	if (typed) return message("user", n, JSON.stringify(`${n} ${textOf(typed)}`));
	if (content) return message("user", n, textOf(content));
	if (said) return message("assistant", n, JSON.stringify([{ type: "text", text: textOf(said) }]));
	const given = input ? textOf(input) : `{"command":"ls ${"x".repeat(60)}${n}"}`;
	const call = message("assistant", n, `[{"type":"tool_use","id":"toolu_x${n}","name":"${tool}","input":${given}}]`);
	if (isOpen) return call;
	const told = JSON.stringify(result ? textOf(result) : "done");
	const end = `[{"type":"tool_result","tool_use_id":"toolu_x${n}","content":${told}}]`;
	return `${call}\n${message("user", n, end, detail && `,"toolUseResult":${textOf(detail)}`)}`;
}

const honestLines = (at: Sandbox): string[] =>
	new Transcript(at.project).typed(PLANTED).said("Understood.").typed("Please move it.").said("I begin.").lines;

export const HOSTILE: readonly Hostile[] = [...files, ...folders, ...fields, ...transcripts];

/** A session in which the user said the planted words, a hostile input beside it. */
export function hostileSandbox(hostile: Hostile, top: string): Sandbox {
	const at = makeSandbox(top);
	put(at.transcript, `${honestLines(at).join("\n")}\n`);
	hostile.prepare?.(at);
	return at;
}

export async function drive(at: Sandbox, { entries, field }: Hostile): Promise<[entry: string, ran: Measured][]> {
	const rows: [string, Measured][] = [];
	for (const entry of entries) {
		const more = field?.entry === entry ? `,"${field.name}":${field.json()}}` : "}";
		rows.push([entry, await enter(at, entry, more)]);
	}
	return rows;
}

function enter(at: Sandbox, entry: string, more: string): Promise<Measured> {
	const options = { top: at.top, cwd: at.project, env: at.env, limitMs: 20_000 };
	if (entry.startsWith("ccg ")) return runApart([LAUNCHER, ...entry.slice(4).split(" ")], { ...options, input: "" });
	const place = { session_id: at.sid, transcript_path: at.transcript, cwd: at.project };
	const [name, usual] = ROWS.hooks[entry as keyof typeof ROWS.hooks] ?? ["", { model: { id: "claude-sonnet-4-6" } }];
	const input = JSON.stringify({ ...place, ...(usual as object) }).slice(0, -1) + more;
	return runApart([LAUNCHER, ...(name ? ["hook", name as string] : [entry])], { ...options, input });
}

/** All that was given to the model. */
export const givenIn = (rows: readonly [string, Measured][]): string =>
	rows.map(([, { out }]) => quietly(() => contextOf(out)) ?? "").join("\n");

/** What a person or the agent can read of what was left out: answers, the log, the checkpoints. */
export function toldIn(at: Sandbox, rows: readonly [string, Measured][]): string {
	const folders = [join(at.store, "log"), join(at.store, "sessions", at.sid, "checkpoints")];
	const kept = folders.flatMap(textsBelow).map(({ text }) => text);
	return [...rows.flatMap(([, { out, err }]) => [out, err]), ...kept].join("\n");
}
