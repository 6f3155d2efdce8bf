/**
 * Makes the README's pictures from the recording that `ccg demo` plays: the status line through a cycle, and what became of the
 * user's words in a compaction. `sh scripts/bun scripts/make-pictures.ts` writes them to docs/pictures; a test compares the bytes.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeMessages } from "../src/cli/commands/demo.ts";
import { type PlayedDemo, playRecording } from "../src/cli/demo/play.ts";
import { type DemoSandbox, demoSandbox } from "../src/cli/demo/sandbox.ts";
import { makeColours } from "../src/cli/support/io.ts";
import { wrapText } from "../src/cli/support/text.ts";
import { withTemporaryFolder } from "../src/doctor/sandbox.ts";
import { type Scene, terminalSvg } from "./terminal-svg.ts";

const ROOT = join(import.meta.dirname, "..");
const COLUMNS = { cycle: 72, compaction: 100 };

/** The pictures by file name: the same bytes for the same recording and the same texts. */
export async function pictures(): Promise<Record<string, string>> {
	const shown: string[] = [];
	const played = await withTemporaryFolder("ccg-demo", (top) => {
		const sandbox = demoSandbox(top, join(ROOT, "bin", "ccg"), process.env, true);
		return playRecording(recorded(sandbox, shown), COLUMNS.cycle);
	});
	return {
		"cycle.svg": terminalSvg(cycle(shown), COLUMNS.cycle),
		"compaction.svg": terminalSvg(compaction(played), COLUMNS.compaction, played.verdict),
	};
}

/** The demo's sandbox; each status line goes into `shown`, also one right behind the compaction. */
function recorded(sandbox: DemoSandbox, shown: string[]): DemoSandbox {
	let last: { context_window?: object } = {};
	const statusLine: DemoSandbox["statusLine"] = async (payload, columns) => {
		last = payload;
		const ran = await sandbox.statusLine(payload, columns);
		shown.push(ran.out.trimEnd().replace(/saved \d\d:\d\d/, "saved 14:03"));
		return ran;
	};
	const fire: DemoSandbox["fire"] = async (event, payload) => {
		const ran = await sandbox.fire(event, payload);
		const unmeasured = { ...last.context_window, current_usage: null };
		if (event === "SessionStart" && "source" in payload && payload.source === "compact")
			await statusLine({ ...last, context_window: unmeasured }, COLUMNS.cycle);
		return ran;
	};
	return { ...sandbox, fire, statusLine };
}

const MOMENTS: [caption: string, looks: RegExp][] = [
	["calm: compaction is far away", /18k\/167k/],
	["watch: less than 74,000 tokens are left", /96k\/167k/],
	["flush: the next tool call will tell the agent to save", /● save due/],
	["the agent was told, once in this cycle", /✓ nudged/],
	["imminent: Claude Code compacts now; ccg saves a checkpoint first", /compaction due/],
	["compacted: ccg has given back what the summary left out", /—\/167k/],
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
const colours = makeColours();

/** What the user said, and where it stands now. */
const compaction = ({ messages, verdict }: PlayedDemo): Scene[] => [
	...describeMessages(messages, colours).map((parts) => ({
		caption: "",
		lines: parts.flatMap(({ text, paint = String }) => wrapText(text, COLUMNS.compaction).map(paint)),
	})),
	{ caption: "", lines: [colours.green(verdict)] },
];

if (import.meta.main)
	for (const [name, svg] of Object.entries(await pictures())) writeFileSync(join(ROOT, "docs", "pictures", name), svg);
