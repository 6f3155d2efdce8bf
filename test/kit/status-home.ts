import { join } from "node:path";
import { makeStatusLine } from "../../src/events/status-line/status-line.ts";
import { eventSession } from "./services.ts";

/** Tokens at which the flush flag is due in a window of 200,000. */
export const DUE = 131_000;

interface Model {
	window?: number;
	model?: string;
	name?: string;
}

/** A home whose session `s-1` has a status line. */
export function statusHome() {
	const at = eventSession("status");
	const { home } = at;
	const env = { HOME: home, PATH: "/usr/bin:/bin", NO_COLOR: "1" };
	return {
		...at,
		env,
		/** What Claude Code 2.1.329 sends. `tokens` null: before the first answer and after a compaction. */
		input: (
			tokens: number | null,
			{ window = 200_000, model = "claude-sonnet-4-6", name = "Sonnet 4.6" }: Model = {},
		) => ({
			session_id: "s-1",
			transcript_path: join(home, "none.jsonl"),
			cwd: home,
			model: { id: model, display_name: name },
			workspace: { current_dir: home, project_dir: home, added_dirs: [] },
			version: "2.1.329",
			cost: { total_cost_usd: 0 },
			context_window: {
				context_window_size: window,
				total_input_tokens: tokens ?? 0,
				current_usage: tokens && { input_tokens: 0, cache_read_input_tokens: tokens, output_tokens: 500 },
				used_percentage: null,
			},
		}),
		/** The line for such an input; `command` is one to wrap. */
		line: (value: object, extra: Record<string, string> = {}, command: string | null = null) =>
			makeStatusLine(Buffer.from(JSON.stringify(value)), { ...env, ...extra }, command),
	};
}
