import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { readReports } from "../../src/store/recovery/checkpoints.ts";
import { Transcript } from "../kit/events.ts";
import { at } from "./compaction-session.ts";

const HOUR = 3_600_000;

/** What the clock does before and behind the first compaction, in milliseconds from the true time; `null`: lines tell no time. */
const CLOCKS: [string, number | null, number | null][] = [
	["right", 0, 0],
	["set back an hour in the middle", 0, -HOUR],
	["a day ahead at the start", 24 * HOUR, 0],
	["set back a day, and again", -24 * HOUR, -48 * HOUR],
	["a day ahead in the middle", 0, 24 * HOUR],
	["lines without a time", null, null],
	["lines without a time at the start", null, 0],
];

/** Leaves the times out of the lines from byte `from` on. */
function untimed(from: number): void {
	const text = readFileSync(at.transcript, "utf8");
	writeFileSync(
		at.transcript,
		text.slice(0, from) + text.slice(from).replace(/"timestamp":"[^"]*"/g, '"timestamp":""'),
	);
}

test.each(CLOCKS)("what is still in the context is told by its place, with a clock that is %s", (_, first, second) => {
	const begun = at.now;
	const transcript = new Transcript(at.project);
	let written = 0;
	const set = (by: number | null, minutes: number): void => {
		at.now = new Date(begun.getTime() + minutes * 60_000 + (by ?? 0));
		transcript.at(at.now);
	};
	const write = (by: number | null): void => {
		transcript.write(at.transcript);
		if (by === null) untimed(written);
		written = readFileSync(at.transcript).length;
	};
	const compact = (): string => {
		at.send(preCompact, { trigger: "auto" });
		const block = at.start("compact")!;
		at.later(1);
		transcript.at(at.now).boundary().summary();
		return block;
	};
	set(first, 0);
	transcript.typed("Build the cart. Never touch src/legacy.").said("I begin with the cart.", 60_000);
	write(first);
	expect(compact()).toContain("Never touch src/legacy.");
	write(first);

	set(second, 10);
	transcript.typed("Round half up, says the second one.").said("I round now.", 61_000);
	write(second);
	const block = compact();
	for (const words of ["Never touch src/legacy.", "Round half up, says the second one.", "I round now."])
		expect(block).toContain(words);
	write(second);
	transcript.typed("Said behind it.").usage(5_000);
	write(second);
	at.send(preToolUse, { tool_name: "Bash" });
	expect(
		readReports(at.stored)
			.at(-1)!
			.messages.map(({ text }) => text),
	).toEqual(["Build the cart. Never touch src/legacy.", "Round half up, says the second one."]);
});
