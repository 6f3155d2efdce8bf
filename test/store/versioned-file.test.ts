import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { type FileKind, goodValue, readVersioned, writeVersioned } from "../../src/store/versioned-file.ts";

interface Note {
	version: 2;
	text: string;
}
const KIND: FileKind<Note> = {
	name: "note",
	version: 2,
	schema: z.object({ version: z.literal(2), text: z.string() }),
	migrations: { 1: ({ words }) => ({ text: words }) },
	keepLast: true,
};
const NOW = new Date("2026-03-01T10:00:00Z");
let path: string;
beforeEach(() => {
	path = join(mkdtempSync(join(tmpdir(), "ccg-versioned-")), "note.json");
});

test("what was written is read", () => {
	expect(readVersioned(path, KIND, NOW)).toEqual({ found: "absent" });
	writeVersioned(path, KIND, { version: 2, text: "one" });
	expect(readVersioned(path, KIND, NOW)).toEqual({ found: "good", value: { version: 2, text: "one" } });
});

test.each([
	["empty", ""],
	["torn", '{"version":2,"te'],
	["foreign", "[1,2]"],
	["of another shape", '{"version":2,"text":7}'],
	["of a version nobody wrote", '{"version":"two"}'],
	["without a way from its version", '{"text":"no version"}'],
])("a file that is %s is kept aside, and the last good version takes its place", (_, text) => {
	writeVersioned(path, KIND, { version: 2, text: "one" });
	writeVersioned(path, KIND, { version: 2, text: "two" });
	writeFileSync(path, text);
	const read = readVersioned(path, KIND, NOW);
	expect(goodValue(read)?.text).toBe("one");
	expect(read).toMatchObject({ problem: expect.stringContaining(path) });
	expect(existsSync(path)).toBe(false);
	expect(readFileSync(`${path}.damaged-20260301100000`, "utf8")).toBe(text);
	expect(readdirSync(join(path, "..")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("an older file is migrated, a newer one left alone", () => {
	writeFileSync(path, '{"version":1,"words":"old"}');
	expect(goodValue(readVersioned(path, KIND, NOW))).toEqual({ version: 2, text: "old" });
	writeFileSync(path, '{"version":3,"text":"new"}');
	expect(readVersioned(path, KIND, NOW)).toMatchObject({
		found: "newer",
		problem: expect.stringContaining("newer ccg"),
	});
	expect(readFileSync(path, "utf8")).toBe('{"version":3,"text":"new"}');
});
