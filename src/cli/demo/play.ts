import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LossReport } from "../../core/audit/audit.ts";
import { decodeLine } from "../../core/transcript/decode.ts";
import { packageRoot } from "../../install/launcher.ts";
import type { DemoSandbox } from "./sandbox.ts";

/** The result of the recorded session, played through the registered commands. */
export type PlayedDemo = Awaited<ReturnType<typeof playRecording>>;

/** Installs ccg in the sandbox and plays the recorded session through its registered commands; gives what they printed. */
export async function playRecording(sandbox: DemoSandbox, columns: number) {
	await sandbox.ccg("install", "--yes");
	const { project, home, sid } = sandbox;
	let compaction = { summary: "", block: "", ms: 0 };
	for (const turn of readRecording({ PROJECT: project, HOME: home, SESSION: sid })) {
		if (turn.summary !== null) {
			compaction = await compactSession(sandbox, turn, turn.summary);
			continue;
		}
		sandbox.append(turn.lines);
		await sandbox.statusLine(statusPayload(turn), columns);
		await makeCalls(sandbox, turn);
	}
	const [report] = JSON.parse(await sandbox.ccg("show", "latest", "--as", "report", "--json"));
	return {
		...compaction,
		tokensBefore: report.tokens_before as number,
		verdict: report.verdict as string,
		messages: report.messages as LossReport["messages"],
	};
}

/** Runs the hooks of the turn's tool calls; saves a note when ccg nudges the agent, as an agent does. */
async function makeCalls(sandbox: DemoSandbox, turn: RecordedTurn): Promise<void> {
	const runs = await Promise.all(
		turn.calls.map(({ id, tool, input }) =>
			sandbox.fire("PreToolUse", { tool_name: tool, tool_input: input, tool_use_id: id }),
		),
	);
	const isNudged = runs.map(injectedText).some((text) => text.startsWith("ccg nudge"));
	if (isNudged)
		await sandbox.ccg("memory", "save", "The ledger tool takes no new dependencies; amounts are integers in cents.");
}

/** Runs the hooks of a compaction, and of the next prompt. Gives the summary, the block that ccg injected, and how long both hooks took. */
async function compactSession(sandbox: DemoSandbox, { lines, model }: RecordedTurn, summary: string) {
	const pre = await sandbox.fire("PreCompact", { trigger: "auto", custom_instructions: null });
	const start = await sandbox.fire("SessionStart", { source: "compact", model });
	sandbox.append(lines);
	// ccg compares the summary with the session at the next prompt
	await sandbox.fire("UserPromptSubmit", { prompt: "Go on." });
	return { summary, block: injectedText(start), ms: pre.ms + start.ms };
}

/** The version of Claude Code in the recording. */
const VERSION = "2.1.329";

/** Gives what Claude Code sends to the status line command after a turn. */
const statusPayload = ({ tokens, model }: RecordedTurn) => ({
	model: { id: model, display_name: "Opus 5.5" },
	version: VERSION,
	context_window: { context_window_size: 1_000_000, current_usage: tokens === null ? null : { input_tokens: tokens } },
});

/** Gives the text that a hook injected for the model; `""` where it injected none. */
const injectedText = ({ out }: { out: string }): string =>
	out.trim() ? (JSON.parse(out).hookSpecificOutput?.additionalContext ?? "") : "";

/** A part of the recorded session: transcript lines up to one answer of the model, or the lines of the compaction. */
interface RecordedTurn {
	lines: string[];
	calls: { id: string; tool: string; input: Record<string, unknown> }[];
	/** Context size of the answer; `null` for the compaction. */
	tokens: number | null;
	model: string;
	/** The native summary, in the turn of the compaction. */
	summary: string | null;
}

/** Reads the recording, fills in the demo's own folders and session, and splits it into turns. */
function readRecording(names: { PROJECT: string; HOME: string; SESSION: string }): RecordedTurn[] {
	let text = readFileSync(join(packageRoot(), "demo", "session.jsonl"), "utf8");
	for (const [name, value] of Object.entries(names))
		text = text.replaceAll(`{{${name}}}`, JSON.stringify(value).slice(1, -1));
	const turns: RecordedTurn[] = [];
	/** The id of the model's answer in the line before; `""` where that line was no answer. */
	let lastAnswerId = "";
	for (const line of text.split("\n").filter(Boolean)) {
		const entry = JSON.parse(line);
		const answerId: string = entry.type === "assistant" ? entry.message.id : "";
		const lastTurn = turns.at(-1);
		const isSameTurn = lastTurn && lastTurn.summary === null && (lastAnswerId === "" || answerId === lastAnswerId);
		const turn = isSameTurn
			? lastTurn
			: { lines: [], calls: [], tokens: null, model: "claude-opus-5-5", summary: null };
		if (!isSameTurn) turns.push(turn);
		lastAnswerId = answerId;
		turn.lines.push(line);
		if (entry.isCompactSummary) turn.summary = entry.message.content;
		else
			for (const event of decodeLine(entry)) {
				if (event.kind === "call") turn.calls.push(event);
				if (event.kind === "usage") Object.assign(turn, { tokens: event.tokens, model: event.model });
			}
	}
	return turns;
}
