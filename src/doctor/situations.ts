import type { EntryName } from "../install/catalog.ts";
import { isObject } from "../install/entries.ts";
import type { Ran } from "../install/run-process.ts";
import type { Config } from "../store/config/config.ts";
import { parseObject } from "../store/json-file.ts";
import { type PlayedSession, sessionFields } from "./sandbox.ts";

/** A moment of a session that is played for a command, and what it must answer then. */
export interface Situation {
	part: EntryName;
	/** Its name in the report. */
	run: string;
	event: string;
	/** What Claude Code tells of this event. */
	fields: object;
	expects: Expectation;
}

export type Expectation =
	/** One JSON object whose `additionalContext` starts so, or plain text; `orNothing` where there may be nothing to say. */
	| { kind: "context" | "text"; starts: string; orNothing?: boolean }
	/** `leavesUsage`: a measurement in the store. */
	| { kind: "nothing"; leavesUsage?: true }
	| { kind: "lines" };

/** The situation in which a flush marker stands. */
export const WITH_MARKER = "marker set";
/** The one of the pre-check, which runs before every tool call. */
export const WITHOUT_MARKER = "no marker";

/** Below this the memory's first line may not fit into the budget. */
const SMALL_BUDGET = 800;
const VERSION = "2.1.329";
const MODEL = "claude-opus-4-6";
const USAGE = {
	input_tokens: 12,
	cache_creation_input_tokens: 1_500,
	cache_read_input_tokens: 30_000,
	output_tokens: 90,
};
const TOOL = { tool_name: "Bash", tool_input: { command: "npm test" }, tool_use_id: "toolu_ccg_doctor_1" };
const ENDED = { stop_hook_active: false, last_assistant_message: "The tests pass.", background_tasks: [] };
const STATUS_LINE = {
	model: { id: MODEL, display_name: "Opus 4.6" },
	version: VERSION,
	context_window: {
		total_input_tokens: 31_512,
		total_output_tokens: 90,
		context_window_size: 200_000,
		current_usage: USAGE,
		used_percentage: 16,
		remaining_percentage: 84,
	},
};

const NOTHING: Expectation = { kind: "nothing" };
const USAGE_ALONE: Expectation = { kind: "nothing", leavesUsage: true };
const RECOVERY = { kind: "context", starts: "ccg recovery" } as const;

/** In the order of a session: later ones build on what the earlier ones left. */
export function situations({ nudge, startup }: Config): Situation[] {
	const started = { source: "startup", model: MODEL };
	const compacted = { source: "compact", model: MODEL };
	const summary = { compact_summary: "The tests were to be run." };
	const subagent = { ...ENDED, agent_id: "a0", agent_type: "Explore" };
	const prompt = { prompt: "continue" };
	const memory: Expectation = { kind: "context", starts: "ccg memory", orNothing: startup.maxChars < SMALL_BUDGET };
	const nudged: Expectation = nudge.wording === "off" ? NOTHING : { kind: "context", starts: "ccg nudge" };
	const all: [EntryName, string, string, object, Expectation][] = [
		["session-start", "startup", "SessionStart", started, memory],
		["pre-compact", "automatic compaction", "PreCompact", { trigger: "auto" }, { kind: "text", starts: "ccg" }],
		["session-start", "after compaction", "SessionStart", compacted, RECOVERY],
		["post-compact", "after compaction", "PostCompact", summary, NOTHING],
		[
			"user-prompt-submit",
			"first prompt after compaction",
			"UserPromptSubmit",
			prompt,
			{ ...RECOVERY, orNothing: true },
		],
		["user-prompt-submit", "nothing to inject", "UserPromptSubmit", prompt, NOTHING],
		["pre-tool-use", WITHOUT_MARKER, "PreToolUse", TOOL, NOTHING],
		["pre-tool-use", WITH_MARKER, "PreToolUse", TOOL, nudged],
		["post-tool-batch", "after a step", "PostToolBatch", { tool_calls: [TOOL] }, USAGE_ALONE],
		["stop", "end of a turn", "Stop", ENDED, USAGE_ALONE],
		["subagent-stop", "end of a subagent", "SubagentStop", subagent, NOTHING],
		["statusline", "one refresh", "StatusLine", STATUS_LINE, { kind: "lines" }],
		["session-end", "end of the session", "SessionEnd", { reason: "other" }, NOTHING],
	];
	return all.map(([part, run, event, fields, expects]) => ({ part, run, event, fields, expects }));
}

/** What Claude Code writes to the command's stdin in this situation. */
export function payload({ event, fields }: Pick<Situation, "event" | "fields">, session: PlayedSession): string {
	const { project } = session;
	const own =
		event === "StatusLine"
			? { workspace: { current_dir: project, project_dir: project, added_dirs: [] } }
			: { hook_event_name: event, permission_mode: "default" };
	return JSON.stringify({ ...sessionFields(session), ...own, ...fields });
}

/** A short session: a request with a directive, and an answer. */
export function doctorTranscript({ sid, project }: PlayedSession, now: Date): string {
	const request = "Run the tests. Never change the expected values in them.";
	const answer = { id: "msg_ccg_doctor_1", type: "message", role: "assistant", model: MODEL, usage: USAGE };
	const common = { sessionId: sid, cwd: project, version: VERSION, userType: "external", isSidechain: false };
	const lines = [
		{ type: "user", promptSource: "typed", message: { role: "user", content: request } },
		{ type: "assistant", message: { ...answer, content: [{ type: "text", text: "The tests pass." }] } },
	];
	const uuid = (n: number): string | null => (n < 0 ? null : `00000000-0000-4000-8000-00000000000${n}`);
	return lines
		.map((line, n) => ({ parentUuid: uuid(n - 1), uuid: uuid(n), ...common, ...line }))
		.map((line, n) => ({ ...line, timestamp: new Date(now.getTime() - 2000 + n * 1000).toISOString() }))
		.map((line) => `${JSON.stringify(line)}\n`)
		.join("");
}

/** Claude Code replaces a value of more than 10,000 characters by a preview. */
const MAX_CHARS = 9_500;

/**
 * Why what a command answered is not what Claude Code reads and the situation calls for; `null` where it is. `chars` counts the value
 * Claude Code takes: the `additionalContext`, else all of stdout. `hasUsage`: it left a measurement.
 */
export function judge(
	{ event, expects }: Pick<Situation, "event" | "expects">,
	ran: Ran,
	hasUsage: boolean,
): { reason: string | null; chars: number } {
	const out = ran.out.trim();
	const { text = out, problem } = expects.kind === "context" ? contextOf(out, event) : { text: out };
	const tooLong =
		text.length > MAX_CHARS
			? `${text.length} characters; from 10,000 on Claude Code gives the model a preview only`
			: null;
	return { reason: endOf(ran) ?? problem ?? answerProblem(expects, text, hasUsage) ?? tooLong, chars: text.length };
}

function endOf({ code, err, timedOut, ms }: Ran): string | null {
	if (timedOut) return `no end after ${Math.round(ms / 1000)} s, killed`;
	if (code === 0) return null;
	const said = err.trim().split("\n")[0]!.slice(0, 200);
	return `${code === null ? "ended by a signal" : `exit code ${code}`}${said ? ` (${said})` : ""}`;
}

function answerProblem(expects: Situation["expects"], text: string, hasUsage: boolean): string | null {
	if (expects.kind === "lines") return text === "" ? "printed no line" : null;
	if (expects.kind === "nothing") {
		if (text !== "") return `printed ${excerpt(text)} where nothing is to be said`;
		return expects.leavesUsage && !hasUsage ? "left no measurement in the store" : null;
	}
	if (text.startsWith(expects.starts) || (text === "" && expects.orNothing)) return null;
	return text === ""
		? `printed nothing, expected a text that starts with "${expects.starts}"`
		: `${excerpt(text)} does not start with "${expects.starts}"`;
}

const KNOWN = ["hookSpecificOutput", "systemMessage", "hookEventName", "additionalContext"];

/** The text for the model in a hook's JSON. Any other key would decide something ccg has no business deciding. */
function contextOf(text: string, event: string): { text?: string; problem?: string } {
	if (text === "") return { text };
	const value = parseObject(text);
	if (!value) return { problem: `printed ${excerpt(text)}, which is not one JSON object` };
	const { hookSpecificOutput: inner = {}, systemMessage: line } = value;
	if (!isObject(inner)) return { problem: "hookSpecificOutput is no object" };
	const strange = Object.keys({ ...value, ...inner }).filter((key) => !KNOWN.includes(key));
	if (strange.length > 0) return { problem: `the JSON holds ${strange.join(", ")}, which ccg never sends` };
	// a line for the user decides nothing
	if (value.hookSpecificOutput === undefined && typeof line === "string") return { text: "" };
	if (inner.hookEventName !== event)
		return { problem: `hookEventName is ${String(inner.hookEventName)}, not ${event}` };
	return typeof inner.additionalContext === "string"
		? { text: inner.additionalContext }
		: { problem: "additionalContext is no text" };
}

const excerpt = (text: string): string =>
	JSON.stringify(text.replace(/\s+/g, " ").slice(0, 60)) + (text.length > 60 ? "…" : "");
