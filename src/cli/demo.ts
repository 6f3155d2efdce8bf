import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { type Frame, readRecording } from "./demo-recording.ts";
import { type DemoStage, demoStage, type Ran } from "./demo-stage.ts";
import type { Io } from "./io.ts";

export function registerDemo(program: Command, io: Io): void {
	program
		.command("demo")
		.description("play a recorded session through the installed chain in a throw-away home, step by step")
		.option("--full", "print the recovery block whole")
		.option("--keep", "keep the throw-away home and say where it is")
		.addHelpText("after", "\nNothing of yours is read or changed. Examples:\n  ccg demo\n  ccg demo --full --keep")
		.action((options: { full?: boolean; keep?: boolean }) => demo(options, io));
}

/** Plays the recording. Every line shown is what the registered commands printed; every time is a whole process. */
export async function demo(options: { full?: boolean; keep?: boolean }, io: Io): Promise<void> {
	const stage = demoStage(io.launcher, { ...io.env, NO_COLOR: io.colours.isColorSupported ? undefined : "1" });
	const show = printer(io);
	try {
		show.title("A recorded session of Claude Code, played through ccg in a throw-away home");
		show.note(stage.root);
		install(stage, show);
		await play(stage, show, io, options.full ?? false);
		await nextSession(stage, show);
		uninstall(stage, show);
	} finally {
		if (options.keep) show.note(`kept: ${stage.root}`);
		else stage.close();
	}
	show.title("Nothing of yours was touched. To use it: ccg install --dry-run, then ccg install");
}

function install(stage: DemoStage, show: Printer): void {
	show.step("Install: hooks and status line go into the scratch settings.json");
	const { ms } = stage.ccg("install", "--yes");
	const settings = JSON.parse(readFileSync(join(stage.home, ".claude", "settings.json"), "utf8"));
	show.line(ms, "ccg install --yes", `${Object.keys(settings.hooks).join(", ")}, status line`);
}

async function play(stage: DemoStage, show: Printer, io: Io, full: boolean): Promise<void> {
	const frames = readRecording(dirname(dirname(io.launcher)), {
		PROJECT: stage.project,
		HOME: stage.home,
		SESSION: stage.session,
	});
	const columns = Math.min(110, process.stdout.columns ?? 110) - 14;
	show.step(
		"The session works; the status line measures the way to compaction (window 200,000: it strikes at 167,000)",
	);
	let marked = false;
	for (const frame of frames) {
		for (const prompt of frame.prompts) show.user(prompt);
		if (frame.summary !== null) {
			await compaction(stage, show, frame, full);
			continue;
		}
		stage.append(frame.lines);
		const status = await stage.statusLine(statusPayload(frame), columns);
		show.line(status.ms, "", status.out.trimEnd());
		const marker = join(stage.store, "run", "flush", stage.session);
		if (!marked && existsSync(marker)) {
			marked = true;
			show.step("37,000 tokens or less are left: the flush marker drops");
			show.note(readFileSync(marker, "utf8").trim());
		}
		await calls(stage, show, frame);
	}
}

async function calls(stage: DemoStage, show: Printer, frame: Frame): Promise<void> {
	const runs = await Promise.all(
		frame.calls.map(({ id, tool, input }) =>
			stage.fire("PreToolUse", { tool_name: tool, tool_input: input, tool_use_id: id }),
		),
	);
	const answers = runs.map((ran) => ({ ms: ran.ms, ...answerOf(ran) }));
	const nudges = answers.filter(({ context }) => context.startsWith("ccg nudge"));
	if (nudges.length > 0) {
		show.step(`The next tool calls, ${frame.calls.length} in parallel, ask at once; ${nudges.length} gets the nudge`);
		for (const { ms, context } of nudges) show.line(ms, "PreToolUse", context);
		const silent = answers.filter(({ context, message }) => !context && !message).length;
		if (silent) show.note(`the other ${silent}: silent`);
		save(stage, show);
	}
	for (const { ms, message } of answers)
		if (message) {
			show.step("Pressure is critical: the user is told once, nothing is held back (guard.mode warn)");
			show.line(ms, "PreToolUse → user", message.replaceAll(`${stage.root}/`, ""));
		}
	for (const { ms, context } of answers)
		if (context.startsWith("ccg recovery")) {
			show.step("What neither the summary nor the first part holds comes with the next tool call");
			show.line(ms, "PreToolUse", context);
		}
}

function save(stage: DemoStage, show: Printer): void {
	show.step("The agent saves what should last");
	for (const [target, text] of [
		["memory", "The ledger tool takes no new dependencies; amounts are integers in cents."],
		["log", "Importer: parsing and refusing broken lines are done; the command line is next."],
	] as const) {
		const saved = stage.ccg("memory", "save", "--target", target, text);
		show.line(saved.ms, `ccg memory save --target ${target}`, saved.out.trim().replace(`${stage.root}/`, ""));
	}
}

async function compaction(stage: DemoStage, show: Printer, frame: Frame, full: boolean): Promise<void> {
	show.step("Compaction begins: PreCompact saves a checkpoint and steers the summary");
	const pre = await stage.fire("PreCompact", { trigger: "auto", custom_instructions: null });
	show.line(pre.ms, "PreCompact → summariser", pre.out.trim());
	const [status] = JSON.parse(stage.ccg("status", "--json", "--session", stage.session).out);
	show.note(
		`checkpoint ${status.checkpoint.key} (${status.checkpoint.state}): ${status.checkpoint.path.replace(`${stage.root}/`, "")}`,
	);
	show.step("The summary, as it came in the recording (its API was scripted)");
	show.quote(frame.summary!.slice(frame.summary!.indexOf("1. Primary")).split("\n\n")[0]!);
	show.step("SessionStart gives the model what it needs, right behind the summary");
	const start = await stage.fire("SessionStart", { source: "compact", model: frame.model || "claude-opus-5-5" });
	const block = answerOf(start).context;
	const lines = block.split("\n");
	const shown = full ? lines : lines.slice(0, 24);
	show.line(start.ms, `recovery block, ${block.length} characters`, shown.join("\n"));
	if (shown.length < lines.length) show.note(`… ${lines.length - shown.length} more lines (--full shows them)`);
	stage.append(frame.lines);
	const post = await stage.fire("PostCompact", { trigger: "auto", compact_summary: frame.summary });
	show.step("PostCompact compares the summary with the checkpoint: what it kept, what it lost, what came back");
	const report = stage.ccg("report", "--last", "--session", stage.session).out.trimEnd().split("\n");
	show.line(post.ms, "ccg report --last", report.slice(0, full ? undefined : 16).join("\n"));
	if (!full && report.length > 16) show.note(`… ${report.length - 16} more lines (--full shows them)`);
	show.step("The session goes on; the next cycle begins");
}

async function nextSession(stage: DemoStage, show: Printer): Promise<void> {
	show.step("Tomorrow's session in the same project starts with what was saved");
	const start = await stage.fire("SessionStart", { source: "startup", session_id: stage.session.replace(/1$/, "2") });
	const { context } = answerOf(start);
	show.line(start.ms, "SessionStart", context.replaceAll(`${stage.root}/`, "") || "(silent)");
}

function uninstall(stage: DemoStage, show: Printer): void {
	show.step("Uninstall: settings.json is as it was before");
	const { ms } = stage.ccg("uninstall", "--yes");
	const left = existsSync(join(stage.home, ".claude", "settings.json"));
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
function answerOf({ out }: Ran): { context: string; message: string } {
	if (!out.trim()) return { context: "", message: "" };
	const { hookSpecificOutput: output, systemMessage } = JSON.parse(out) as {
		hookSpecificOutput?: { additionalContext?: string };
		systemMessage?: string;
	};
	return { context: output?.additionalContext ?? "", message: systemMessage ?? "" };
}

type Printer = ReturnType<typeof printer>;

function printer({ out, colours: c }: Io) {
	let steps = 0;
	const indented = (text: string, by: string): string => text.split("\n").join(`\n${by}`);
	return {
		title: (text: string) => out(`\n${c.bold(text)}`),
		step: (text: string) => out(`\n${c.cyan(c.bold(`${++steps}.`))} ${c.bold(text)}`),
		line: (ms: number, what: string, text: string) =>
			out(
				`${c.dim(`${ms.toFixed(0).padStart(6)} ms`)}  ${what ? `${c.yellow(what)}\n           ` : ""}${indented(text, "           ")}`,
			),
		user: (text: string) => out(`        ${c.dim("user")}  ${c.italic(text)}`),
		quote: (text: string) => out(`           ${c.dim(indented(text.trim(), "           "))}`),
		note: (text: string) => out(c.dim(`           ${text}`)),
	};
}
