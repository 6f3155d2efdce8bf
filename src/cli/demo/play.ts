import { loadCheckpoint } from "../../store/recovery/checkpoints.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { type Frame, readRecording, statementsOf } from "./recording.ts";
import type { DemoSandbox } from "./sandbox.ts";

/** What came out of the recorded session when it was played through the registered commands. */
export type PlayedDemo = Awaited<ReturnType<typeof play>>;

/** Installs ccg and plays the recording. Every text is what the registered commands printed. */
export async function play(sandbox: DemoSandbox, columns: number) {
	// the recording's, whatever is installed here
	await sandbox.ccg("install", "--yes", "--claude-version", VERSION);
	const { project, home, sid, store } = sandbox;
	let told = { summary: "", block: "", ms: 0 };
	let followUp = "";
	for (const frame of readRecording({ PROJECT: project, HOME: home, SESSION: sid })) {
		if (frame.summary !== null) {
			told = await compaction(sandbox, frame, frame.summary);
			continue;
		}
		sandbox.append(frame.lines);
		await sandbox.statusLine(statusPayload(frame), columns);
		followUp += await calls(sandbox, frame);
	}
	const [report] = JSON.parse(await sandbox.ccg("show", "latest", "--as", "report", "--json"));
	const checkpoint = loadCheckpoint(sessionAt({ root: store, tell: () => {} }, sid), report.key)!;
	return {
		/** `summary`, as Claude Code handed it over; `block`, injected right behind it; `ms`, of the processes of the compaction together. */
		...told,
		/** Injected with a later tool call. */
		followUp,
		tokensBefore: report.tokens_before as number,
		/** What the report says of it. */
		verdict: report.verdict as string,
		statements: statementsOf(checkpoint, told.summary, `${told.block}\n${followUp}`),
	};
}

/** The frame's tool calls; the agent saves a note when it is nudged. Gives what was injected with one of them. */
async function calls(sandbox: DemoSandbox, frame: Frame): Promise<string> {
	const runs = await Promise.all(
		frame.calls.map(({ id, tool, input }) =>
			sandbox.fire("PreToolUse", { tool_name: tool, tool_input: input, tool_use_id: id }),
		),
	);
	const given = runs.map(contextOf);
	if (given.some((context) => context.startsWith("ccg nudge")))
		await sandbox.ccg("memory", "save", "The ledger tool takes no new dependencies; amounts are integers in cents.");
	return given.filter((context) => context.startsWith("ccg recovery")).join("");
}

async function compaction(sandbox: DemoSandbox, { lines, model }: Frame, summary: string) {
	const pre = await sandbox.fire("PreCompact", { trigger: "auto", custom_instructions: null });
	const start = await sandbox.fire("SessionStart", { source: "compact", model });
	sandbox.append(lines);
	const post = await sandbox.fire("PostCompact", { trigger: "auto", compact_summary: summary });
	return { summary, block: contextOf(start), ms: pre.ms + start.ms + post.ms };
}

/** Of Claude Code, in the recording. */
const VERSION = "2.1.329";

const statusPayload = ({ tokens, model }: Frame) => ({
	model: { id: model, display_name: "Opus 5.5" },
	version: VERSION,
	context_window: {
		context_window_size: 1_000_000,
		current_usage: tokens === null ? null : { input_tokens: tokens },
	},
});

/** What a hook said to the model; `""` where it said nothing. */
const contextOf = ({ out }: { out: string }): string =>
	out.trim() ? (JSON.parse(out).hookSpecificOutput?.additionalContext ?? "") : "";
