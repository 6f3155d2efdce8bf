/**
 * Builds transcripts line by line as Claude Code 2.1.329 writes them, with what ccg does not read
 * strewn in: progress, snapshots, sidechain and meta lines.
 */
import { writeFileSync } from "node:fs";

type Json = Record<string, unknown>;

export class Transcript {
	readonly lines: string[] = [];
	private count = 0;
	private readonly base: Json;

	constructor(
		cwd: string,
		private clock = new Date(Date.now() - 3600_000),
		private readonly model = "claude-sonnet-4-6",
		version = "2.1.329",
	) {
		this.base = { cwd, gitBranch: "main", version, sessionId: "s", isSidechain: false, userType: "external" };
	}

	/** From here on lines are written at this time; each line is a second later than the one before. */
	at(time: Date): this {
		this.clock = time;
		return this;
	}

	typed(text: string): this {
		return this.user(text, { origin: { kind: "human" }, promptSource: "typed", turnOrigin: "human" });
	}

	meta(text: string): this {
		return this.user(text, { isMeta: true });
	}

	/** A subagent's message: in the same file on old versions. */
	sidechain(text: string): this {
		return this.user(text, { isSidechain: true });
	}

	said(text: string, tokens = 10_000): this {
		return this.assistant([{ type: "text", text }], tokens);
	}

	/** A call and its result. */
	call(
		tool: string,
		input: Json,
		result: string,
		{ failed = false, detail = undefined as unknown, beside = {} as Json } = {},
	): this {
		const id = `toolu_${this.count}`;
		this.assistant([{ type: "tool_use", id, name: tool, input }], 10_000);
		const block = { type: "tool_result", tool_use_id: id, content: result, ...(failed && { is_error: true }) };
		return this.user([block], { toolUseResult: detail ?? (failed ? `Error: ${result}` : result), ...beside });
	}

	rejected(tool: string, input: Json, words: string): this {
		const text =
			"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the " +
			`new_string was NOT written to the file). To tell you how to proceed, the user said:\n${words}`;
		const beside = {
			toolDenialKind: "user-rejected",
			userFeedback: words,
			permissionDecision: { decision: "reject", source: "user_reject" },
		};
		return this.call(tool, input, text, { failed: true, beside });
	}

	answered(question: string, answer: string): this {
		const input = { questions: [{ question, header: "Choice", options: [{ label: answer }] }] };
		return this.call("AskUserQuestion", input, `User has answered your questions: "${question}"="${answer}".`, {
			detail: { ...input, answers: { [question]: answer } },
		});
	}

	todos(...list: [content: string, status: string][]): this {
		const todos = list.map(([content, status]) => ({ content, status, activeForm: content }));
		return this.call("TodoWrite", { todos }, "Todos have been modified successfully.");
	}

	task(id: string, subject: string): this {
		return this.call("TaskCreate", { subject }, `Task #${id} created successfully: ${subject}`, {
			detail: { task: { id, subject } },
		});
	}

	taskUpdate(taskId: string, status: string): this {
		return this.call("TaskUpdate", { taskId, status }, `Updated task #${taskId} status`);
	}

	plan(plan: string): this {
		return this.call("ExitPlanMode", { plan }, "User has approved your plan. You can now start coding.");
	}

	/** The usage of an answer: what the context held. */
	usage(tokens: number): this {
		return this.assistant([{ type: "text", text: "Going on." }], tokens);
	}

	boundary(trigger = "auto", preTokens = 165_000): this {
		return this.line("system", {
			subtype: "compact_boundary",
			content: "Conversation compacted",
			level: "info",
			parentUuid: null,
			compactMetadata: { trigger, preTokens, postTokens: 2_600, durationMs: 44 },
		});
	}

	summary(text = "This session is being continued from a previous conversation. You never need to test."): this {
		return this.user(text, { isCompactSummary: true, isVisibleInTranscriptOnly: true });
	}

	/** What a SessionStart hook injected, as Claude Code keeps it: as JSON on stdout or as context. */
	given(type: "hook_success" | "hook_additional_context", text: string, hookEvent = "SessionStart"): this {
		const hookSpecificOutput = { hookEventName: hookEvent, additionalContext: text };
		const printed = { exitCode: 0, stderr: "", stdout: JSON.stringify({ hookSpecificOutput }) };
		const what = type === "hook_success" ? printed : { content: [text] };
		return this.line("attachment", { attachment: { type, hookEvent, ...what } });
	}

	noise(bytes = 200): this {
		return this.line("progress", { data: "x".repeat(bytes) });
	}

	line(type: string, fields: Json): this {
		this.count++;
		this.clock = new Date(this.clock.getTime() + 1000);
		const uuid = `00000000-0000-4000-8000-${String(this.count).padStart(12, "0")}`;
		this.lines.push(JSON.stringify({ ...this.base, type, uuid, timestamp: this.clock.toISOString(), ...fields }));
		return this;
	}

	text(): string {
		return linesText(this.lines);
	}

	/** Writes the whole transcript; gives the path. */
	write(path: string): string {
		writeFileSync(path, this.text());
		return path;
	}

	private user(content: unknown, fields: Json): this {
		return this.line("user", { ...fields, message: { role: "user", content } });
	}

	private assistant(content: Json[], tokens: number): this {
		const cached = { cache_creation_input_tokens: 1_000, cache_read_input_tokens: tokens - 1_004 };
		const usage = { input_tokens: 4, ...cached, output_tokens: 90 };
		const message = { id: `msg_${this.count}`, role: "assistant", model: this.model, content, usage };
		return this.line("assistant", { message });
	}
}

/** Lines as a file holds them. */
export const linesText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
