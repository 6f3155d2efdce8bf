import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decode } from "../../core/transcript/decode.ts";

/** A stretch of the recorded session: transcript lines up to one answer of the model, or up to the compaction. */
export interface Frame {
	lines: string[];
	/** What the user typed in this stretch. */
	prompts: string[];
	/** What the model said. */
	said: string[];
	calls: { id: string; tool: string; input: Record<string, unknown> }[];
	/** Context size of the answer; `null` for the compaction. */
	tokens: number | null;
	model: string;
	/** The native summary, on the frame of the compaction. */
	summary: string | null;
}

/** Reads the recording and puts the demo's own folders and session in the place of the recorded ones. */
export function readRecording(packageRoot: string, names: { PROJECT: string; HOME: string; SESSION: string }): Frame[] {
	let text = readFileSync(join(packageRoot, "demo", "session.jsonl"), "utf8");
	for (const [name, value] of Object.entries(names))
		text = text.replaceAll(`{{${name}}}`, JSON.stringify(value).slice(1, -1));
	const frames: Frame[] = [];
	let frame = emptyFrame();
	let answer = "";
	for (const line of text.split("\n").filter(Boolean)) {
		const entry = JSON.parse(line) as {
			type: string;
			subtype?: string;
			isCompactSummary?: boolean;
			message?: { id?: string; content?: unknown };
		};
		const id = entry.type === "assistant" ? (entry.message?.id ?? "") : "";
		if (answer && id !== answer) {
			frames.push(frame);
			frame = emptyFrame();
		}
		answer = id;
		frame.lines.push(line);
		if (entry.isCompactSummary) {
			frame.summary = String(entry.message?.content ?? "");
			frames.push(frame);
			frame = emptyFrame();
			continue;
		}
		for (const event of decode(entry)) {
			if (event.kind === "message") frame.prompts.push(event.text);
			if (event.kind === "said") frame.said.push(event.text);
			if (event.kind === "call") frame.calls.push(event);
			if (event.kind === "usage") Object.assign(frame, { tokens: event.tokens, model: event.model });
		}
	}
	if (frame.lines.length) frames.push(frame);
	return frames;
}

const emptyFrame = (): Frame => ({
	lines: [],
	prompts: [],
	said: [],
	calls: [],
	tokens: null,
	model: "",
	summary: null,
});
