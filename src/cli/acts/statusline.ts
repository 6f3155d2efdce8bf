import { compactionScopes, statusLinePadding } from "../../claude/machine/compaction-settings.ts";
import { displayWidth } from "../../core/pressure/display-width.ts";
import { TONES } from "../../core/pressure/status-colours.ts";
import { SIGNS, TONE_MEANINGS } from "../../core/pressure/status-legend.ts";
import { statusRoom } from "../../core/pressure/status-room.ts";
import { SAMPLES } from "../../core/pressure/status-samples.ts";
import { type LineLook, statusText } from "../../core/pressure/status-text.ts";
import { loadConfig } from "../../store/config/config.ts";
import { storeRoot } from "../../store/paths.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { beside } from "../support/layout/beside.ts";
import { asTyped } from "../support/own-name.ts";
import { slug } from "../support/sample-states.ts";

export interface PreviewOptions {
	format?: string;
	width?: number;
	zone?: string;
	json?: boolean;
}

/** Prints the samples as the status line would look here; each line has the two columns before it that Claude Code leaves. */
export function preview({ format, width, zone, json }: PreviewOptions, io: Io): void {
	const look: LineLook = { ...configured(io), ...(format === undefined ? {} : { format }) };
	const columns = width ?? io.columns ?? 80;
	const room = statusRoom(columns, statusLinePadding(compactionScopes(io.env, io.cwd)));
	const samples = SAMPLES.filter(({ name }) => zone === undefined || slug(name) === zone);
	const line = (colours: boolean, one: (typeof SAMPLES)[number]): string =>
		statusText(one.facts, room, colours, look, io.paint);
	if (json) {
		const states = samples.map((one) => ({ state: slug(one.name), line: line(false, one) }));
		return answerJson(io, { format: look.format, columns, room, states });
	}
	const { colours: c } = io;
	plain(`format "${look.format}"; of ${columns} columns Claude Code leaves ${room}`, io);
	for (const one of samples) {
		beside(io, { label: `${c.bold(`${one.name}:`)} `, indent: one.name.length + 2 }, one.meaning, c.dim);
		io.out(`  ${line(io.paint !== undefined, one)}`);
	}
}

/** Prints what the signs and the colours mean, in the colours and with the bar of the configuration. */
export function legend({ json }: { json?: boolean }, io: Io): void {
	const look = configured(io);
	const colours = TONES.map((tone) => ({ tone, colour: look.colours[tone], meaning: TONE_MEANINGS[tone] }));
	if (json) return answerJson(io, { format: look.format, signs: SIGNS, colours });
	const { colours: c } = io;
	const painted = io.paint ?? String;
	const widest = Math.max(...SIGNS.map(({ sign }) => displayWidth(sign)));
	io.out(c.bold("Signs"));
	for (const { part, sign, tone, meaning } of SIGNS) {
		const shown = part === "bar" ? withSigns(sign, look.bar.signs) : sign;
		const pad = " ".repeat(widest - displayWidth(shown));
		const label = `  ${painted(shown, look.colours[tone])}${pad}  ${c.dim(`{${part}}`.padEnd(9))}  `;
		beside(io, { label, indent: widest + 15 }, asTyped(meaning, io));
	}
	io.out(`\n${c.bold("Colours")}`);
	for (const { tone, colour, meaning } of colours)
		beside(io, { label: `  ${painted(tone.padEnd(8), colour)}  ${c.dim(colour.padEnd(8))}  `, indent: 22 }, meaning);
	io.out("");
	plain(asTyped("ccg statusline preview shows them at work; docs/statusline.md says how to change them", io), io);
}

/** A remark in the terminal's width. */
const plain = (text: string, io: Io): void => beside(io, { label: "", indent: 0 }, text, io.colours.dim);

function configured(io: Io): LineLook {
	const { config, problems } = loadConfig(storeRoot(io.env), { folder: io.cwd, tell: io.tell });
	for (const problem of problems.filter((text) => text.startsWith("statusLine")))
		io.err(`ccg: config.json: ${problem}; the default counts`);
	return config.statusLine;
}

const withSigns = (bar: string, signs: string): string =>
	bar.replaceAll("█", signs[0] ?? "█").replaceAll("░", signs[1] ?? "░");
