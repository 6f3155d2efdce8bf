/** Lines of a transcript and files of the store, as the hostile inputs need them. */
import type { Sandbox } from "../kit/sandbox.ts";

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

/** A session's ledger as the store holds it, with other lists. */
export function ledger(at: Sandbox, more: object): string {
	const lists = {
		messages: [],
		decisions: [],
		tasks: [],
		files: [],
		commands: [],
		failures: [],
		inFlight: [],
		questions: [],
		assumptions: [],
		commits: [],
		checks: [],
		searches: [],
	};
	const words = { startedAt: "", lastSaid: "", cwd: "", branch: "", claudeVersion: "", model: "" };
	const state = {
		version: 3,
		order: 9,
		boundaries: 0,
		plan: null,
		tokens: null,
		identifiers: {},
		open: {},
		dropped: {},
		...lists,
		...words,
		...more,
	};
	return JSON.stringify({ version: 1, offset: 0, transcriptPath: at.transcript, state });
}

/** A session's context as the store holds it. */
export function emptyContext(): object {
	const system_state = {
		cwd: "",
		branch: "",
		claude_version: "",
		model: "",
		compactions: 0,
		context_tokens: null,
		ended: "",
	};
	const lists = {
		facts: [],
		recent_history: [],
		active_tasks: [],
		background_tasks: [],
		approvals: [],
		counted_messages: [],
	};
	return {
		version: 1,
		session_id: "s-1",
		created_at: 0,
		updated_at: 0,
		profile: "default",
		system_state,
		...lists,
		long_term_summary: "",
		folded: { folds: 0, entries: 0, tokens: 0, left_out: null },
		current_plan: null,
		tool_stats: { total_calls: 0, by_tool: {}, failures: 0 },
		token_usage: {},
		last_known_environment: null,
		open_calls: {},
		cursor: { transcript_path: "", transcript_offset: 0, ledger_offset: 0 },
	};
}
