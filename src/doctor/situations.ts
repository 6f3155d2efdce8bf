import type { Config } from "../core/config/config.ts";
import { isObject } from "../core/transcript/decode.ts";
import { parseObject } from "../files/json-file.ts";
import type { EntryName } from "../install/catalog.ts";
import type { ProcessResult } from "../install/run-process.ts";
import { type Sandbox, sessionFields } from "./sandbox.ts";

/** A moment of a session in which the doctor runs a command, and what the command must answer. */
export type Situation = ReturnType<typeof situations>[number];

/** The title of the situation in which the session has a flush flag. */
export const FLUSH_FLAG_SET = "marker set";

const VERSION = "2.1.329";
const MODEL = "claude-opus-4-6";
const USAGE = {
	input_tokens: 12,
	cache_creation_input_tokens: 1_500,
	cache_read_input_tokens: 30_000,
	output_tokens: 90,
};
const TOOL_CALL = { tool_name: "Bash", tool_input: { command: "npm test" }, tool_use_id: "toolu_ccg_doctor_1" };
const TURN_END = { stop_hook_active: false, last_assistant_message: "The tests pass.", background_tasks: [] };
const STATUS_LINE = {
	model: { id: MODEL, display_name: "Opus 4.6" },
	version: VERSION,
	context_window: { context_window_size: 200_000, current_usage: USAGE, used_percentage: 16, remaining_percentage: 84 },
};

const NO_TEXT = [""];
const RECOVERY_BLOCK = "ccg recovery";

/**
 * The situations in the order of a session, since later ones need what earlier ones left. `fields`: the hook input that belongs to the event.
 * `expected`: how the text for the model may begin; `""` stands for no text, `null` for any text.
 */
export function situations({ nudge }: Config) {
	const started = { source: "startup", model: MODEL };
	const compacted = { source: "compact", model: MODEL };
	const subagent = { ...TURN_END, agent_id: "a0", agent_type: "Explore" };
	const prompt = { prompt: "continue" };
	const nudged = nudge.wording === "off" ? NO_TEXT : ["ccg nudge"];
	const all: [EntryName, string, string, object, string[] | null][] = [
		["session-start", "startup", "SessionStart", started, ["ccg memory"]],
		["pre-compact", "automatic compaction", "PreCompact", { trigger: "auto" }, ["ccg"]],
		["session-start", "after compaction", "SessionStart", compacted, [RECOVERY_BLOCK]],
		["user-prompt-submit", "first prompt after compaction", "UserPromptSubmit", prompt, [RECOVERY_BLOCK, ""]],
		["user-prompt-submit", "nothing to inject", "UserPromptSubmit", prompt, NO_TEXT],
		["post-tool-use", "after a step", "PostToolUse", TOOL_CALL, NO_TEXT],
		["pre-tool-use", "no marker", "PreToolUse", TOOL_CALL, NO_TEXT],
		["pre-tool-use", FLUSH_FLAG_SET, "PreToolUse", TOOL_CALL, nudged],
		["stop", "end of a turn", "Stop", TURN_END, NO_TEXT],
		["subagent-stop", "end of a subagent", "SubagentStop", subagent, NO_TEXT],
		["statusline", "one refresh", "StatusLine", STATUS_LINE, null],
		["session-end", "end of the session", "SessionEnd", { reason: "other" }, NO_TEXT],
	];
	return all.map(([part, title, event, fields, expected]) => ({ part, title, event, fields, expected }));
}

/** What Claude Code writes to the command's stdin in this situation. */
export function hookInput({ event, fields }: Pick<Situation, "event" | "fields">, session: Sandbox): string {
	const { project } = session;
	const eventFields =
		event === "StatusLine"
			? { workspace: { current_dir: project, project_dir: project, added_dirs: [] } }
			: { hook_event_name: event, permission_mode: "default" };
	return JSON.stringify({ ...sessionFields(session), ...eventFields, ...fields });
}

/** The transcript of a short session: a request with a directive, and an answer. */
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
 * Checks what a command printed in a situation. `problem`: why it is not what the situation expects, `null` where it is. `chars`: the length of
 * the text that Claude Code takes from it.
 */
export function checkAnswer({ event, expected }: Pick<Situation, "event" | "expected">, ended: ProcessResult) {
	const { code, out, err, timedOut, ms } = ended;
	const text = contextText(out.trim(), event);
	const chars = text.length;
	const result = (problem: string | null) => ({ problem, chars });
	if (timedOut) return result(`no end after ${Math.round(ms / 1000)} s, killed`);
	if (code !== 0) return result(`exit code ${code ?? "none, a signal"} (${err.trim().split("\n")[0]!.slice(0, 200)})`);
	const isExpected = expected?.some((start) => (start === "" ? text === "" : text.startsWith(start)));
	if (isExpected ?? text !== "") return result(null);
	const wanted = (expected ?? ["a text"]).map((start) => start || "nothing").join(" or ");
	return result(`printed ${JSON.stringify(text.slice(0, 60))}, expected ${wanted}`);
}

/** What Claude Code takes from a hook's output: `additionalContext` where it is JSON with that for this event, else all of it. */
function contextText(out: string, event: string): string {
	const value = parseObject(out);
	if (!value || ["PreCompact", "StatusLine"].includes(event)) return out;
	const { hookSpecificOutput: output, systemMessage } = value;
	// a message for the user, nothing for the model
	if (output === undefined && typeof systemMessage === "string") return "";
	if (!isObject(output) || output.hookEventName !== event || typeof output.additionalContext !== "string") return out;
	return output.additionalContext;
}
