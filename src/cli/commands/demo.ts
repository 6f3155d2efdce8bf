import type { Fate, LossReport } from "../../core/audit/audit.ts";
import { grouped, oneLine } from "../../core/text/text.ts";
import { inScratchFolder } from "../../doctor/sandbox.ts";
import { type PlayedDemo, playRecording } from "../demo/play.ts";
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
		const played = await inScratchFolder("ccg-demo", (top) => playRecording(demoSandbox(top, io.launcher, io.env), 96));
		const { messages, summary, block, ms, verdict, tokensBefore } = played;
		const facts = { verdict, messages, tokensBefore, summaryChars: summary.length, blockChars: block.length };
		return { json: { ...facts, ms: Math.round(ms) }, text: () => printResult(played, io) };
	},
};

/** Prints what the user said, what the summary kept of it and what ccg injected; the result stands last, in one sentence. */
function printResult({ messages, summary, tokensBefore, block, verdict, ms }: PlayedDemo, io: Io): void {
	const c = io.colours;
	say("A session of Claude Code, compacted with ccg installed", io, c.bold);
	say(
		`A recorded session: at ${grouped(tokensBefore)} tokens Claude Code put a summary of ${grouped(summary.length)} characters in its place. ` +
			"The summary is scripted, as summaries in public transcripts are.\n",
		io,
		c.dim,
	);
	for (const lines of describeFates(messages, c)) {
		for (const { text, paint } of lines) say(text, io, paint);
		io.out("");
	}
	say(
		`ccg injected ${grouped(block.length)} characters, which took ${Math.round(ms)} ms. ` +
			"Nothing of yours was touched. To use it: ccg install --dry-run, then ccg install.\n",
		io,
		c.dim,
	);
	say(verdict, io, (line) => c.bold(c.green(line)));
}

const FATE_LINES = {
	whole: ["✓ ccg: injected", "green"],
	part: ["✓ ccg: injected in part", "green"],
	neither: ["✗ ccg: not injected; ccg recall finds it", "red"],
} as const;

/** Gives for each message of the user its text and the lines that say where it stands now, each with how it is coloured. */
export const describeFates = (messages: LossReport["messages"], c: Io["colours"]) =>
	messages.map(({ text, fate }) => [{ text: `"${oneLine(text)}"`, paint: String }, ...describeFate(fate, c)]);

function describeFate(fate: Fate, c: Io["colours"]) {
	if (fate === "summary") return [{ text: "  ✓ in the summary", paint: c.dim }];
	const [text, colour] = FATE_LINES[fate];
	return [
		{ text: "  ✗ not word for word in the summary", paint: c.red },
		{ text: `  ${text}`, paint: c[colour] },
	];
}
