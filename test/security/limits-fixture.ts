/**
 * Doors and measures for hostile sizes: each hook and command is driven with an input made to stop it, and what it cost and
 * what it told is kept. `bench/limits.ts` prints the table, `limits.long.test.ts` judges it.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeSandbox } from "../../src/doctor/sandbox.ts";
import { Transcript } from "../kit/events.ts";
import { type Measured, runApart } from "../kit/measured.ts";
import { LAUNCHER, type Ran, type Sandbox } from "../kit/sandbox.ts";
import { contextOf } from "./kit.ts";

/** What the user said beside the hostile input: the block after the compaction must hold it. */
export const PLANTED = "Never touch the folder legacy-billing, it is frozen until the audit.";
export const ASKED = "Please move the invoice parser to its own module.";

/** An entry point: a hook with the fields it gets, or a command. */
export const ENTRIES = {
	"start startup": ["session-start", { hook_event_name: "SessionStart", source: "startup" }],
	"start resume": ["session-start", { hook_event_name: "SessionStart", source: "resume" }],
	"start clear": ["session-start", { hook_event_name: "SessionStart", source: "clear" }],
	"pre-compact": ["pre-compact", { hook_event_name: "PreCompact", trigger: "auto", custom_instructions: null }],
	"start compact": ["session-start", { hook_event_name: "SessionStart", source: "compact" }],
	"post-compact": [
		"post-compact",
		{ hook_event_name: "PostCompact", trigger: "auto", compact_summary: "All is well." },
	],
	stop: ["stop", { hook_event_name: "Stop" }],
	"subagent-stop": ["subagent-stop", { hook_event_name: "SubagentStop", agent_id: "a1", agent_type: "Explore" }],
	"session-end": ["session-end", { hook_event_name: "SessionEnd", reason: "other" }],
	"post-tool-batch": ["post-tool-batch", { hook_event_name: "PostToolUse" }],
	"user-prompt-submit": ["user-prompt-submit", { hook_event_name: "UserPromptSubmit", prompt: "go on" }],
	"pre-tool-use": ["pre-tool-use", { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } }],
} as const satisfies Record<string, readonly [string, object]>;

export type EntryPoint = keyof typeof ENTRIES | "statusline" | `ccg ${string}`;

export interface Hostile {
	name: string;
	/** In this order, in one session. */
	entries: readonly EntryPoint[];
	prepare?(at: Sandbox): void;
	/** Beside the fields an entry point has anyway. */
	fields?: Partial<Record<EntryPoint, object>>;
	/** What must be said of what was left out, by the answer, the log or the checkpoint. */
	told?: RegExp;
	/** The words of the user are not among what the entry point can give. */
	wordless?: true;
}

/** What every compaction goes through. */
export const COMPACTION: readonly EntryPoint[] = ["pre-compact", "start compact", "post-compact", "user-prompt-submit"];

export interface LimitRow {
	input: string;
	entry: EntryPoint;
	/** Wall time, and time on the processor. */
	ms: number;
	cpuMs: number;
	mb: number;
	outcome: Ran;
}

/** A session in which the user said the planted words, a hostile input beside it. */
export function hostileSandbox(hostile: Hostile, top: string): Sandbox {
	// a bench has no test file that removes it
	const at = makeSandbox(top);
	talk(at);
	hostile.prepare?.(at);
	return at;
}

/** The honest session; `more` are lines that follow, or stand before it. */
export function talk(at: Sandbox, more: readonly string[] = [], isBefore = false): void {
	const transcript = new Transcript(at.project).typed(PLANTED).said("Understood.").typed(ASKED).said("I begin.");
	const lines = isBefore ? [...more, ...transcript.lines] : [...transcript.lines, ...more];
	put(at.transcript, `${lines.join("\n")}\n`);
}

export function put(path: string, content: string | Uint8Array): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, content);
}

export async function drive(at: Sandbox, hostile: Hostile, { limitMs = 20_000 } = {}): Promise<LimitRow[]> {
	const rows: LimitRow[] = [];
	for (const entry of hostile.entries) {
		const outcome = await enter(at, entry, hostile.fields?.[entry] ?? {}, limitMs);
		rows.push({ input: hostile.name, entry, ms: outcome.ms, cpuMs: outcome.cpuMs, mb: outcome.peakMb, outcome });
	}
	return rows;
}

function enter(at: Sandbox, entry: EntryPoint, fields: object, limitMs: number): Promise<Measured> {
	if (entry.startsWith("ccg ")) return ccgApart(at, entry.slice(4).split(" "), "", limitMs);
	const place = { session_id: at.sid, transcript_path: at.transcript, cwd: at.project };
	if (entry === "statusline") {
		const model = { id: "claude-sonnet-4-6", display_name: "Sonnet" };
		return ccgApart(at, ["statusline"], JSON.stringify({ ...place, model, ...fields }), limitMs);
	}
	const [name, usual] = ENTRIES[entry as keyof typeof ENTRIES];
	return ccgApart(at, ["hook", name], JSON.stringify({ ...place, ...usual, ...fields }), limitMs);
}

const ccgApart = (at: Sandbox, args: string[], input: string, limitMs: number): Promise<Measured> =>
	runApart([LAUNCHER, ...args], { top: at.top, cwd: at.project, env: at.env, input, limitMs });

/** All that was given to the model. */
export const givenIn = (rows: readonly LimitRow[]): string =>
	rows
		.map(({ outcome }) => (outcome.out.startsWith("{") && outcome.code === 0 ? quietContext(outcome.out) : ""))
		.join("\n");

function quietContext(out: string): string {
	try {
		return contextOf(out);
	} catch {
		return "";
	}
}

/** What a person or the agent can read of what was left out: answers, the log, the checkpoints. */
export function toldIn(at: Sandbox, rows: readonly LimitRow[]): string {
	const parts = rows.flatMap(({ outcome }) => [outcome.out, outcome.err]);
	const read = (path: string): void => {
		try {
			parts.push(readFileSync(path, "utf8"));
		} catch {
			// not written
		}
	};
	read(join(at.store, "log", "ccg.log"));
	const folder = join(at.store, "sessions", at.sid, "checkpoints");
	for (const name of quietNames(folder)) if (name.endsWith(".md")) read(join(folder, name));
	return parts.join("\n");
}

function quietNames(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

/** One call of a tool and its result, as two lines. */
export function call(
	tool: string,
	input: unknown,
	n = 0,
	result: unknown = "done",
	detail: unknown = undefined,
): string {
	const at = "2026-01-02T03:04:05.000Z";
	const asked = { type: "tool_use", id: `toolu_x${n}`, name: tool, input };
	const told = { type: "tool_result", tool_use_id: `toolu_x${n}`, content: result };
	const line = (type: string, content: object, more: object = {}): string =>
		JSON.stringify({
			type,
			timestamp: at,
			uuid: `u-${type}-${n}`,
			message: { role: type, content: [content] },
			...more,
		});
	return `${line("assistant", asked)}\n${line("user", told, detail === undefined ? {} : { toolUseResult: detail })}`;
}
