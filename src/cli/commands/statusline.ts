import { compactionScopes, statusLinePadding } from "../../claude/machine/compaction-settings.ts";
import { SAMPLES, SIGNS } from "../../core/pressure/status-legend.ts";
import { displayWidth, statusRoom, statusText, TONES, type Tone } from "../../core/pressure/status-parts.ts";
import { JSON_OUT, type Spec } from "../support/command.ts";
import { asTyped } from "../support/own-name.ts";
import { printBeside } from "../support/text.ts";

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
	act(io) {
		const { colours: c } = io;
		const columns = io.columns ?? 80;
		const room = statusRoom(columns, statusLinePadding(compactionScopes(io.env, io.cwd)));
		const paint = (text: string, tone: Tone): string => c[TONES[tone][0]](text);
		const states = SAMPLES.map(({ name: state, facts }) => ({ state, line: statusText(facts, room, String) }));
		const colours = Object.entries(TONES).map(([tone, [colour, , meaning]]) => ({ tone, colour, meaning }));
		const text = (): void => {
			printBeside(io, { label: "", indent: 0 }, `of ${columns} columns Claude Code leaves ${room}`, c.dim);
			for (const { name, meaning, facts } of SAMPLES) {
				printBeside(io, { label: `${c.bold(`${name}:`)} `, indent: name.length + 2 }, meaning, c.dim);
				// the two columns that Claude Code leaves before it
				io.out(`  ${statusText(facts, room, paint)}`);
			}
			io.out(`\n${c.bold("Signs")}`);
			const widest = Math.max(...SIGNS.map(({ sign }) => displayWidth(sign)));
			for (const { sign, tone, meaning } of SIGNS) {
				const pad = " ".repeat(widest - displayWidth(sign));
				printBeside(io, { label: `  ${paint(sign, tone)}${pad}  `, indent: widest + 4 }, asTyped(meaning, io));
			}
			io.out(`\n${c.bold("Colours")}`);
			for (const { tone, colour, meaning } of colours)
				printBeside(io, { label: `  ${c[colour](tone.padEnd(8))}  `, indent: 12 }, meaning);
		};
		return { json: { columns, room, states, signs: SIGNS, colours }, text };
	},
};
