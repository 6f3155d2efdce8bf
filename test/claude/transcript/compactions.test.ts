import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastUsage, readLastCompaction } from "../../../src/claude/transcript/compactions.ts";
import { linesText, Transcript } from "../../kit/events.ts";
import { scratch } from "../../scratch-home.ts";

const path = join(scratch("compactions"), "t.jsonl");

/** A clock that is set back with each line: times tell nothing. */
const at = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, -n)).toISOString();
const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const TYPES: Record<string, string> = { u: "user", m: "user", a: "assistant", s: "system", b: "system" };

/** Which lines stay, from one to another, of a file of `u`ser, `a`gent, `s`ystem, `b`oundary, su`m`mary. The last boundary names `compactMetadata`. */
function keptIn(kinds: string, compactMetadata: object): string {
	const lines = [...kinds].map((kind, n) => {
		const type = TYPES[kind]!;
		const message = { role: type, content: [{ type: "text", text: `said ${n}, not "uuid"` }] };
		return JSON.stringify({
			...{ type, message, uuid: id(n), timestamp: at(n) },
			...(kind === "b" && { subtype: "compact_boundary" }),
			...(kinds.lastIndexOf("b") === n && { compactMetadata }),
		});
	});
	writeFileSync(path, linesText(lines));
	const places = lines.map((_, n) => linesText(lines.slice(0, n)).length);
	const kept = readLastCompaction(path).keptRanges(0);
	const placeOf = (pos: number | undefined): string => (pos === undefined ? "" : String(places.indexOf(pos)));
	return kept.map(({ from, to }) => `${placeOf(from)}-${placeOf(to)}`).join(" ");
}
const listed = (...places: number[]) => ({ preservedMessages: { uuids: places.map(id) } });

// as 2.1.330 and 2.1.332 wrote them; the ends alone as 2.1.118 did
test.each([
	["from here: all before it", "uasuasuasbm", listed(0, 1, 2, 3, 4, 5), "0-5 9-"],
	["up to here: it and all behind it", "uasuasuasbm", listed(6, 7, 8), "6-8 9-"],
	["around what was summarised", "uasuasuasbmsuasbm", listed(3, 4, 5, 11, 12, 13, 14), "3-5 11-14 15-"],
	["what an earlier one kept, named last", "uasuasuasbmsuasbm", listed(9, 10, 6, 7, 8), "6-10 15-"],
	["nothing", "uasuasbm", {}, "6-"],
	["its ends", "uasuasuasbm", { preservedSegment: { headUuid: id(3), tailUuid: id(8) } }, "3-8 9-"],
])("what stays word for word is known by its place: %s", (_, kinds, metadata, expected) => {
	expect(keptIn(kinds, metadata)).toEqual(expected);
});

test("attachments of hooks behind the boundary count, words of others do not", () => {
	const key = "precompact_checkpoint_20260101_000000";
	const isTold = (make: (transcript: Transcript) => Transcript): boolean =>
		readLastCompaction(make(new Transcript("/p").given("hook_success", key).boundary()).write(path)).isInHookRecord(
			key,
		);
	expect(isTold((one) => one)).toBe(false);
	expect(isTold((one) => one.given("hook_success", `ccg recovery ${key}`))).toBe(true);
	expect(isTold((one) => one.given("hook_additional_context", `ccg recovery ${key}`))).toBe(true);
	expect(isTold((one) => one.typed(`"attachment" ${key}`).said(key))).toBe(false);
	expect(isTold((one) => one.line("attachment", { attachment: { type: "queued_command", prompt: key } }))).toBe(false);
});

const user = (content: string): string =>
	JSON.stringify({ type: "user", timestamp: at(0), message: { role: "user", content } });
const answer = (tokens: number, more: object = {}): string => {
	const message = { id: "m", model: "claude-opus-5-5", usage: { input_tokens: tokens }, content: [] };
	return JSON.stringify({ type: "assistant", version: "2.1.329", message, ...more });
};
const BOUNDARY = JSON.stringify({ type: "system", subtype: "compact_boundary", uuid: "u" });

test.each<[string, string[], object | null]>([
	["the last answer counts", [answer(10), answer(20)], { tokens: 20, model: "claude-opus-5-5", version: "2.1.329" }],
	["a subagent's does not", [answer(10), answer(99, { isSidechain: true })], { tokens: 10 }],
	["behind a boundary nothing is known", [answer(90_000), BOUNDARY], { tokens: null, model: null, version: null }],
	["after the boundary", [answer(90_000), BOUNDARY, answer(5_000)], { tokens: 5_000 }],
	["broken lines are passed over", [answer(10), '{"usage"', "", "null"], { tokens: 10 }],
	["far from the end", [answer(10), user("x".repeat(3_000_000))], { tokens: 10 }],
	["a word in a text is no boundary", [answer(10), user("what is a compact_boundary?")], { tokens: 10 }],
	["a tail without answers says nothing", [user("hello")], null],
	["nor does an empty one", [], null],
])("usage in the tail: %s", (_, lines, expected) => {
	writeFileSync(path, linesText(lines));
	if (expected) expect(lastUsage(path)).toMatchObject(expected);
	else expect(lastUsage(path)).toBeNull();
});
