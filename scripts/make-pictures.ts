/**
 * Makes the README's pictures from the recording that `ccg demo` plays: the status line through a cycle, and what became of the
 * user's words in a compaction. `sh scripts/bun scripts/make-pictures.ts` writes them to docs/pictures; a test compares the bytes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createColors } from "picocolors";
import { play } from "../src/cli/demo/play.ts";
import type { Printer } from "../src/cli/demo/printer.ts";
import { sentence } from "../src/cli/demo/result.ts";
import { type DemoStage, demoStage } from "../src/cli/demo/stage.ts";
import type { Statement } from "../src/cli/demo/statements.ts";
import { type Painted, sideBySide } from "../src/cli/support/layout/side-by-side.ts";
import { type Scene, terminalSvg } from "./terminal-svg.ts";

const ROOT = join(import.meta.dirname, "..");
const COLUMNS = { cycle: 72, compaction: 100 };

/** The pictures by file name: the same bytes for the same recording and the same texts. */
export async function pictures(): Promise<Record<string, string>> {
	const stage = demoStage(join(ROOT, "bin", "ccg"), process.env);
	const shown: string[] = [];
	try {
		const { statements } = await play(inColour(stage, shown), ROOT, SILENT, COLUMNS.cycle);
		return {
			"cycle.svg": terminalSvg(cycle(shown), COLUMNS.cycle),
			"compaction.svg": terminalSvg(compaction(statements), COLUMNS.compaction),
		};
	} finally {
		await stage.close();
	}
}

const ignored = (): void => {};
const SILENT: Printer = { title: ignored, step: ignored, line: ignored, user: ignored, quote: ignored, note: ignored };

/** The demo's stage, its status line with colours; each one goes into `shown`, also the one right behind the compaction. */
function inColour(stage: DemoStage, shown: string[]): DemoStage {
	let last: Record<string, unknown> = {};
	const statusLine = async (payload: Record<string, unknown>) => {
		last = payload;
		const out = runStatusLine(stage, payload);
		shown.push(out.trimEnd().replace(/saved \d\d:\d\d/, "saved 14:03"));
		return { out, ms: 0 };
	};
	const fire: DemoStage["fire"] = async (event, payload) => {
		const ran = await stage.fire(event, payload);
		const unmeasured = { ...(last.context_window as object), current_usage: null };
		if (event === "PostCompact") await statusLine({ ...last, context_window: unmeasured });
		return ran;
	};
	return { ...stage, fire, statusLine };
}

function runStatusLine({ home, project, session, transcript }: DemoStage, payload: Record<string, unknown>): string {
	const settings = JSON.parse(readFileSync(join(home, ".claude", "settings.json"), "utf8"));
	const { stdout } = Bun.spawnSync(["/bin/sh", "-c", settings.statusLine.command], {
		cwd: project,
		env: {
			HOME: home,
			PATH: process.env.PATH,
			COLUMNS: String(COLUMNS.cycle),
			CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000",
			CLAUDE_CODE_SESSION_ID: session,
			CLAUDE_PROJECT_DIR: project,
		},
		stdin: Buffer.from(JSON.stringify({ session_id: session, transcript_path: transcript, cwd: project, ...payload })),
	});
	return stdout.toString();
}

const MOMENTS: [caption: string, looks: RegExp][] = [
	["calm: compaction is far away", /18k\/167k/],
	["watch: less than 74,000 tokens are left", /96k\/167k/],
	["flush: the next tool call will tell the agent to save", /● save due/],
	["the agent was told, once in this cycle", /✓ nudged/],
	["imminent: Claude Code compacts now; ccg saves a checkpoint first", /compaction due/],
	["compacted: ccg has given back what the summary lost", /—\/167k/],
	["the next cycle begins", / 12k\/167k/],
];

function cycle(shown: readonly string[]): Scene[] {
	return MOMENTS.map(([caption, looks]) => {
		const line = shown.find((one) => looks.test(plain(one)));
		if (!line) throw new Error(`the recording shows no ${looks}:\n${shown.map(plain).join("\n")}`);
		return { caption, lines: [line] };
	});
}

const plain = (line: string): string => line.replace(/\u001b\[[\d;]*m/g, "");
const colours = createColors(true);

/** What the user said on the left, what the model has of it on the right. */
function compaction(statements: readonly Statement[]): Scene[] {
	const beside = (left: Painted[], right: Painted[]) => sideBySide(left, right, COLUMNS.compaction);
	const head = (text: string): Painted[] => [{ text, paint: colours.bold }];
	return [
		{ caption: "", lines: beside(head("What the user said"), head("What the model has after the compaction")) },
		...statements.map((one) => ({ caption: "", lines: beside([{ text: one.said }], fateOf(one)) })),
		{ caption: "", lines: [colours.green(sentence(statements))] },
	];
}

function fateOf({ fate, summary, isBack }: Statement): Painted[] {
	const kept =
		fate === "dropped"
			? { text: "✗ summary: lost", paint: colours.red }
			: { text: `✓ summary: ${summary}`, paint: colours.dim };
	return isBack ? [kept, { text: "✓ ccg: given back, word for word", paint: colours.green }] : [kept];
}

if (import.meta.main)
	for (const [name, svg] of Object.entries(await pictures())) writeFileSync(join(ROOT, "docs", "pictures", name), svg);
