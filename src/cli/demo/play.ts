import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { grouped } from "../../core/text/text.ts";
import { loadCheckpoint } from "../../store/recovery/checkpoints.ts";
import { sessionAt } from "../../store/session-handle.ts";
import type { DemoRun, DemoSandbox } from "./demo-sandbox.ts";
import type { Printer } from "./printer.ts";
import { type Frame, readRecording } from "./recording.ts";
import { type Statement, statementsOf } from "./statements.ts";

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
	/** What `ccg report` says of it. */
	verdict: string;
}

/** Plays the recording from install to uninstall. Every text is what the registered commands printed; every time a whole process. */
export async function play(
	sandbox: DemoSandbox,
	packageRoot: string,
	show: Printer,
	columns: number,
): Promise<PlayedDemo> {
	await sandbox.begin();
	await install(sandbox, show);
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
	show.step("The session works; the status line measures the way to compaction (window 200,000: it starts at 167,000)");
	let marked = false;
	for (const frame of frames) {
		for (const prompt of frame.prompts) show.user(prompt);
		if (frame.summary !== null) {
			await compaction(sandbox, show, frame, played);
			continue;
		}
		sandbox.append(frame.lines);
		const status = await sandbox.statusLine(statusPayload(frame), columns);
		show.line(status.ms, "", status.out.trimEnd());
		const marker = join(sandbox.store, "run", "flush", sandbox.sid);
		if (!marked && existsSync(marker)) {
			marked = true;
			show.step("37,000 tokens or less are left: the flush marker drops");
			show.note(readFileSync(marker, "utf8").trim());
		}
		played.followUp += await calls(sandbox, show, frame);
	}
	const [told] = JSON.parse((await sandbox.ccg("report", "--last", "--json", "--session", sandbox.sid)).out);
	const checkpoint = loadCheckpoint(sessionAt({ root: sandbox.store, tell: () => {} }, sandbox.sid), told.key)!;
	await nextSession(sandbox, show);
	await uninstall(sandbox, show);
	const { summary, block, followUp } = played;
	return {
		...played,
		tokensBefore: told.tokens_before,
		verdict: told.verdict,
		statements: statementsOf(checkpoint, summary, `${block}\n${followUp}`),
	};
}

async function install(sandbox: DemoSandbox, show: Printer): Promise<void> {
	show.step("Install: hooks and status line go into the scratch settings.json");
	// the recording's, whatever is installed here
	const { ms } = await sandbox.ccg("install", "--yes", "--claude-version", "2.1.329");
	const settings = JSON.parse(readFileSync(join(sandbox.home, ".claude", "settings.json"), "utf8"));
	show.line(ms, "ccg install --yes", `${Object.keys(settings.hooks).join(", ")}, status line`);
}

/** The frame's tool calls; gives what was injected with one of them. */
async function calls(sandbox: DemoSandbox, show: Printer, frame: Frame): Promise<string> {
	const runs = await Promise.all(
		frame.calls.map(({ id, tool, input }) =>
			sandbox.fire("PreToolUse", { tool_name: tool, tool_input: input, tool_use_id: id }),
		),
	);
	const answers = runs.map((ran) => ({ ms: ran.ms, ...answerOf(ran) }));
	const nudges = answers.filter(({ context }) => context.startsWith("ccg nudge"));
	if (nudges.length > 0) {
		show.step(`The next tool calls, ${frame.calls.length} in parallel, ask at once; ${nudges.length} gets the nudge`);
		for (const { ms, context } of nudges) show.line(ms, "PreToolUse", context);
		const silent = answers.filter(({ context, message }) => !context && !message).length;
		if (silent) show.note(`the other ${silent}: silent`);
		await save(sandbox, show);
	}
	for (const { ms, message } of answers)
		if (message.includes("the summary")) {
			show.step("The user is told in one line what the compaction lost");
			show.line(ms, "PreToolUse → user", message.replaceAll(`${sandbox.top}/`, ""));
		} else if (message) {
			show.step("Pressure is critical: the user is told once, nothing is held back (guard.mode warn)");
			show.line(ms, "PreToolUse → user", message.replaceAll(`${sandbox.top}/`, ""));
		}
	const given = answers.filter(({ context }) => context.startsWith("ccg recovery"));
	for (const { ms, context } of given) {
		show.step("What neither the summary nor the recovery block holds is injected with the next tool call");
		show.line(ms, "PreToolUse", context);
	}
	return given.map(({ context }) => context).join("\n");
}

async function save(sandbox: DemoSandbox, show: Printer): Promise<void> {
	show.step("The agent saves what should last");
	for (const [target, text] of [
		["memory", "The ledger tool takes no new dependencies; amounts are integers in cents."],
		["log", "Importer: parsing and refusing broken lines are done; the command line is next."],
	] as const) {
		const saved = await sandbox.ccg("memory", "save", "--target", target, text);
		show.line(saved.ms, `ccg memory save --target ${target}`, saved.out.trim().replace(`${sandbox.top}/`, ""));
	}
}

async function compaction(sandbox: DemoSandbox, show: Printer, frame: Frame, played: PlayedDemo): Promise<void> {
	const summary = frame.summary!;
	show.step("Compaction begins: PreCompact saves a checkpoint and steers the summary");
	const pre = await sandbox.fire("PreCompact", { trigger: "auto", custom_instructions: null });
	show.line(pre.ms, "PreCompact → summariser", pre.out.trim());
	const [status] = JSON.parse((await sandbox.ccg("status", "--json", "--session", sandbox.sid)).out);
	show.note(
		`checkpoint ${status.checkpoint.key} (${status.checkpoint.state}): ${status.checkpoint.path.replace(`${sandbox.top}/`, "")}`,
	);
	show.step("The summary, as it came in the recording (without ccg's steering, from a scripted API)");
	// without what Claude Code puts before and behind every summary
	show.quote(/1\. Primary[\s\S]*?(?=\n\nIf you need|$)/.exec(summary)?.[0] ?? summary);
	show.step("SessionStart injects what the model needs, right behind the summary");
	const start = await sandbox.fire("SessionStart", { source: "compact", model: frame.model || "claude-opus-5-5" });
	const block = answerOf(start).context;
	show.line(start.ms, `recovery block, ${grouped(block.length)} characters`, block);
	sandbox.append(frame.lines);
	const post = await sandbox.fire("PostCompact", { trigger: "auto", compact_summary: summary });
	show.step("PostCompact compares the summary with the checkpoint: what it kept, what it lost, what came back");
	const report = await sandbox.ccg("report", "--last", "--session", sandbox.sid);
	show.line(post.ms, "ccg report --last", report.out.trimEnd());
	show.step("The session goes on; the next cycle begins");
	Object.assign(played, { summary, block, ms: pre.ms + start.ms + post.ms });
}

async function nextSession(sandbox: DemoSandbox, show: Printer): Promise<void> {
	show.step("Tomorrow's session in the same project starts with what was saved");
	const start = await sandbox.fire("SessionStart", { source: "startup", session_id: sandbox.sid.replace(/1$/, "2") });
	const { context } = answerOf(start);
	show.line(start.ms, "SessionStart", context.replaceAll(`${sandbox.top}/`, "") || "(silent)");
}

async function uninstall(sandbox: DemoSandbox, show: Printer): Promise<void> {
	show.step("Uninstall: settings.json is as it was before");
	const { ms } = await sandbox.ccg("uninstall", "--yes");
	const left = existsSync(join(sandbox.home, ".claude", "settings.json"));
	show.line(ms, "ccg uninstall --yes", left ? "the file is still there" : "there was none, there is none");
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
