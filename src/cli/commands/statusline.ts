import { type Command, InvalidArgumentError, Option } from "commander";
import { formatProblem, PART_NAMES, PRESETS } from "../../core/pressure/status-format.ts";
import type { PreviewOptions } from "../acts/statusline.ts";
import type { Io } from "../support/io.ts";
import { wholeNumber } from "../support/number-argument.ts";
import { STATES } from "../support/sample-states.ts";

export function registerStatusline(program: Command, io: Io): void {
	const group = program
		.command("statusline")
		.description("the status line: what it looks like (preview), what its signs and colours mean (legend)")
		.addHelpText(
			"after",
			'\nWithout a command it is what Claude Code runs: it reads JSON from stdin.\nExamples:\n  ccg statusline preview\n  ccg statusline preview --format "{bar} {left} {guard} {saved}" --width 60\n  ccg statusline legend',
		);
	group
		.command("preview")
		.description("show the status line in each state, as it fits this terminal, with config.json as it is")
		.option("--format <format>", `a preset (${Object.keys(PRESETS).join(", ")}) or a template of parts`, format)
		.option("--width <columns>", "of a terminal so wide (default: this one's)", wholeNumber(1, 1_000))
		.addOption(new Option("--zone <state>", "only this state").choices(STATES).argParser(state))
		.option("--json", "machine-readable")
		.addHelpText(
			"after",
			`\nParts: ${PART_NAMES.map((name) => `{${name}}`).join(" ")}; {left:short} and so on say it shorter.

Examples:
  ccg statusline preview
  ccg statusline preview --format compact
  ccg statusline preview --format "{bar} {left} {guard} {saved}" --width 60`,
		)
		.action(async (options: PreviewOptions) => (await import("../acts/statusline.ts")).preview(options, io));
	group
		.command("legend")
		.description("what each sign and colour of the status line means")
		.option("--json", "machine-readable")
		.addHelpText("after", "\nExamples:\n  ccg statusline legend\n  ccg statusline legend --json | jq '.signs[].sign'")
		.action(async (options: { json?: boolean }) => (await import("../acts/statusline.ts")).legend(options, io));
}

function format(value: string): string {
	const problem = formatProblem(value);
	if (problem) throw new InvalidArgumentError(problem);
	return value;
}

function state(value: string): string {
	if (!STATES.includes(value)) throw new InvalidArgumentError(`states are ${STATES.join(", ")}`);
	return value;
}
