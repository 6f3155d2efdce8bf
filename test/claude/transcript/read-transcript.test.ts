import { join } from "node:path";
import { expect, test } from "vitest";
import { currentSession } from "../../../src/claude/transcript/read-session.ts";
import type { SessionState } from "../../../src/core/state/session-state.ts";
import { linesText, Transcript } from "../../kit/events.ts";
import { readLines } from "../../kit/read-lines.ts";
import { scratch } from "../../scratch-home.ts";

const MB = 1024 * 1024;
const path = () => join(scratch(), "t.jsonl");

test("lines with events, where they begin, and where the next reading does", () => {
	const transcript = new Transcript("/p").typed("one").noise(2_000_000).said("zwei — ü").meta("x").boundary();
	const file = transcript.write(path());
	const { lines, offset: end, isPartial } = readLines(file, 0);
	expect(lines.map(({ events }) => events.at(-1)!.kind)).toEqual(["message", "said", "told", "boundary"]);
	const starts = transcript.lines.map((_, n) => Buffer.byteLength(linesText(transcript.lines.slice(0, n))));
	expect(lines.map(({ pos }) => pos)).toEqual([0, 2, 3, 4].map((n) => starts[n]));
	expect(end).toBe(Buffer.byteLength(transcript.text()));
	expect(isPartial).toBe(false);
	expect(readLines(file, end).lines).toEqual([]);
	expect(readLines(file, starts[2]!).lines).toHaveLength(3);
});

test.each(['say "so"\\\\ 記憶🧠 \u0001', '\\\\"', "記憶"])(
	"of a long text the middle is left out between two characters: %j",
	(unit) => {
		const text = unit.repeat((3.5 * MB) / Buffer.byteLength(unit));
		for (let shift = 0; shift < 7; shift++) {
			const file = new Transcript("/p").typed(`${"x".repeat(shift)}${text}`).write(path());
			const event = readLines(file, 0).lines[0]?.events.find(({ kind }) => kind === "message");
			if (event?.kind !== "message") throw new Error("no message");
			const [head = "", tail = "", ...more] = event.text.split("[…]").map((part) => part.trim());
			const [starts, ends] = [`${"x".repeat(shift)}${text}`.startsWith(head), text.trim().endsWith(tail)];
			expect([starts, ends, more]).toEqual([true, true, []]);
			expect(Buffer.byteLength(event.text)).toBeLessThan(3 * MB);
		}
	},
);

const RULE = "Never push to main.";
const QUEUED = { prompt: RULE, commandMode: "prompt", origin: { kind: "human" } };
/** What is known of a long session whose reading runs out of time soon. */
function readWhenSpent(middle: (transcript: Transcript) => Transcript): SessionState {
	const filler = (n: number) => Array.from({ length: n }, () => "x".repeat(1_500));
	const transcript = new Transcript("/p").typed("Begin.");
	for (const text of filler(400)) transcript.said(text);
	middle(transcript);
	for (const text of filler(600)) transcript.said(text);
	let looks = 0;
	const found = currentSession(null, transcript.write(path()), { isSpent: () => looks++ > 1 });
	expect(found.isCut).toBe(true);
	return found.state;
}

test.each<[string, (transcript: Transcript) => Transcript]>([
	["typed", (t) => t.typed(RULE)],
	["queued", (t) => t.line("attachment", { attachment: { type: "queued_command", ...QUEUED } })],
	["answered", (t) => t.answered("May I push?", RULE)],
	["said to a refused call", (t) => t.rejected("Bash", { command: "git push" }, RULE)],
])("when the time is spent what the user said later is read: %s", (_, middle) => {
	const { messages, decisions } = readWhenSpent(middle);
	expect(JSON.stringify([messages, decisions])).toContain(RULE);
});

test("when the time is spent words are read within a bound", () => {
	const { messages } = readWhenSpent((t) => {
		for (let n = 0; n < 300; n++) t.typed(`${n} ${"y".repeat(5_000)}`);
		return t;
	});
	expect(messages.length).toBeGreaterThan(50);
	expect(messages.length).toBeLessThan(200);
});
