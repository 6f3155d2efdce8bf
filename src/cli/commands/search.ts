import { type Command, InvalidArgumentError, Option } from "commander";
import type { SearchOptions } from "../acts/search.ts";
import type { Io } from "../support/io.ts";
import { wholeNumber } from "../support/number-argument.ts";

const KINDS = ["user", "unclear", "agent", "call", "failure", "checkpoint", "note", "log", "task", "file"];

/** `ccg search`: for people, the same index with filters; `ccg index`: how full it is, and making it again. */
export function registerSearch(program: Command, io: Io, now: () => Date = () => new Date()): void {
	program
		.command("search")
		.description("search all that was said, done or seen in this project's sessions and notes")
		.argument("<words...>", "what to look for")
		.option("--all", "in all projects (default: the one of this folder)")
		.option("--project <folder>", "in the project of another folder")
		.option("--session <id>", "only in this session (its id or the beginning of it)")
		.addOption(new Option("--kind <kind...>", "only passages of these kinds").choices(KINDS))
		.option("--tool <name>", "only calls of this tool, as in Bash or Edit")
		.option("--path <text>", "only calls on files whose path holds this")
		.option("--since <when>", "only from then on: 2026-01-31, or 12h, 7d, 3w ago", moment(now))
		.option("--until <when>", "only up to then", moment(now))
		.option("--limit <number>", "passages shown (default: 10)", wholeNumber(1, 200))
		.option("--context <number>", "passages before and after each", wholeNumber(0, 20))
		.option("--json", "machine-readable")
		.addHelpText("after", EXAMPLES)
		.action(async (words: string[], options: SearchOptions) =>
			(await import("../acts/search.ts")).searchWords(words.join(" "), options, io, now()),
		);

	const index = program
		.command("index")
		.description("the search index: how full it is, and making it again")
		.addHelpText("after", "\nExamples:\n  ccg index\n  ccg index rebuild\n  ccg index embed");
	index
		.command("status", { isDefault: true })
		.description("what the index holds")
		.option("--json", "machine-readable")
		.addHelpText("after", "\nExamples:\n  ccg index status --json")
		.action(async ({ json }: { json?: boolean }) => (await import("../acts/index.ts")).status(io, now(), json));
	index
		.command("rebuild")
		.description("make the index again from the transcripts, notes and checkpoints there are")
		.option("--json", "machine-readable")
		.addHelpText(
			"after",
			"\nReads all transcripts of Claude Code and all notes; the index stays in use meanwhile. Passages of transcripts that\nClaude Code has deleted stay; sessions deleted from ccg come back where their transcript is there.\n\nExamples:\n  ccg index rebuild",
		)
		.action(async ({ json }: { json?: boolean }) => (await import("../acts/index.ts")).rebuild(io, now(), json));
	index
		.command("embed")
		.description("make the vectors that semantic search lacks (off without embeddings in config.json)")
		.option("--json", "machine-readable")
		.addHelpText(
			"after",
			"\nThe newest passages first; what is done is kept, so it may be ended at any time. The end of each turn makes a few by itself.\n\nExamples:\n  ccg index embed",
		)
		.action(async ({ json }: { json?: boolean }) => (await import("../acts/index-embed.ts")).embed(io, now(), json));
}

const UNITS: Record<string, number> = { h: 3_600, d: 86_400, w: 7 * 86_400 };

/** Unix seconds of a day, a moment, or a time ago. */
function moment(now: () => Date): (value: string) => number {
	return (value) => {
		const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(value) ?? [];
		if (count && unit) return Math.floor(now().getTime() / 1000) - Number(count) * UNITS[unit]!;
		const ms = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
		if (Number.isNaN(ms))
			throw new InvalidArgumentError("it must be a day as 2026-01-31, or a time ago as 12h, 7d, 3w");
		return Math.floor(ms / 1000);
	};
}

const EXAMPLES = `
Examples:
  ccg search retry limit
  ccg search --all --kind user failure --since 7d timeout
  ccg search --path src/parser.ts --context 2 parseDocument
  ccg search --json lock | jq '.[0].text'`;
