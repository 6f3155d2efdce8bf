import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LossReport } from "../../core/audit/audit.ts";
import { decode } from "../../core/transcript/decode.ts";
import { packageRoot } from "../../install/launcher.ts";
import type { DemoSandbox } from "./sandbox.ts";

/** The result of the recorded session, played through the registered commands. */
export type PlayedDemo = Awaited<ReturnType<typeof playRecording>>;

/** Installs ccg and plays the recording. Every text is what the registered commands printed. */
export async function playRecording(sandbox: DemoSandbox, columns: number) {
	await sandbox.ccg("install", "--yes");
	const { project, home, sid } = sandbox;
	let compaction = { summary: "", block: "", ms: 0 };
	for (const frame of readRecording({ PROJECT: project, HOME: home, SESSION: sid })) {
		if (frame.summary !== null) {
			compaction = await compactSession(sandbox, frame, frame.summary);
			continue;
		}
		sandbox.append(frame.lines);
		await sandbox.statusLine(statusPayload(frame), columns);
		await makeCalls(sandbox, frame);
	}
	const [report] = JSON.parse(await sandbox.ccg("show", "latest", "--as", "report", "--json"));
	return {
		/** `summary`, as Claude Code wrote it; `block`, injected right behind it; `ms`, of the processes of the compaction together. */
		...compaction,
		tokensBefore: report.tokens_before as number,
		verdict: report.verdict as string, // of the report, in one sentence
		messages: report.messages as LossReport["messages"],
	};
}

/** Makes the frame's tool calls; as the agent does, it saves a note when ccg nudges it. */
async function makeCalls(sandbox: DemoSandbox, frame: Frame): Promise<void> {
	const runs = await Promise.all(
		frame.calls.map(({ id, tool, input }) =>
			sandbox.fire("PreToolUse", { tool_name: tool, tool_input: input, tool_use_id: id }),
		),
	);
	const contexts = runs.map(injectedBy);
	if (contexts.some((context) => context.startsWith("ccg nudge")))
		await sandbox.ccg("memory", "save", "The ledger tool takes no new dependencies; amounts are integers in cents.");
}

/** Compacts the session as Claude Code does; gives the summary, the text that ccg injected behind it, and the time of both hooks. */
async function compactSession(sandbox: DemoSandbox, { lines, model }: Frame, summary: string) {
	const pre = await sandbox.fire("PreCompact", { trigger: "auto", custom_instructions: null });
	const start = await sandbox.fire("SessionStart", { source: "compact", model });
	sandbox.append(lines);
	// ccg compares the summary with the session at the next prompt
	await sandbox.fire("UserPromptSubmit", { prompt: "Go on." });
	return { summary, block: injectedBy(start), ms: pre.ms + start.ms };
}

/** The version of Claude Code in the recording. */
const VERSION = "2.1.329";

const statusPayload = ({ tokens, model }: Frame) => ({
	model: { id: model, display_name: "Opus 5.5" },
	version: VERSION,
	context_window: {
		context_window_size: 1_000_000,
		current_usage: tokens === null ? null : { input_tokens: tokens },
	},
});

/** Gives the text that a hook injected for the model; `""` where it injected none. */
const injectedBy = ({ out }: { out: string }): string =>
	out.trim() ? (JSON.parse(out).hookSpecificOutput?.additionalContext ?? "") : "";

/** A stretch of the recorded session: transcript lines up to one answer of the model, or up to the compaction. */
interface Frame {
	lines: string[];
	calls: { id: string; tool: string; input: Record<string, unknown> }[];
	/** Context size of the answer; `null` for the compaction. */
	tokens: number | null;
	model: string;
	/** The native summary, on the frame of the compaction. */
	summary: string | null;
}

/** Reads the recording and puts the demo's own folders and session in the place of the recorded ones. */
function readRecording(names: { PROJECT: string; HOME: string; SESSION: string }): Frame[] {
	let text = readFileSync(join(packageRoot(), "demo", "session.jsonl"), "utf8");
	for (const [name, value] of Object.entries(names))
		text = text.replaceAll(`{{${name}}}`, JSON.stringify(value).slice(1, -1));
	const frames: Frame[] = [];
	/** The id of the model's answer on the line before; `""` where that line was no answer. */
	let answer = "";
	for (const line of text.split("\n").filter(Boolean)) {
		const entry = JSON.parse(line);
		const id: string = entry.type === "assistant" ? entry.message.id : "";
		const lastFrame = frames.at(-1);
		const goesOn = lastFrame && lastFrame.summary === null && (answer === "" || id === answer);
		const frame = goesOn ? lastFrame : { lines: [], calls: [], tokens: null, model: "claude-opus-5-5", summary: null };
		if (!goesOn) frames.push(frame);
		answer = id;
		frame.lines.push(line);
		if (entry.isCompactSummary) frame.summary = entry.message.content;
		else
			for (const event of decode(entry)) {
				if (event.kind === "call") frame.calls.push(event);
				if (event.kind === "usage") Object.assign(frame, { tokens: event.tokens, model: event.model });
			}
	}
	return frames;
}
