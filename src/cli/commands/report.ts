import { type Command, InvalidArgumentError } from "commander";
import type { ReportOptions, Since } from "../acts/report.ts";
import type { Io } from "../support/io.ts";

export function registerReport(program: Command, io: Io): void {
	program
		.command("report")
		.description("what each compaction kept and lost of what you said, and what came back")
		.option("--session <id>", "only this session, by its id or the beginning of it")
		.option("--project [folder]", "only this project, by a folder of it or its name (default: the current one)")
		.option("--since <time>", "only from then on: 2026-01-31, 2026-01-31T09:00, or 12h, 3d, 2w ago", sinceArgument)
		.option("--last", "only the newest compaction")
		.option("--markdown", "in Markdown, as /ccg:report shows it")
		.option("--json", "machine-readable")
		.addHelpText("after", HELP)
		.action(async (options: ReportOptions) => (await import("../acts/report.ts")).report(options, io));
}

const HELP = `
Each thing is counted once: it stands in the summary word for word, or reworded (in the summary's own words: most of the
words that matter close together), or is lost. What is not there is injected as far as there is room. "Back" counts
what of the lost was injected, or is read from disk again. In JSON: verbatim, reworded, dropped and total.

Examples:
  ccg report --last
  ccg report --project --since 7d
  ccg report --session 0c0ffee0 --json`;

function sinceArgument(value: string): Since {
	const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(value) ?? [];
	if (count)
		return (now) => now.getTime() - Number(count) * { h: 3_600_000, d: 86_400_000, w: 604_800_000 }[unit as "h"];
	// a day alone means its beginning on the reader's clock
	const at = Date.parse(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00` : value);
	if (!/^\d{4}-\d\d-\d\d/.test(value) || Number.isNaN(at))
		throw new InvalidArgumentError("it must be a day or time like 2026-01-31 or 2026-01-31T09:00, or 12h, 3d, 2w");
	return () => at;
}
