import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fate, LossReport } from "../../core/audit/audit.ts";
import { oneLine, withThousands } from "../../core/text/text.ts";
import { withTemporaryFolder } from "../../doctor/sandbox.ts";
import { type PlayedDemo, playRecording } from "../demo/play.ts";
import { demoSandbox } from "../demo/sandbox.ts";
import { type Flags, JSON_OUT, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { printText } from "../support/text.ts";

export const demo: Spec = {
	about: "play a recorded session through ccg in a temporary home; shows what a summary kept, and what ccg gave back",
	options: [JSON_OUT],
	help: "\nNothing of yours is read or changed; the page that it ends in lies in the folder for temporary files.\n\nExamples:\n  ccg demo\n  ccg demo --json",
	async run(io, { json }: Flags) {
		if (io.interactive && !json) io.err(io.colours.dim("playing a recorded session, a few seconds …"));
		let page = "";
		const played = await withTemporaryFolder("ccg-demo", async (top) => {
			const sandbox = demoSandbox(top, io.launcher, io.env);
			const result = await playRecording(sandbox, 96);
			page = join(mkdtempSync(join(tmpdir(), "ccg-page-")), "demo.html");
			await sandbox.ccg("show", "latest", "--as", "page", "--out", page);
			return result;
		});
		const { messages, summary, block, ms, verdict, tokensBefore } = played;
		const facts = { verdict, messages, tokensBefore, summaryChars: summary.length, blockChars: block.length, page };
		const text = (): void => {
			printResult(played, io);
			printText(`All of it as a page, for a browser: ${page}`, io);
		};
		return { json: { ...facts, ms: Math.round(ms) }, text };
	},
};

/** Prints each message of the user with what became of it, the size of the injected block, and last the verdict in one sentence. */
function printResult({ messages, summary, tokensBefore, block, verdict, ms }: PlayedDemo, io: Io): void {
	const c = io.colours;
	const about =
		`A recorded session: at ${withThousands(tokensBefore)} tokens Claude Code put a summary of ${withThousands(summary.length)} characters in its place. ` +
		"The summary is scripted, as summaries in public transcripts are.\n";
	const effort =
		`ccg injected ${withThousands(block.length)} characters, which took ${Math.round(ms)} ms. ` +
		"Nothing of yours was touched. To use it: ccg install --dry-run, then ccg install.\n";
	printText("A session of Claude Code, compacted with ccg installed", io, c.bold);
	printText(about, io, c.dim);
	for (const lines of describeMessages(messages, c)) {
		for (const { text, paint } of lines) printText(text, io, paint);
		io.out("");
	}
	printText(effort, io, c.dim);
	printText(verdict, io, (line) => c.bold(c.green(line)));
}

/** What is printed of a message that the summary lacks, by how much of it ccg injected. */
const INJECTED_LINES = {
	whole: ["✓ ccg: injected", "green"],
	part: ["✓ ccg: injected in part", "green"],
	neither: ["✗ ccg: not injected; ccg recall finds it", "red"],
} as const;

/** Gives for each message of the user its text, and lines that say whether the summary or the block has it; each with its colour. */
const describeMessages = (messages: LossReport["messages"], c: Io["colours"]) =>
	messages.map(({ text, fate }) => [{ text: `"${oneLine(text)}"`, paint: String }, ...coverageLines(fate, c)]);

/** Gives the lines that say whether the summary has a message, and else whether ccg injected it. */
function coverageLines(fate: Fate, c: Io["colours"]) {
	if (fate === "summary") return [{ text: "  ✓ in the summary", paint: c.dim }];
	const [text, colour] = INJECTED_LINES[fate];
	const notInSummary = { text: "  ✗ not word for word in the summary", paint: c.red };
	return [notInSummary, { text: `  ${text}`, paint: c[colour] }];
}
