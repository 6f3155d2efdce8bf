import { readSettings, statusLinePadding } from "../../claude/machine/compaction-settings.ts";
import { SAMPLES, SIGNS } from "../../core/pressure/status-legend.ts";
import { displayWidth, statusLineColumns, statusText, TONES, type Tone } from "../../core/pressure/status-parts.ts";
import { JSON_OUT, type Spec } from "../support/command.ts";
import { withTypableCommands } from "../support/own-name.ts";
import { printBesideLabel } from "../support/text.ts";

/** `ccg statusline` of a person: what the line looks like in each state, and what its signs and colours mean. */
export const statusline: Spec = {
	about: "the status line in each state, as it fits this terminal, and what its signs and colours mean",
	options: [JSON_OUT],
	help: `
Where stdin is no terminal and no option is given it is what Claude Code runs: it reads JSON from stdin. \
COLUMNS says for how many columns, where this terminal does not.

Examples:
  ccg statusline
  ccg statusline --json | jq '.signs[].sign'`,
	run(io) {
		const { colours: c } = io;
		const columns = io.columns ?? 80;
		const room = statusLineColumns(columns, statusLinePadding(readSettings(io.env, io.cwd)));
		const paint = (text: string, tone: Tone): string => c[TONES[tone][0]](text);
		const states = SAMPLES.map(({ name: state, facts }) => ({ state, line: statusText(facts, room, String) }));
		const colours = Object.entries(TONES).map(([tone, [colour, , meaning]]) => ({ tone, colour, meaning }));
		const text = (): void => {
			printBesideLabel(io, "", 0, `of ${columns} columns Claude Code leaves ${room}`, c.dim);
			for (const { name, meaning, facts } of SAMPLES) {
				printBesideLabel(io, `${c.bold(`${name}:`)} `, name.length + 2, meaning, c.dim);
				// the two columns that Claude Code leaves before it
				io.out(`  ${statusText(facts, room, paint)}`);
			}
			io.out(`\n${c.bold("Signs")}`);
			const widest = Math.max(...SIGNS.map(({ sign }) => displayWidth(sign)));
			for (const { sign, tone, meaning } of SIGNS) {
				const pad = " ".repeat(widest - displayWidth(sign));
				const label = `  ${paint(sign, tone)}${pad}  `;
				printBesideLabel(io, label, widest + 4, withTypableCommands(meaning, io));
			}
			io.out(`\n${c.bold("Colours")}`);
			for (const { tone, colour, meaning } of colours)
				printBesideLabel(io, `  ${c[colour](tone.padEnd(8))}  `, 12, meaning);
		};
		return { json: { columns, room, states, signs: SIGNS, colours }, text };
	},
};
