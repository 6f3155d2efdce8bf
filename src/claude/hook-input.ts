import { isObject } from "../core/transcript/decode.ts";
import { quietJson } from "../core/transcript/quiet-json.ts";

/** Of a path, an id, a tool's name. The kernel takes no path over 4,096 bytes. */
const WORD = 4_096;
/** Ten times what a summary has; the rest is not compared. */
const TEXT = 400_000;
/** Larger inputs are not parsed: a hook has no business holding them. */
export const MAX_INPUT_BYTES = 4 * 1024 * 1024;

/** The texts ccg reads of a hook's stdin, and how long each may be. Everything but the event may be missing on some version. */
const TEXTS = {
	hook_event_name: WORD,
	session_id: WORD,
	transcript_path: WORD,
	cwd: WORD,
	/** What was submitted, by whomever. */
	prompt: MAX_INPUT_BYTES,
	agent_id: WORD,
	/** Of a SubagentStop; empty for the fork that writes a summary. */
	agent_type: WORD,
	last_assistant_message: TEXT,
	source: WORD,
	trigger: WORD,
	custom_instructions: TEXT,
	model: WORD,
	tool_name: WORD,
	compact_summary: TEXT,
	/** Why a session ends. */
	reason: WORD,
};
type TextName = keyof typeof TEXTS;

/** What ccg reads of a hook's stdin. */
export interface HookInput extends Partial<Record<TextName, string | undefined>> {
	tool_input?: Record<string, unknown>;
	/** The calls of a batch that ended, by id. */
	tool_use_ids?: string[];
	/** What runs in the background, of a Stop, as it came: `backgroundWork` reads them. */
	background_tasks?: unknown[];
	session_crons?: unknown[];
	/** Of a call by the mod (mod/), which no hook of Claude Code's has. */
	mod?: ModFacts;
	/** What was too long, and is left out or cut. */
	cut?: string[];
}

/** What the mod was told by Claude Code. */
export interface ModFacts {
	tokens: number | null;
	/** Where compaction triggers; `null` where it is off. */
	trigger: number | null;
	/** The window compaction counts by; `null` where it was not asked. */
	window: number | null;
	claudeVersion: string | null;
}

/** Parses a hook's stdin. Throws with a one-line reason; fields of the wrong type are left out. */
export function parseHookInput(bytes: Uint8Array): HookInput {
	if (bytes.length === 0) throw new Error("empty input");
	if (bytes.length > MAX_INPUT_BYTES)
		throw new Error(`input of ${bytes.length} bytes is larger than ${MAX_INPUT_BYTES}`);
	const raw = quietJson(Buffer.from(bytes).toString("utf8"));
	if (raw === undefined) throw new Error(`input of ${bytes.length} bytes is not JSON, or of too many parts`);
	if (!isObject(raw)) throw new Error("input is no JSON object");
	const input: HookInput = {};
	const cut: string[] = [];
	for (const [name, most] of Object.entries(TEXTS) as [TextName, number][]) {
		const given = raw[name];
		if (typeof given !== "string") continue;
		if (given.length <= most) input[name] = given;
		// the beginning of a path is another path
		else if (name === "compact_summary" || name === "last_assistant_message") input[name] = given.slice(0, most);
		if (given.length > most) cut.push(`${name} of ${given.length} characters, ${most} at most`);
	}
	if (cut.length > 0) input.cut = cut;
	for (const name of ["background_tasks", "session_crons"] as const)
		if (Array.isArray(raw[name])) input[name] = raw[name];
	const ids = callIds(raw);
	if (ids.length > 0) input.tool_use_ids = ids;
	if (isObject(raw.tool_input)) input.tool_input = raw.tool_input;
	if (isObject(raw.mod)) input.mod = modFacts(raw.mod);
	return input;
}

function modFacts({ tokens, trigger, window, claudeVersion }: Record<string, unknown>): ModFacts {
	return {
		tokens: counted(tokens),
		trigger: counted(trigger),
		window: counted(window),
		claudeVersion: typeof claudeVersion === "string" ? claudeVersion.slice(0, 64) : null,
	};
}

const counted = (value: unknown): number | null =>
	Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;

/** Of PostToolBatch, or of one call. */
function callIds({ tool_calls: calls, tool_use_id: id }: Record<string, unknown>): string[] {
	const ids = Array.isArray(calls)
		? calls.map((call) => (call as { tool_use_id?: unknown } | null)?.tool_use_id)
		: [id];
	return ids.filter((one): one is string => typeof one === "string" && /^[\w-]{1,100}$/.test(one)).slice(0, MAX_CALLS);
}

/** Calls of one batch that are waited for. */
const MAX_CALLS = 64;
