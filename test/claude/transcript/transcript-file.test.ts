import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
	findLastLine,
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

/** The same by whole-file means: where the last line begins that holds the needle, and stands within the reach. */
function naiveFind(content: Buffer, to: number, maxBytes: number, accept: (line: string) => boolean): number | null {
	const text = content.toString("latin1", 0, to);
	let end = text.lastIndexOf("\n");
	while (end >= 0) {
		const start = end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
		const line = text.slice(start, end);
		if (start < to - maxBytes) return null;
		if (line.length <= MAX_LINE && line.includes(NEEDLE) && accept(line)) return start;
		end = start - 1;
	}
	return null;
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
		reading(`${"x".repeat(ahead)}\n${"y".repeat(length)}\n${"z".repeat(40)}\n`, (file) => {
			const lengths: number[] = [];
			forEachLine(file, 0, file.size, (line) => lengths.push(line.length));
			expect(lengths).toEqual([...(ahead ? [ahead] : []), ...(isRead ? [length] : []), 40]);
		});
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
			const found = reading(content, (file) => findLastLine(file, NEEDLE, to, maxBytes, accept));
			expect(found).toBe(naiveFind(content, to, maxBytes, accept));
		}),
		{ numRuns: 200 },
	);
});
