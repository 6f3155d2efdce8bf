import type { Command } from "commander";
import type { Io } from "../support/io.ts";
import { type RecallArguments, recallArguments } from "../support/recall-arguments.ts";

/** `ccg recall`: for the agent, what was said, done or seen before. */
export function registerRecall(program: Command, io: Io, now: () => Date = () => new Date()): void {
	program
		.command("recall")
		.description("for the agent: find what was said, done or seen before, in this project's sessions and notes")
		.argument("[words...]", "what to look for: names, the text of an error, a question")
		.option("--more <id>", "one passage whole, with what came before and after it")
		.option("--json", "machine-readable")
		.addHelpText("after", EXAMPLES)
		// what is no option is looked for
		.allowUnknownOption()
		.action(async (words: string[], { more, json }: { more?: string; json?: boolean }, command: Command) => {
			const args = [...(more === undefined ? [] : ["--more", more]), ...(json ? ["--json"] : []), ...words];
			let wanted: RecallArguments;
			try {
				wanted = recallArguments(args);
			} catch (error) {
				return command.error(`error: ${(error as Error).message}`, { exitCode: 2 });
			}
			await (await import("../acts/recall.ts")).recallWords(wanted, io, now());
		});
}

const EXAMPLES = `
Answers in at most 4,000 characters: the passages that fit best, with who said it and when. It reads the search index,
which the end of each turn and each compaction bring up to date. Only this project: others are searched with ccg search --all.

Examples:
  ccg recall why was the retry limit raised
  ccg recall parseDocument
  ccg recall --more 3f9a1.k2p`;
