import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LossReport } from "../../core/audit/audit.ts";
import { decode } from "../../core/transcript/decode.ts";
import { packageRoot } from "../../install/launcher.ts";
import type { DemoSandbox } from "./sandbox.ts";

/** What came out of the recorded session when it was played through the registered commands. */
export type PlayedDemo = Awaited<ReturnType<typeof playRecording>>;

/** Installs ccg and plays the recording. Every text is what the registered commands printed. */
export async function playRecording(sandbox: DemoSandbox, columns: number) {
	await sandbox.ccg("install", "--yes");
	const { project, home, sid } = sandbox;
	let told = { summary: "", block: "", ms: 0 };
	for (const frame of readRecording({ PROJECT: project, HOME: home, SESSION: sid })) {
		if (frame.summary !== null) {
			told = await compactSession(sandbox, frame, frame.summary);
			continue;
		}
		sandbox.append(frame.lines);
		await sandbox.statusLine(statusPayload(frame), columns);
		await makeCalls(sandbox, frame);
	}
	const [report] = JSON.parse(await sandbox.ccg("show", "latest", "--as", "report", "--json"));
	return {
		/** `summary`, as Claude Code wrote it; `block`, injected right behind it; `ms`, of the processes of the compaction together. */
		...told,
		tokensBefore: report.tokens_before as number,
		/** What the report says of it. */
		verdict: report.verdict as string,
		messages: report.messages as LossReport["messages"],
	};
}

/** The frame's tool calls; the agent saves a note when it is nudged. */
async function makeCalls(sandbox: DemoSandbox, frame: Frame): Promise<void> {
	const runs = await Promise.all(
		frame.calls.map(({ id, tool, input }) =>
			sandbox.fire("PreToolUse", { tool_name: tool, tool_input: input, tool_use_id: id }),
		),
	);
	const given = runs.map(injectedBy);
	if (given.some((context) => context.startsWith("ccg nudge")))
		await sandbox.ccg("memory", "save", "The ledger tool takes no new dependencies; amounts are integers in cents.");
}

async function compactSession(sandbox: DemoSandbox, { lines, model }: Frame, summary: string) {
	const pre = await sandbox.fire("PreCompact", { trigger: "auto", custom_instructions: null });
	const start = await sandbox.fire("SessionStart", { source: "compact", model });
	sandbox.append(lines);
	// what the summary holds is looked at with the next prompt
	await sandbox.fire("UserPromptSubmit", { prompt: "Go on." });
	return { summary, block: injectedBy(start), ms: pre.ms + start.ms };
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
	/** Of the answer that the line before is of; `""` for none. */
	let answer = "";
	for (const line of text.split("\n").filter(Boolean)) {
		const entry = JSON.parse(line);
		const id: string = entry.type === "assistant" ? entry.message.id : "";
		const before = frames.at(-1);
		const goesOn = before && before.summary === null && (answer === "" || id === answer);
		const frame = goesOn ? before : { lines: [], calls: [], tokens: null, model: "claude-opus-5-5", summary: null };
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
