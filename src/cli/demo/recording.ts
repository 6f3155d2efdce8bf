import { readFileSync } from "node:fs";
import { join } from "node:path";
import { saidFate, saidIn, soughtText } from "../../core/audit/said.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { normalised, oneLine } from "../../core/text/text.ts";
import { decode } from "../../core/transcript/decode.ts";
import { packageRoot } from "../../install/launcher.ts";

/** A stretch of the recorded session: transcript lines up to one answer of the model, or up to the compaction. */
export interface Frame {
	lines: string[];
	calls: { id: string; tool: string; input: Record<string, unknown> }[];
	/** Context size of the answer; `null` for the compaction. */
	tokens: number | null;
	model: string;
	/** The native summary, on the frame of the compaction. */
	summary: string | null;
}

/** Reads the recording and puts the demo's own folders and session in the place of the recorded ones. */
export function readRecording(names: { PROJECT: string; HOME: string; SESSION: string }): Frame[] {
	let text = readFileSync(join(packageRoot(), "demo", "session.jsonl"), "utf8");
	for (const [name, value] of Object.entries(names))
		text = text.replaceAll(`{{${name}}}`, JSON.stringify(value).slice(1, -1));
	const frames: Frame[] = [];
	/** Of the answer that the line before is of; `""` for none. */
	let answer = "";
	for (const line of text.split("\n").filter(Boolean)) {
		const entry = JSON.parse(line);
		const id: string = entry.type === "assistant" ? entry.message.id : "";
		const before = frames.at(-1);
		const goesOn = before && before.summary === null && (answer === "" || id === answer);
		const frame = goesOn ? before : { lines: [], calls: [], tokens: null, model: "claude-opus-5-5", summary: null };
		if (!goesOn) frames.push(frame);
		answer = id;
		frame.lines.push(line);
		if (entry.isCompactSummary) frame.summary = entry.message.content;
		else
			for (const event of decode(entry)) {
				if (event.kind === "call") frame.calls.push(event);
				if (event.kind === "usage") Object.assign(frame, { tokens: event.tokens, model: event.model });
			}
	}
	return frames;
}

/** One thing the user said, and what became of it. */
export type Statement = ReturnType<typeof statementsOf>[number];

/** What the user said up to a checkpoint, in order; judged as the report does. */
export function statementsOf({ state }: Checkpoint, summary: string, given: string) {
	const sought = soughtText(summary);
	const whole = normalised(given);
	return saidIn(state).flatMap(({ text, taken }) => {
		/** How the summary has it. */
		const fate = saidFate(text, sought, taken);
		if (fate === null) return [];
		return {
			said: oneLine(text),
			fate,
			/** The summary's own line of it; `""` where it says nothing of it. */
			summary: fate === "dropped" ? "" : bestLine(summary, text),
			/** The user's words stand in what ccg injected. */
			isBack: whole.includes(normalised(text)),
		};
	});
}

/** The sentence of a summary that shares most words with what was said. */
function bestLine(summary: string, said: string): string {
	const words = (line: string): Set<string> => new Set(normalised(line).match(/\p{L}{4,}/gu));
	const wanted = words(said);
	const shared = (line: string): number => words(line).intersection(wanted).size;
	const lines = summary
		.split("\n")
		.flatMap((line) => line.split(/(?<=[.!?])\s/))
		.map((line) => oneLine(line).replace(/^- /, ""));
	return lines.reduce((best, line) => (shared(line) > shared(best) ? line : best), "");
}
