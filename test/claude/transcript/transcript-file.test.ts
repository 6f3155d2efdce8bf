import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
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

function reading<T>(content: string | Uint8Array, act: (file: TranscriptFile) => T): T {
	const path = join(folder, "t.jsonl");
	writeFileSync(path, content);
	return withTranscript(path, act);
}

/** The same by whole-file means: lines that end within `from` to `to`, as offsets. */
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

function linesOf(file: TranscriptFile, from = 0, to = file.size): string[] {
	const lines: string[] = [];
	forEachLine(file, from, to, (line) => lines.push(line.toString("latin1")), 1);
	return lines;
}

function naiveFind(content: Buffer, to: number, maxBytes: number, accept: (line: string) => boolean): number | null {
	const limit = Math.min(to, content.length);
	const lowest = Math.max(0, limit - maxBytes);
	const first = lowest === 0 || content[lowest - 1] === 10 ? lowest : content.indexOf(10, lowest) + 1;
	if (first === 0 && lowest > 0) return null;
	return naiveLines(content, first, limit).findLast(({ text }) => text.includes(NEEDLE) && accept(text))?.start ?? null;
}

const any = () => true;
const line = (length: number, fill = "x"): string => fill.repeat(length);

test("no regular file is opened", () => {
	fifo(join(folder, "fifo"));
	for (const path of [join(folder, "none"), folder, "/dev/zero", join(folder, "fifo")])
		expect(() => withTranscript(path, any), path).toThrow();
});

describe("forEachLine", () => {
	test.each([0, 1, 500_000, MIB - 1])("passes over a line of more than 8 MiB, %i bytes in", (ahead) => {
		const before = `${line(ahead)}\n`;
		for (const [length, kept] of [
			[MAX_LINE, true],
			[MAX_LINE + 1, false],
			[9_000_000, false],
			[9 * MIB, false],
		] as const)
			reading(`${before}${line(length, "y")}\nafter\n`, (file) => {
				const lengths = linesOf(file).map((one) => one.length);
				expect(lengths).toEqual([...(ahead ? [ahead] : []), ...(kept ? [length] : []), 5]);
			});
	});

	test("any bytes, any range", () => {
		const bytes = fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(10) }, fc.integer({ min: 0, max: 255 })), {
			maxLength: 200,
		});
		fc.assert(
			fc.property(bytes, fc.nat(200), fc.nat(200), (content, a, b) => {
				const buffer = Buffer.from(content);
				const [from, to] = [Math.min(a, b, buffer.length), Math.min(Math.max(a, b), buffer.length)];
				reading(buffer, (file) =>
					expect(linesOf(file, from, to)).toEqual(naiveLines(buffer, from, to).map(({ text }) => text)),
				);
			}),
			{ numRuns: 300 },
		);
	});
});

describe("findLineBackwards", () => {
	const boundary = `{"subtype":${NEEDLE}}`;

	test("any file, any end, any reach: as a whole reading finds it", () => {
		const piece = fc.oneof(
			fc.constantFrom("\n", NEEDLE, `${NEEDLE}\n`, `yes${NEEDLE}\n`, '"compact_', "é"),
			fc
				.oneof(fc.nat(20), fc.integer({ min: MIB - 40, max: MIB + 40 }), fc.integer({ min: 65_500, max: 65_600 }))
				.map((length) => line(length)),
		);
		fc.assert(
			fc.property(
				fc.array(piece, { maxLength: 12 }),
				fc.double({ min: 0, max: 1, noNaN: true }),
				fc.double({ min: 0, max: 1, noNaN: true }),
				fc.boolean(),
				(pieces, end, share, picky) => {
					const content = Buffer.from(pieces.join(""));
					const to = end > 0.5 ? content.length : Math.floor(content.length * end * 2);
					const maxBytes = share > 0.5 ? 32 * MIB : Math.floor(content.length * share * 2);
					const accept = picky ? (text: string) => text.includes("yes") : any;
					reading(content, (file) =>
						expect(findLineBackwards(file, NEEDLE, to, maxBytes, accept)).toBe(
							naiveFind(content, to, maxBytes, accept),
						),
					);
				},
			),
			{ numRuns: 200 },
		);
	});

	test("reads no more than it must", () => {
		reading(`${boundary}\n${line(5 * MIB)}\n${boundary}\nx\n`, (file) => {
			findLineBackwards(file, NEEDLE, file.size, 32 * MIB, any);
			expect(file.bytesRead).toBeLessThan(1.5 * MIB);
		});
	});
});
