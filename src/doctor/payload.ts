import { type PlayedSession, sessionFields } from "./sandbox.ts";
import type { Situation } from "./situations.ts";

/** The Claude Code whose inputs are played. */
const VERSION = "2.1.329";
const MODEL = "claude-opus-4-6";
const USAGE = {
	input_tokens: 12,
	cache_creation_input_tokens: 1_500,
	cache_read_input_tokens: 30_000,
	output_tokens: 90,
};

const TOOL = {
	tool_name: "Bash",
	tool_input: { command: "npm test", description: "Run the tests" },
	tool_use_id: "toolu_ccg_doctor_1",
};

/** What Claude Code writes to the command's stdin in this situation. */
export function payload({ event, source }: Situation, session: PlayedSession): string {
	const common = sessionFields(session);
	if (event === "StatusLine") return JSON.stringify({ ...common, ...statusLineFields(session) });
	const own: Record<string, object> = {
		SessionStart: { source, model: MODEL },
		PreCompact: { trigger: "auto", custom_instructions: null },
		PostCompact: { trigger: "auto", compact_summary: "The user asked for the tests to be run." },
		Stop: {
			stop_hook_active: false,
			last_assistant_message: "The tests pass.",
			background_tasks: [],
			session_crons: [],
		},
		SubagentStop: {
			stop_hook_active: false,
			agent_id: "a000000000000ccg0",
			agent_type: "Explore",
			last_assistant_message: "There are 12 tests.",
			background_tasks: [],
			session_crons: [],
		},
		SessionEnd: { reason: "other" },
		UserPromptSubmit: { permission_mode: "default", prompt: "continue" },
		PreToolUse: { permission_mode: "default", ...TOOL },
		PostToolBatch: { permission_mode: "default", tool_calls: [{ ...TOOL, tool_response: "12 passed" }] },
	};
	return JSON.stringify({ ...common, hook_event_name: event, ...own[event] });
}

function statusLineFields({ project }: PlayedSession): object {
	return {
		effort: { level: "medium" },
		model: { id: MODEL, display_name: "Opus 4.6" },
		workspace: { current_dir: project, project_dir: project, added_dirs: [] },
		version: VERSION,
		output_style: { name: "default" },
		cost: {
			total_cost_usd: 0.1,
			total_duration_ms: 60_000,
			total_api_duration_ms: 20_000,
			total_lines_added: 1,
			total_lines_removed: 0,
		},
		context_window: {
			total_input_tokens: 31_512,
			total_output_tokens: 90,
			context_window_size: 200_000,
			current_usage: USAGE,
			used_percentage: 16,
			remaining_percentage: 84,
		},
		exceeds_200k_tokens: false,
		fast_mode: false,
		thinking: { enabled: true },
	};
}

/** A short session: a request with a directive, a tool call, its result, an answer. */
export function doctorTranscript(sid: string, cwd: string, now: Date): string {
	const message = { id: "msg_ccg_doctor_1", type: "message", role: "assistant", model: MODEL, usage: USAGE };
	const call = { type: "tool_use", id: TOOL.tool_use_id, name: TOOL.tool_name, input: TOOL.tool_input };
	const result = { type: "tool_result", tool_use_id: TOOL.tool_use_id, content: "12 passed", is_error: false };
	const request = "Run the tests. Never change the expected values in them.";
	const lines = [
		{ type: "user", promptSource: "typed", message: { role: "user", content: request } },
		{
			type: "assistant",
			message: {
				...message,
				content: [{ type: "text", text: "I run the tests first." }, call],
				stop_reason: "tool_use",
			},
		},
		{ type: "user", message: { role: "user", content: [result] }, toolUseResult: { stdout: "12 passed", stderr: "" } },
		{
			type: "assistant",
			message: { ...message, id: "msg_ccg_doctor_2", content: [{ type: "text", text: "The tests pass." }] },
		},
	];
	const uuid = (i: number): string => `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`;
	const common = { sessionId: sid, cwd, gitBranch: "main", version: VERSION, userType: "external", isSidechain: false };
	return lines
		.map((line, i) => {
			const timestamp = new Date(now.getTime() - (lines.length - i) * 1000).toISOString();
			const parentUuid = i === 0 ? null : uuid(i);
			return `${JSON.stringify({ parentUuid, uuid: uuid(i + 1), timestamp, ...common, ...line })}\n`;
		})
		.join("");
}
