import { resolve } from "node:path";
import type { TaskListing } from "../core/state/background-tasks.ts";
import { safeHead } from "../core/text/safe-head.ts";
import { oneLine, truncate } from "../core/text/text.ts";
import { isObject } from "../core/transcript/decode.ts";
import { parseBoundedJson } from "../core/transcript/quiet-json.ts";

/** Larger inputs are not parsed: a hook has no business holding them. */
export const MAX_INPUT_BYTES = 4 * 1024 * 1024;

/** Paths, ids and names. One that is too long is left out: cut, it would name something else. The kernel takes no longer path. */
const SHORT_FIELDS = [
	...["hook_event_name", "session_id", "transcript_path", "cwd", "agent_id", "source", "trigger"],
	...["tool_name", "tool_use_id"],
	/** Of a SubagentStop; empty for the fork that writes a summary. */
	"agent_type",
	/** Why a session ends. */
	"reason",
] as const;
const MAX_WORD = 4_096;

/** Words of the user and of the model. */
const TEXT_FIELDS = ["prompt", "last_assistant_message"] as const;
const MAX_TEXT = 400_000;

/** What ccg reads of a hook's stdin. Everything but the event may be missing on some version. */
export interface HookInput
	extends Partial<Record<(typeof SHORT_FIELDS | typeof TEXT_FIELDS)[number], string | undefined>> {
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
	const raw = parseBoundedJson(Buffer.from(bytes).toString("utf8"));
	if (!isObject(raw)) throw new Error(`input of ${bytes.length} bytes is not JSON, or of too many parts`);
	const input: HookInput = { background_tasks: raw.background_tasks, session_crons: raw.session_crons };
	const textOf = (name: string): string | undefined => {
		const value = raw[name];
		return typeof value === "string" ? value : undefined;
	};
	for (const name of SHORT_FIELDS) if ((textOf(name)?.length ?? 0) <= MAX_WORD) input[name] = textOf(name);
	for (const name of TEXT_FIELDS) input[name] = textOf(name)?.slice(0, MAX_TEXT);
	if (input.transcript_path) input.transcript_path = resolve(folder, input.transcript_path);
	if (isObject(raw.tool_input)) input.tool_input = raw.tool_input;
	return input;
}

const MAX_TASKS = 60;

/**
 * The tasks that run in the background, as Claude Code lists them in `background_tasks` and `session_crons` of a Stop or SubagentStop
 * input (2.1.145 and later; shapes read on 2.1.329). Both lists hold only what runs, so what is missing from them has ended.
 * `null` where neither field came: nothing is known then.
 */
export function backgroundWork({
	background_tasks: tasks,
	session_crons: crons,
}: Pick<HookInput, "background_tasks" | "session_crons">): TaskListing["tasks"] | null {
	if (!Array.isArray(tasks) && !Array.isArray(crons)) return null;
	const tasksAndCrons = [
		...readObjects(tasks, ({ id, type, description, command, agent_type: agent, name }) =>
			describeTask(id, type, [description, command, agent ?? name]),
		),
		...readObjects(crons, ({ id, schedule, prompt }) => describeTask(id, "schedule", [schedule, prompt])),
	];
	const byId = new Map(tasksAndCrons.filter(({ id }) => id).map((one) => [one.id, one]));
	return [...byId.values()].slice(0, MAX_TASKS);
}

/** What `read` makes of each object in a list, of 200 at most; empty where the value is no list. */
const readObjects = <T>(value: unknown, read: (one: Record<string, unknown>) => T): T[] =>
	Array.isArray(value) ? value.filter(isObject).slice(0, 200).map(read) : [];

/** A background task as the record keeps it; `about` are the texts that describe it. */
const describeTask = (id: unknown, kind: unknown, about: unknown[]): TaskListing["tasks"][number] => ({
	id: toShortLine(id, 100),
	kind: toShortLine(kind, 40) || "task",
	description: toShortLine([...new Set(about)].filter((one) => typeof one === "string" && one).join(" — "), 300),
});

/** A text on one line, redacted, of at most `max` characters; empty for another value. */
const toShortLine = (text: unknown, max: number): string =>
	typeof text === "string" ? truncate(oneLine(safeHead(text, 2_000)), max) : "";
