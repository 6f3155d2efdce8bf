import { existsSync } from "node:fs";
import { join } from "node:path";
import { grouped } from "../../core/text/text.ts";
import { loadCheckpoint } from "../../store/recovery/checkpoints.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { type Frame, readRecording, type Statement, statementsOf } from "./recording.ts";
import type { DemoRun, DemoSandbox } from "./sandbox.ts";

/** What came out of the recorded session when it was played through the registered commands. */
export interface PlayedDemo {
	statements: Statement[];
	tokensBefore: number | null;
	/** As Claude Code handed it over. */
	summary: string;
	/** Injected right behind the summary, and with a later tool call. */
	block: string;
	followUp: string;
	/** Of the processes of the compaction, together. */
	ms: number;
	/** What the report says of it. */
	verdict: string;
}

/** Takes a step with what was printed in it, and the time of that whole process. */
export type Show = (step: string, text?: string, ms?: number) => void;

/** Plays the recording from install to uninstall. Every text is what the registered commands printed. */
export async function play(
	sandbox: DemoSandbox,
	packageRoot: string,
	show: Show,
	columns: number,
): Promise<PlayedDemo> {
	await sandbox.begin();
	// the recording's, whatever is installed here
	const installed = await sandbox.ccg("install", "--yes", "--claude-version", "2.1.329");
	show("ccg install --yes: hooks and status line go into the scratch settings.json", "", installed.ms);
	const played: PlayedDemo = {
		statements: [],
		tokensBefore: null,
		summary: "",
		block: "",
		followUp: "",
		ms: 0,
		verdict: "",
	};
	const frames = readRecording(packageRoot, { PROJECT: sandbox.project, HOME: sandbox.home, SESSION: sandbox.sid });
	const marker = join(sandbox.store, "run", "flush", sandbox.sid);
	let marked = false;
	for (const frame of frames) {
		for (const prompt of frame.prompts) show("The user", prompt);
		if (frame.summary !== null) {
			await compaction(sandbox, show, frame, played);
			continue;
		}
		sandbox.append(frame.lines);
		const status = await sandbox.statusLine(statusPayload(frame), columns);
		show("Status line", status.out.trimEnd(), status.ms);
		if (!marked && existsSync(marker)) show("37,000 tokens or less are left: the flush marker drops");
		marked ||= existsSync(marker);
		played.followUp += await calls(sandbox, show, frame);
	}
	const [told] = JSON.parse((await sandbox.ccg("show", "latest", "--as", "report", "--json")).out);
	const checkpoint = loadCheckpoint(sessionAt({ root: sandbox.store, tell: () => {} }, sandbox.sid), told.key)!;
	const next = await sandbox.fire("SessionStart", { source: "startup", session_id: sandbox.sid.replace(/1$/, "2") });
	show("Tomorrow's session in the same project starts with what was saved", answerOf(next).context, next.ms);
	const removed = await sandbox.ccg("uninstall", "--yes");
	const isLeft = existsSync(join(sandbox.home, ".claude", "settings.json"));
	show(
		`ccg uninstall --yes: ${isLeft ? "the file is still there" : "there was no settings.json, there is none"}`,
		"",
		removed.ms,
	);
	const { summary, block, followUp } = played;
	return {
		...played,
		tokensBefore: told.tokens_before,
		verdict: told.verdict,
		statements: statementsOf(checkpoint, summary, `${block}\n${followUp}`),
	};
}

/** The frame's tool calls; gives what was injected with one of them. */
async function calls(sandbox: DemoSandbox, show: Show, frame: Frame): Promise<string> {
	const runs = await Promise.all(
		frame.calls.map(({ id, tool, input }) =>
			sandbox.fire("PreToolUse", { tool_name: tool, tool_input: input, tool_use_id: id }),
		),
	);
	let given = "";
	for (const { context, message, ms } of runs.map((ran) => ({ ...answerOf(ran), ms: ran.ms }))) {
		if (message) show("The user is told", message, ms);
		if (context.startsWith("ccg recovery")) given += context;
		if (context) show("With a tool call the model is told", context, ms);
		if (context.startsWith("ccg nudge")) await save(sandbox, show);
	}
	return given;
}

async function save(sandbox: DemoSandbox, show: Show): Promise<void> {
	for (const [target, text] of [
		["memory", "The ledger tool takes no new dependencies; amounts are integers in cents."],
		["log", "Importer: parsing and refusing broken lines are done; the command line is next."],
	] as const) {
		const saved = await sandbox.ccg("memory", "save", "--target", target, text);
		show(`The agent saves what should last: ccg memory save --target ${target}`, saved.out.trim(), saved.ms);
	}
}

async function compaction(sandbox: DemoSandbox, show: Show, frame: Frame, played: PlayedDemo): Promise<void> {
	const summary = frame.summary!;
	const pre = await sandbox.fire("PreCompact", { trigger: "auto", custom_instructions: null });
	show("Compaction begins: PreCompact saves a checkpoint and steers the summary", pre.out.trim(), pre.ms);
	// without what Claude Code puts before and behind every summary
	const text = /1\. Primary[\s\S]*?(?=\n\nIf you need|$)/.exec(summary)?.[0] ?? summary;
	show("The summary, as it came in the recording (without ccg's steering, from a scripted API)", text);
	const start = await sandbox.fire("SessionStart", { source: "compact", model: frame.model || "claude-opus-5-5" });
	const block = answerOf(start).context;
	show(`SessionStart injects the recovery block right behind it, ${grouped(block.length)} characters`, block, start.ms);
	sandbox.append(frame.lines);
	const post = await sandbox.fire("PostCompact", { trigger: "auto", compact_summary: summary });
	const report = await sandbox.ccg("show", "latest", "--as", "report");
	show("PostCompact compares the summary with the checkpoint: ccg show latest --as report", report.out, post.ms);
	Object.assign(played, { summary, block, ms: pre.ms + start.ms + post.ms });
}

function statusPayload({ tokens, model }: Frame) {
	return {
		model: { id: model || "claude-opus-5-5", display_name: "Opus 5.5" },
		version: "2.1.329",
		context_window: {
			context_window_size: 1_000_000,
			current_usage: tokens === null ? null : { input_tokens: tokens },
		},
	};
}

/** What a hook said to the model and to the user; `""` where it said nothing. */
function answerOf({ out }: DemoRun): { context: string; message: string } {
	if (!out.trim()) return { context: "", message: "" };
	const { hookSpecificOutput: output, systemMessage } = JSON.parse(out) as {
		hookSpecificOutput?: { additionalContext?: string };
		systemMessage?: string;
	};
	return { context: output?.additionalContext ?? "", message: systemMessage ?? "" };
}
