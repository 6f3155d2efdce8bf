import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
	findLineBackwards,
	forEachLine,
	type TranscriptFile,
	withTranscript,
} from "../../../src/claude/transcript/transcript-file.ts";
import { fifo } from "../../kit/process.ts";
import { scratch } from "../../scratch-home.ts";

const MIB = 1024 * 1024;
const MAX_LINE = 8 * MIB;
const NEEDLE = '"compact_boundary"';
const folder = scratch("transcripts");
const any = () => true;

function reading<T>(content: string | Uint8Array, act: (file: TranscriptFile) => T): T {
	const path = join(folder, "t.jsonl");
	writeFileSync(path, content);
	return withTranscript(path, act);
}

function linesOf(file: TranscriptFile, from = 0, to = file.size): string[] {
	const lines: string[] = [];
	forEachLine(file, from, to, (line) => lines.push(line.toString("latin1")), 1);
	return lines;
}

/** The same by whole-file means: where lines begin that end within `from` to `to`, and what they hold. */
function naiveLines(content: Buffer, from: number, to: number): { start: number; text: string }[] {
	const lines: { start: number; text: string }[] = [];
	for (let start = from; start < to; ) {
		const end = content.indexOf(10, start);
		if (end < 0 || end >= to) break;
		if (end > start && end - start <= MAX_LINE) lines.push({ start, text: content.toString("latin1", start, end) });
		start = end + 1;
	}
	return lines;
}

function naiveFind(content: Buffer, to: number, maxBytes: number, accept: (line: string) => boolean): number | null {
	const limit = Math.min(to, content.length);
	const lowest = Math.max(0, limit - maxBytes);
	const first = lowest === 0 || content[lowest - 1] === 10 ? lowest : content.indexOf(10, lowest) + 1;
	if (first === 0 && lowest > 0) return null;
	return naiveLines(content, first, limit).findLast(({ text }) => text.includes(NEEDLE) && accept(text))?.start ?? null;
}

test("no regular file is opened", () => {
	fifo(join(folder, "fifo"));
	for (const path of [join(folder, "none"), folder, "/dev/zero", join(folder, "fifo")])
		expect(() => withTranscript(path, any), path).toThrow();
});

test.each([0, 500_000, MIB - 1])("a line of more than 8 MiB is passed over, %i bytes in", (ahead) => {
	for (const [length, isRead] of [
		[MAX_LINE, true],
		[MAX_LINE + 1, false],
		[9 * MIB, false],
	] as const)
		reading(`${"x".repeat(ahead)}\n${"y".repeat(length)}\nafter\n`, (file) => {
			const lengths = linesOf(file).map((line) => line.length);
			expect(lengths).toEqual([...(ahead ? [ahead] : []), ...(isRead ? [length] : []), 5]);
		});
});

test("lines of any bytes, in any range", () => {
	const byte = fc.oneof({ weight: 4, arbitrary: fc.constant(10) }, fc.nat(255));
	fc.assert(
		fc.property(fc.array(byte, { maxLength: 200 }), fc.nat(200), fc.nat(200), (bytes, a, b) => {
			const content = Buffer.from(bytes);
			const [from, to] = [Math.min(a, b, content.length), Math.min(Math.max(a, b), content.length)];
			const expected = naiveLines(content, from, to).map(({ text }) => text);
			expect(reading(content, (file) => linesOf(file, from, to))).toEqual(expected);
		}),
		{ numRuns: 300 },
	);
});

test("a line is found from behind as a whole reading finds it, in any file, from any end, within any reach", () => {
	const length = fc.oneof(
		fc.nat(20),
		fc.integer({ min: MIB - 40, max: MIB + 40 }),
		fc.integer({ min: 65_500, max: 65_600 }),
	);
	const piece = fc.oneof(
		fc.constantFrom("\n", NEEDLE, `${NEEDLE}\n`, `yes${NEEDLE}\n`, '"compact_', "é"),
		length.map((many) => "x".repeat(many)),
	);
	const share = fc.double({ min: 0, max: 1, noNaN: true });
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 12 }), share, share, fc.boolean(), (pieces, end, reach, picky) => {
			const content = Buffer.from(pieces.join(""));
			const to = end > 0.5 ? content.length : Math.floor(content.length * end * 2);
			const maxBytes = reach > 0.5 ? 32 * MIB : Math.floor(content.length * reach * 2);
			const accept = picky ? (text: string) => text.includes("yes") : any;
			const found = reading(content, (file) => findLineBackwards(file, NEEDLE, to, maxBytes, accept));
			expect(found).toBe(naiveFind(content, to, maxBytes, accept));
		}),
		{ numRuns: 200 },
	);
});

test("looking for a line from behind reads no more than it must", () => {
	const boundary = `{"subtype":${NEEDLE}}`;
	reading(`${boundary}\n${"x".repeat(5 * MIB)}\n${boundary}\nx\n`, (file) => {
		findLineBackwards(file, NEEDLE, file.size, 32 * MIB, any);
		expect(file.bytesRead).toBeLessThan(1.5 * MIB);
	});
});
