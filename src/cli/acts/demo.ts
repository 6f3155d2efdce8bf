import { dirname } from "node:path";
import { type PlayedDemo, play } from "../demo/play.ts";
import { type Printer, printer } from "../demo/printer.ts";
import { printResult, sentence } from "../demo/result.ts";
import { type DemoStage, demoStage } from "../demo/stage.ts";
import { onStop } from "../demo/stop.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { asTyped } from "../support/own-name.ts";

export interface Options {
	full?: boolean;
	keep?: boolean;
	json?: boolean;
}

/** Plays the recording and prints what came of it. Stopped from outside, it leaves nothing behind either. */
export async function demo(options: Options, io: Io): Promise<void> {
	const steps: string[] = [];
	const show = printer(io, (line) => steps.push(line));
	if (io.interactive && !options.json) io.err(io.colours.dim("playing a recorded session, a few seconds …"));
	let stage: DemoStage | undefined;
	const forget = onStop(async () => {
		if (!options.keep) await stage?.close();
	});
	try {
		stage = demoStage(io.launcher, io.env);
		show.title("A recorded session of Claude Code, played through ccg in a throw-away home");
		show.note(stage.top);
		const columns = Math.min(110, io.columns ?? 110) - 14;
		const played = await play(stage, dirname(dirname(io.launcher)), show, columns);
		if (options.json) tellPrograms(played, options, stage, steps, io);
		else if (options.full) tellSteps(played, show, steps, io);
		else printResult(played, io);
	} finally {
		if (options.keep && stage) io.err(`kept: ${stage.top}`);
		else await stage?.close();
		forget();
	}
}

function tellSteps({ statements }: PlayedDemo, show: Printer, steps: string[], io: Io): void {
	show.title(asTyped("Nothing of yours was touched. To use it: ccg install --dry-run, then ccg install", io));
	show.title(sentence(statements));
	const text = steps.join("\n");
	if (!io.page?.(`${text}\n`)) io.out(text);
}

function tellPrograms(played: PlayedDemo, { full, keep }: Options, { top }: DemoStage, steps: string[], io: Io): void {
	const { statements, summary, block, later, ms, verdict, tokensBefore } = played;
	answerJson(io, {
		result: sentence(statements),
		verdict,
		statements,
		tokensBefore,
		summaryChars: summary.length,
		givenChars: { block: block.length, later: later.length },
		ms: Math.round(ms),
		...(keep && { kept: top }),
		...(full && { summary, block, later, steps: steps.join("\n").split("\n") }),
	});
}
