import { isTooBranched } from "../core/transcript/quiet-json.ts";

/** The fields ccg reads of a hook's stdin. Everything but the event may be missing on some version. */
export interface HookInput {
	hook_event_name?: string;
	session_id?: string;
	transcript_path?: string;
	cwd?: string;
	/** Of the prompt whose turn it is, from 2.1.196 on. `/compact` is one. */
	prompt_id?: string;
	/** What was submitted, by whomever. */
	prompt?: string;
	agent_id?: string;
	/** Of a SubagentStop; empty for the fork that writes a summary. */
	agent_type?: string;
	last_assistant_message?: string;
	source?: string;
	trigger?: string | undefined;
	custom_instructions?: string | null;
	model?: string;
	tool_name?: string;
	tool_input?: Record<string, unknown>;
	/** The calls of a batch that ended, by id. */
	tool_use_ids?: string[];
	compact_summary?: string;
	/** Why a session ends. */
	reason?: string;
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

/** Larger inputs are not parsed: a hook has no business holding them. */
export const MAX_INPUT_BYTES = 4 * 1024 * 1024;

/** Parses a hook's stdin. Throws with a one-line reason; fields of the wrong type are left out. */
export function parseHookInput(bytes: Uint8Array): HookInput {
	if (bytes.length === 0) throw new Error("empty input");
	if (bytes.length > MAX_INPUT_BYTES)
		throw new Error(`input of ${bytes.length} bytes is larger than ${MAX_INPUT_BYTES}`);
	const json = Buffer.from(bytes).toString("utf8");
	if (isTooBranched(json)) throw new Error(`input of ${bytes.length} bytes holds too many parts, or too deep ones`);
	let value: unknown;
	try {
		value = JSON.parse(json);
	} catch {
		throw new Error(`input of ${bytes.length} bytes is not JSON`);
	}
	if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Error("input is no JSON object");
	const raw = value as Record<string, unknown>;
	const input: HookInput = {};
	const cut: string[] = [];
	for (const name of FIELDS) {
		const given = raw[name];
		if (typeof given !== "string") continue;
		const most = MAX_CHARS[name] ?? MAX_WORD;
		if (given.length <= most) input[name] = given;
		// the beginning of a path is another path
		else if (name === "compact_summary" || name === "last_assistant_message") input[name] = given.slice(0, most);
		if (given.length > most) cut.push(`${name} of ${given.length} characters, ${most} at most`);
	}
	if (cut.length > 0) input.cut = cut;
	for (const name of LISTS) if (Array.isArray(raw[name])) input[name] = raw[name];
	const ids = callIds(raw);
	if (ids.length > 0) input.tool_use_ids = ids;
	const call = raw.tool_input;
	if (call !== null && typeof call === "object" && !Array.isArray(call))
		input.tool_input = call as Record<string, unknown>;
	const mod = modFacts(raw.mod);
	if (mod) input.mod = mod;
	return input;
}

function modFacts(given: unknown): ModFacts | null {
	if (given === null || typeof given !== "object" || Array.isArray(given)) return null;
	const { tokens, trigger, window, claudeVersion } = given as Record<string, unknown>;
	return {
		tokens: counted(tokens),
		trigger: counted(trigger),
		window: counted(window),
		claudeVersion: typeof claudeVersion === "string" ? claudeVersion.slice(0, 64) : null,
	};
}

const counted = (value: unknown): number | null =>
	Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;

/** Of a path, an id, a tool's name. The kernel takes no path over 4,096 bytes. */
const MAX_WORD = 4_096;
const MAX_CHARS: Partial<Record<(typeof FIELDS)[number], number>> = {
	// ten times what a summary has; the rest is not compared
	compact_summary: 400_000,
	custom_instructions: 400_000,
	last_assistant_message: 400_000,
	prompt: MAX_INPUT_BYTES,
};

/** Of PostToolBatch, or of one call. */
function callIds({ tool_calls: calls, tool_use_id: id }: Record<string, unknown>): string[] {
	const ids = Array.isArray(calls)
		? calls.map((call) => (call as { tool_use_id?: unknown } | null)?.tool_use_id)
		: [id];
	return ids.filter((one): one is string => typeof one === "string" && /^[\w-]{1,100}$/.test(one)).slice(0, MAX_CALLS);
}

/** Calls of one batch that are waited for. */
const MAX_CALLS = 64;

const FIELDS = [
	"hook_event_name",
	"session_id",
	"transcript_path",
	"cwd",
	"prompt_id",
	"prompt",
	"agent_id",
	"agent_type",
	"last_assistant_message",
	"source",
	"trigger",
	"custom_instructions",
	"model",
	"tool_name",
	"compact_summary",
	"reason",
] as const;
const LISTS = ["background_tasks", "session_crons"] as const;
