import type { Config } from "../core/config/config.ts";
import { isObject } from "../core/transcript/decode.ts";
import { parseObject } from "../files/json-file.ts";
import type { EntryName } from "../install/catalog.ts";
import type { Ran } from "../install/run-process.ts";
import { type Sandbox, sessionFields } from "./sandbox.ts";

/** A moment of a session that is played for a command, and what it must answer then. */
export type Situation = ReturnType<typeof situations>[number];

/** The situation in which a flush marker stands. */
export const WITH_MARKER = "marker set";

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
	context_window: { context_window_size: 200_000, current_usage: USAGE, used_percentage: 16, remaining_percentage: 84 },
};

const NOTHING = [""];
const RECOVERY = "ccg recovery";

/**
 * In the order of a session: later ones build on what the earlier ones left. `run` is its name in the report, `fields` is what Claude Code
 * tells of the event, `says` how the text that it takes of the answer may begin; `""` for none, `null` for any.
 */
export function situations({ nudge }: Config) {
	const started = { source: "startup", model: MODEL };
	const compacted = { source: "compact", model: MODEL };
	const subagent = { ...ENDED, agent_id: "a0", agent_type: "Explore" };
	const prompt = { prompt: "continue" };
	const nudged = nudge.wording === "off" ? NOTHING : ["ccg nudge"];
	const all: [EntryName, string, string, object, string[] | null][] = [
		["session-start", "startup", "SessionStart", started, ["ccg memory"]],
		["pre-compact", "automatic compaction", "PreCompact", { trigger: "auto" }, ["ccg"]],
		["session-start", "after compaction", "SessionStart", compacted, [RECOVERY]],
		["user-prompt-submit", "first prompt after compaction", "UserPromptSubmit", prompt, [RECOVERY, ""]],
		["user-prompt-submit", "nothing to inject", "UserPromptSubmit", prompt, NOTHING],
		["post-tool-use", "after a step", "PostToolUse", TOOL, NOTHING],
		["pre-tool-use", "no marker", "PreToolUse", TOOL, NOTHING],
		["pre-tool-use", WITH_MARKER, "PreToolUse", TOOL, nudged],
		["stop", "end of a turn", "Stop", ENDED, NOTHING],
		["subagent-stop", "end of a subagent", "SubagentStop", subagent, NOTHING],
		["statusline", "one refresh", "StatusLine", STATUS_LINE, null],
		["session-end", "end of the session", "SessionEnd", { reason: "other" }, NOTHING],
	];
	return all.map(([part, run, event, fields, says]) => ({ part, run, event, fields, says }));
}

/** What Claude Code writes to the command's stdin in this situation. */
export function payload({ event, fields }: Pick<Situation, "event" | "fields">, session: Sandbox): string {
	const { project } = session;
	const own =
		event === "StatusLine"
			? { workspace: { current_dir: project, project_dir: project, added_dirs: [] } }
			: { hook_event_name: event, permission_mode: "default" };
	return JSON.stringify({ ...sessionFields(session), ...own, ...fields });
}

/** A short session: a request with a directive, and an answer. */
export function doctorTranscript({ sid, project }: Sandbox): string {
	const request = "Run the tests. Never change the expected values in them.";
	const answer = { id: "msg_ccg_doctor_1", type: "message", role: "assistant", model: MODEL, usage: USAGE };
	const common = { sessionId: sid, cwd: project, version: VERSION, userType: "external", isSidechain: false };
	const lines = [
		{ type: "user", promptSource: "typed", message: { role: "user", content: request } },
		{ type: "assistant", message: { ...answer, content: [{ type: "text", text: "The tests pass." }] } },
	];
	const uuids = [null, "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"];
	const timestamp = new Date().toISOString();
	return lines
		.map((line, n) => ({ parentUuid: uuids[n], uuid: uuids[n + 1], ...common, ...line, timestamp }))
		.map((line) => `${JSON.stringify(line)}\n`)
		.join("");
}

/**
 * Why what a command answered is not what Claude Code reads and the situation calls for; `null` where it is. `chars` counts the value
 * Claude Code takes: the `additionalContext`, else all of stdout.
 */
export function judgeAnswer(
	{ event, says }: Pick<Situation, "event" | "says">,
	{ code, out, err, timedOut, ms }: Ran,
): { reason: string | null; chars: number } {
	const text = takenOf(out.trim(), event);
	const chars = text.length;
	const told = (reason: string | null) => ({ reason, chars });
	if (timedOut) return told(`no end after ${Math.round(ms / 1000)} s, killed`);
	if (code !== 0) return told(`exit code ${code ?? "none, a signal"} (${err.trim().split("\n")[0]!.slice(0, 200)})`);
	const isWanted = (one: string): boolean => (one === "" ? text === "" : text.startsWith(one));
	if (says === null ? text !== "" : says.some(isWanted)) return told(null);
	const wanted = (says ?? ["a text"]).map((one) => one || "nothing").join(" or ");
	return told(`printed ${JSON.stringify(text.slice(0, 60))}, expected ${wanted}`);
}

/** The text for the model in a hook's JSON; what is none for this event, as it stands. */
function takenOf(out: string, event: string): string {
	const value = parseObject(out);
	if (!value || ["PreCompact", "StatusLine"].includes(event)) return out;
	const { hookSpecificOutput: inner, systemMessage } = value;
	// a line for the user alone
	if (inner === undefined && typeof systemMessage === "string") return "";
	if (!isObject(inner) || inner.hookEventName !== event || typeof inner.additionalContext !== "string") return out;
	return inner.additionalContext;
}
