import type { Command } from "commander";
import type { DemoOptions } from "../acts/demo.ts";
import type { Io } from "../support/io.ts";

export function registerDemo(program: Command, io: Io): void {
	program
		.command("demo")
		.description("play a recorded session through ccg in a throw-away home: what a summary kept, and what came back")
		.option("--full", "every step of the chain with its text and time, a page at a time")
		.option("--keep", "keep the throw-away home and say where it is")
		.option("--json", "machine-readable")
		.addHelpText("after", "\nNothing of yours is read or changed.\n\nExamples:\n  ccg demo\n  ccg demo --full --keep")
		.action(async (options: DemoOptions) => (await import("../acts/demo.ts")).demo(options, io));
}
