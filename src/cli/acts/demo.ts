import { dirname } from "node:path";
import { type DemoSandbox, demoSandbox } from "../demo/demo-sandbox.ts";
import { type PlayedDemo, play } from "../demo/play.ts";
import { type Printer, printer } from "../demo/printer.ts";
import { printResult, sentence } from "../demo/result.ts";
import { onStop } from "../demo/stop.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { asTyped } from "../support/own-name.ts";

export interface DemoOptions {
	full?: boolean;
	keep?: boolean;
	json?: boolean;
}

/** Plays the recording and prints what came of it. Stopped from outside, it leaves nothing behind either. */
export async function demo(options: DemoOptions, io: Io): Promise<void> {
	const steps: string[] = [];
	const show = printer(io, (line) => steps.push(line));
	if (io.interactive && !options.json) io.err(io.colours.dim("playing a recorded session, a few seconds …"));
	let sandbox: DemoSandbox | undefined;
	const forget = onStop(async () => {
		if (!options.keep) await sandbox?.close();
	});
	try {
		sandbox = demoSandbox(io.launcher, io.env);
		show.title("A recorded session of Claude Code, played through ccg in a throw-away home");
		show.note(sandbox.top);
		const columns = Math.min(110, io.columns ?? 110) - 14;
		const played = await play(sandbox, dirname(dirname(io.launcher)), show, columns);
		if (options.json) tellPrograms(played, options, sandbox, steps, io);
		else if (options.full) tellSteps(played, show, steps, io);
		else printResult(played, io);
	} finally {
		if (options.keep && sandbox) io.err(`kept: ${sandbox.top}`);
		else await sandbox?.close();
		forget();
	}
}

function tellSteps({ statements }: PlayedDemo, show: Printer, steps: string[], io: Io): void {
	show.title(asTyped("Nothing of yours was touched. To use it: ccg install --dry-run, then ccg install", io));
	show.title(sentence(statements));
	const text = steps.join("\n");
	if (!io.page?.(`${text}\n`)) io.out(text);
}

function tellPrograms(
	played: PlayedDemo,
	{ full, keep }: DemoOptions,
	{ top }: DemoSandbox,
	steps: string[],
	io: Io,
): void {
	const { statements, summary, block, followUp, ms, verdict, tokensBefore } = played;
	answerJson(io, {
		result: sentence(statements),
		verdict,
		statements,
		tokensBefore,
		summaryChars: summary.length,
		injectedChars: { block: block.length, followUp: followUp.length },
		ms: Math.round(ms),
		...(keep && { kept: top }),
		...(full && { summary, block, followUp, steps: steps.join("\n").split("\n") }),
	});
}
