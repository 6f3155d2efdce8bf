import { InvalidArgumentError } from "commander";
import { compactionScopes, statusLinePadding } from "../../claude/machine/compaction-settings.ts";
import { TONES } from "../../core/pressure/status-colours.ts";
import { formatProblem, PART_NAMES, PRESETS } from "../../core/pressure/status-format.ts";
import { SAMPLES, SIGNS, TONE_MEANINGS } from "../../core/pressure/status-legend.ts";
import { displayWidth, type LineLook } from "../../core/pressure/status-parts.ts";
import { statusRoom, statusText } from "../../core/pressure/status-text.ts";
import { loadConfig } from "../../store/config/config.ts";
import { storeRoot } from "../../store/paths.ts";
import { type Given, JSON_OUT, option, type Spec, wholeNumber } from "../support/command.ts";
import type { Io } from "../support/io.ts";
import { asTyped } from "../support/own-name.ts";
import { beside } from "../support/text.ts";

interface Options extends Given {
	format?: string;
	width?: number;
}

/** `ccg statusline` of a person: what the line looks like in each state, and what its signs and colours mean. */
export const statusline: Spec = {
	about: "the status line in each state, as it fits this terminal, and what its signs and colours mean",
	options: [
		option("--format <format>", `a preset (${Object.keys(PRESETS).join(", ")}) or a template of parts`, (value) => {
			const problem = formatProblem(value);
			if (problem) throw new InvalidArgumentError(problem);
			return value;
		}),
		option("--width <columns>", "of a terminal so wide (default: this one's)", wholeNumber(1, 1_000)),
		JSON_OUT,
	],
	help: `
Where stdin is no terminal and no option is given it is what Claude Code runs: it reads JSON from stdin.
Parts: ${PART_NAMES.map((name) => `{${name}}`).join(" ")}; {left:short} and so on say it shorter.

Examples:
  ccg statusline
  ccg statusline --format compact
  ccg statusline --format "{bar} {left} {guard} {saved}" --width 60
  ccg statusline --json | jq '.signs[].sign'`,
	act(io, { format, width }: Options) {
		const { config, problems } = loadConfig(storeRoot(io.env), { folder: io.cwd });
		for (const problem of problems.filter((text) => text.startsWith("statusLine")))
			io.err(`ccg: config.json: ${problem}; the default counts`);
		const look: LineLook = { ...config.statusLine, ...(format === undefined ? {} : { format }) };
		const columns = width ?? io.columns ?? 80;
		const room = statusRoom(columns, statusLinePadding(compactionScopes(io.env, io.cwd)));
		const colours = TONES.map((tone) => ({ tone, colour: look.colours[tone], meaning: TONE_MEANINGS[tone] }));
		const states = (isColoured: boolean) =>
			SAMPLES.map(({ name: state, meaning, facts }) => ({
				state,
				meaning,
				line: statusText(facts, room, isColoured, look, io.paint),
			}));
		const plain = states(false).map(({ state, line }) => ({ state, line }));
		const text = (): void => {
			beside(io, NO_LABEL, `format "${look.format}"; of ${columns} columns Claude Code leaves ${room}`, io.colours.dim);
			for (const { state, meaning, line } of states(io.paint !== undefined)) {
				beside(io, { label: `${io.colours.bold(`${state}:`)} `, indent: state.length + 2 }, meaning, io.colours.dim);
				// the two columns that Claude Code leaves before it
				io.out(`  ${line}`);
			}
			printLegend(look, io);
		};
		return { json: { format: look.format, columns, room, states: plain, signs: SIGNS, colours }, text };
	},
};

const NO_LABEL = { label: "", indent: 0 };

function printLegend(look: LineLook, io: Io): void {
	const { colours: c, paint = String } = io;
	const widest = Math.max(...SIGNS.map(({ sign }) => displayWidth(sign)));
	const [used = "█", left = "░"] = look.bar.signs;
	io.out(`\n${c.bold("Signs")}`);
	for (const { part, sign, tone, meaning } of SIGNS) {
		const shown = part === "bar" ? sign.replaceAll("█", used).replaceAll("░", left) : sign;
		const pad = " ".repeat(widest - displayWidth(shown));
		const label = `  ${paint(shown, look.colours[tone])}${pad}  ${c.dim(`{${part}}`.padEnd(9))}  `;
		beside(io, { label, indent: widest + 15 }, asTyped(meaning, io));
	}
	io.out(`\n${c.bold("Colours")}`);
	for (const tone of TONES) {
		const label = `  ${paint(tone.padEnd(8), look.colours[tone])}  ${c.dim(look.colours[tone].padEnd(8))}  `;
		beside(io, { label, indent: 22 }, TONE_MEANINGS[tone]);
	}
	io.out("");
	beside(io, NO_LABEL, "docs/reference.md says how to change them", c.dim);
}
