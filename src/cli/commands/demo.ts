import { grouped } from "../../core/text/text.ts";
import { inScratchFolder } from "../../install/scratch-folder.ts";
import { type PlayedDemo, play } from "../demo/play.ts";
import { type Painted, rowsOf, sideBySide } from "../demo/result.ts";
import { demoSandbox } from "../demo/sandbox.ts";
import { type Given, JSON_OUT, type Spec } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { say } from "../support/text.ts";

/** `ccg demo`: plays the recording and prints what came of it. Stopped from outside, it leaves nothing behind either. */
export const demo: Spec = {
	about: "play a recorded session through ccg in a temporary home; shows what a summary kept, and what ccg gave back",
	options: [JSON_OUT],
	help: "\nNothing of yours is read or changed.\n\nExamples:\n  ccg demo\n  ccg demo --json",
	async act(io, { json }: Given) {
		if (io.interactive && !json) io.err(io.colours.dim("playing a recorded session, a few seconds …"));
		const played = await inScratchFolder("ccg-demo", (top) => play(demoSandbox(top, io.launcher, io.env), 96));
		const { messages, summary, block, ms, verdict, tokensBefore } = played;
		const told = { verdict, messages, tokensBefore, summaryChars: summary.length, blockChars: block.length };
		return { json: { ...told, ms: Math.round(ms) }, text: () => printResult(played, io) };
	},
};

/** Below this, two columns are too narrow to read. */
const WIDE = 90;

/** What was said, what the summary kept of it and what ccg injected; the result stands last, in one sentence. */
function printResult({ messages, summary, tokensBefore, block, verdict, ms }: PlayedDemo, terminal: Io): void {
	const { out, colours: c } = terminal;
	const width = Math.min(terminal.columns ?? 110, 130);
	const io = { ...terminal, columns: width };
	const both = (left: Painted[], right: Painted[]): void => {
		if (width >= WIDE) for (const line of sideBySide(left, right, width)) out(line);
		else for (const { text, paint } of [...left, ...right]) say(text, io, paint);
		out("");
	};
	say("A session of Claude Code, compacted with ccg installed", io, c.bold);
	say(
		`A recorded session: at ${grouped(tokensBefore)} tokens Claude Code put a summary of ${grouped(summary.length)} characters in its place. ` +
			"The summary is scripted, as summaries in public transcripts are.",
		io,
		c.dim,
	);
	out("");
	const rows = rowsOf(messages, c);
	for (const [left, right] of width >= WIDE ? rows : rows.slice(1)) both(left, right);
	say(
		`ccg injected ${grouped(block.length)} characters, which took ${Math.round(ms)} ms. ` +
			"Nothing of yours was touched. To use it: ccg install --dry-run, then ccg install.",
		io,
		c.dim,
	);
	out("");
	say(verdict, io, (line) => c.bold(c.green(line)));
}
