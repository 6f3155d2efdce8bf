import { join } from "node:path";
import { expect, test } from "vitest";
import { readCurrentSession } from "../../../src/claude/transcript/read-session.ts";
import type { SessionState } from "../../../src/core/state/session-state.ts";
import { linesText, Transcript } from "../../kit/events.ts";
import { readLines } from "../../kit/read-lines.ts";
import { scratch } from "../../scratch-home.ts";

const path = join(scratch(), "t.jsonl");

test("lines with events, where they begin, and where the next reading does", () => {
	const transcript = new Transcript("/p").typed("one").noise(2_000_000).said("zwei — ü").meta("x").boundary();
	const file = transcript.write(path);
	const { lines, offset: end, isPartial } = readLines(file, 0);
	expect(lines.map(({ events }) => events.at(-1)!.kind)).toEqual(["message", "said", "told", "boundary"]);
	const starts = transcript.lines.map((_, n) => Buffer.byteLength(linesText(transcript.lines.slice(0, n))));
	expect(lines.map(({ pos }) => pos)).toEqual([0, 2, 3, 4].map((n) => starts[n]));
	expect([end, isPartial]).toEqual([Buffer.byteLength(transcript.text()), false]);
	expect(readLines(file, end).lines).toEqual([]);
	expect(readLines(file, starts[2]!).lines).toHaveLength(3);
});

const RULE = "Never push to main.";
const QUEUED = { type: "queued_command", prompt: RULE, commandMode: "prompt", origin: { kind: "human" } };

/** What is known of a long session whose reading runs out of time soon. */
function readWhenSpent(middle: (transcript: Transcript) => void): SessionState {
	const transcript = new Transcript("/p").typed("Begin.");
	for (let n = 0; n < 400; n++) transcript.said("x".repeat(1_500));
	middle(transcript);
	for (let n = 0; n < 600; n++) transcript.said("x".repeat(1_500));
	let looks = 0;
	const found = readCurrentSession(null, transcript.write(path), { isTimeUp: () => looks++ > 1 });
	expect(found.isCut).toBe(true);
	return found.state;
}

test.each<[string, (transcript: Transcript) => void]>([
	["typed", (t) => t.typed(RULE)],
	["queued", (t) => t.line("attachment", { attachment: QUEUED })],
	["answered", (t) => t.answered("May I push?", RULE)],
	["said to a refused call", (t) => t.rejected("Bash", { command: "git push" }, RULE)],
])("when the time is spent what the user said later is read: %s", (_, middle) => {
	const { messages, decisions } = readWhenSpent(middle);
	expect(JSON.stringify([messages, decisions])).toContain(RULE);
});
