import { resolve } from "node:path";
import type { BackgroundAccount } from "../core/state/background-tasks.ts";
import { safeHead } from "../core/text/safe-head.ts";
import { cut, oneLine } from "../core/text/text.ts";
import { isObject } from "../core/transcript/decode.ts";
import { quietJson } from "../core/transcript/quiet-json.ts";

/** Larger inputs are not parsed: a hook has no business holding them. */
export const MAX_INPUT_BYTES = 4 * 1024 * 1024;

/** Paths, ids and names. One that is too long is left out: cut, it would name something else. The kernel takes no longer path. */
const WORDS = [
	...[
		"hook_event_name",
		"session_id",
		"transcript_path",
		"cwd",
		"agent_id",
		"source",
		"trigger",
		"tool_name",
		"tool_use_id",
	],
	/** Of a SubagentStop; empty for the fork that writes a summary. */
	"agent_type",
	/** Why a session ends. */
	"reason",
] as const;
const MAX_WORD = 4_096;

/** Words of the user and of the model. */
const TEXTS = ["prompt", "last_assistant_message"] as const;
const MAX_TEXT = 400_000;

/** What ccg reads of a hook's stdin. Everything but the event may be missing on some version. */
export interface HookInput extends Partial<Record<(typeof WORDS | typeof TEXTS)[number], string | undefined>> {
	tool_input?: Record<string, unknown>;
	/** What runs in the background, of a Stop, as it came: `backgroundWork` reads them. */
	background_tasks?: unknown;
	session_crons?: unknown;
}

/**
 * Parses a hook's stdin. Throws with a one-line reason; fields of the wrong type are left out. A relative path is one below `folder`, where
 * the session began: with a relative CLAUDE_CONFIG_DIR that of the transcript is (measured on 2.1.332).
 */
export function parseHookInput(bytes: Uint8Array, folder: string): HookInput {
	if (bytes.length === 0) throw new Error("empty input");
	if (bytes.length > MAX_INPUT_BYTES)
		throw new Error(`input of ${bytes.length} bytes is larger than ${MAX_INPUT_BYTES}`);
	const raw = quietJson(Buffer.from(bytes).toString("utf8"));
	if (!isObject(raw)) throw new Error(`input of ${bytes.length} bytes is not JSON, or of too many parts`);
	const input: HookInput = { background_tasks: raw.background_tasks, session_crons: raw.session_crons };
	const textOf = (name: string): string | undefined => {
		const value = raw[name];
		return typeof value === "string" ? value : undefined;
	};
	for (const name of WORDS) if ((textOf(name)?.length ?? 0) <= MAX_WORD) input[name] = textOf(name);
	for (const name of TEXTS) input[name] = textOf(name)?.slice(0, MAX_TEXT);
	if (input.transcript_path) input.transcript_path = resolve(folder, input.transcript_path);
	if (isObject(raw.tool_input)) input.tool_input = raw.tool_input;
	return input;
}

const MAX_TASKS = 60;

/**
 * What runs in the background by Claude Code's own account: `background_tasks` and `session_crons` of a Stop or SubagentStop
 * input (2.1.145 and later; shapes read on 2.1.329). Both lists hold only what runs, so what is missing from them has ended.
 * `null` where neither field came: nothing is known then.
 */
export function backgroundWork({
	background_tasks: tasks,
	session_crons: crons,
}: Pick<HookInput, "background_tasks" | "session_crons">): BackgroundAccount["tasks"] | null {
	if (!Array.isArray(tasks) && !Array.isArray(crons)) return null;
	const tasksAndCrons = [
		...readList(tasks, ({ id, type, description, command, agent_type: agent, name }) =>
			taskFact(id, type, [description, command, agent ?? name]),
		),
		...readList(crons, ({ id, schedule, prompt }) => taskFact(id, "schedule", [schedule, prompt])),
	];
	const byId = new Map(tasksAndCrons.filter(({ id }) => id).map((one) => [one.id, one]));
	return [...byId.values()].slice(0, MAX_TASKS);
}

const readList = <T>(value: unknown, read: (one: Record<string, unknown>) => T): T[] =>
	Array.isArray(value) ? value.filter(isObject).slice(0, 200).map(read) : [];

const taskFact = (id: unknown, kind: unknown, about: unknown[]): BackgroundAccount["tasks"][number] => ({
	id: oneCutLine(id, 100),
	kind: oneCutLine(kind, 40) || "task",
	description: oneCutLine([...new Set(about)].filter((one) => typeof one === "string" && one).join(" — "), 300),
});

const oneCutLine = (text: unknown, max: number): string =>
	typeof text === "string" ? cut(oneLine(safeHead(text, 2_000)), max) : "";
