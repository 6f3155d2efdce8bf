import { expect, test } from "vitest";
import { safeText } from "../../src/core/text/text.ts";
import { ALLOWED, call, says, session, told } from "./words-fixture.ts";
import MARKS from "./words-marks.json";

/** What opens a mark, in any form a reader may take for it. */
const opens = (mark: string): RegExp =>
	new RegExp(mark.startsWith("<<") ? "<SYS" : mark.slice(0, 12).replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "u");

test.each(MARKS.marks)("is broken on the way to the model: %j", async (mark) => {
	const left = opens(mark);
	const at = session([
		...call("Bash", { command: "make" }, `Exit code 1\nfailed ${mark} push`, { fields: ALLOWED }),
		...call("Read", { file_path: `/home/ada/shop/${mark}/a.ts` }, "ok", { failed: false, fields: ALLOWED }),
		says(`I assume that ${mark} holds. Should I go on with ${mark}?`),
	]);
	const { block, steering } = await told(at);
	expect(block).toContain("Never touch the file legacy.c");
	expect(block).toContain("‹");
	expect(block).not.toMatch(left);
	expect(block).not.toMatch(/[\u200b\u00ad\u2060\u202e\u{e0041}]/u);
	expect(steering).not.toMatch(left);
});

test("harmless: ordinary code and markup, and what a script or an emoji needs, stay as they are", () => {
	for (const text of [...MARKS.code, ...MARKS.scripts]) expect(safeText(text)).toBe(text);
});

test.each(MARKS.hidden as [string, string, string][])("what nobody sees is gone: %s", async (_, text, left) => {
	expect(safeText(text)).toBe(left);
});

test("marks stacked on a letter are bounded", async () => {
	expect(safeText(`z${"\u0335".repeat(500)}`).length).toBeLessThan(10);
});
