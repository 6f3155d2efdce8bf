import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastCompaction } from "../../../src/claude/transcript/compactions.ts";
import { linesText } from "../../kit/events.ts";
import { scratch } from "../../scratch-home.ts";

const path = join(scratch("compactions"), "t.jsonl");
mkdirSync(join(path, ".."), { recursive: true });

/** A clock that is set back with each line: times tell nothing. */
const at = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, -n)).toISOString();
const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** Letters in the order of the file: `u`ser, `a`gent, `s`ystem, a `b`oundary, a summary (`m`). The last boundary names `compactMetadata`. */
function keptIn(kinds: string, compactMetadata: object) {
	const lines = [...kinds].map((kind, n) => {
		const type = kind === "a" ? "assistant" : kind === "u" || kind === "m" ? "user" : "system";
		const isBoundary = kind === "b" && { subtype: "compact_boundary" };
		const isLast = kinds.lastIndexOf("b") === n && { compactMetadata };
		const message = { role: type, content: [{ type: "text", text: `said ${n}, not "uuid"` }] };
		return JSON.stringify({ type, message, uuid: id(n), timestamp: at(n), ...isBoundary, ...isLast });
	});
	writeFileSync(path, linesText(lines));
	const places = lines.map((_, n) => linesText(lines.slice(0, n)).length);
	const placeOf = (pos: number): number => places.indexOf(pos);
	return lastCompaction(path)
		.kept(0)
		.map(({ from, to }) => [placeOf(from), ...(to === undefined ? [] : [placeOf(to)])]);
}
const listed = (...places: number[]) => ({ preservedMessages: { uuids: places.map(id) } });

// as 2.1.330 and 2.1.332 wrote them
test.each([
	["from here: all before it", "uasuasuasbm", listed(0, 1, 2, 3, 4, 5), [[0, 5], [9]]],
	["up to here: it and all behind it", "uasuasuasbm", listed(6, 7, 8), [[6, 8], [9]]],
	[
		"up to what stands before what was summarised from",
		"uasuasuasbmsuasbm",
		listed(3, 4, 5, 11, 12, 13, 14),
		[[3, 5], [11, 14], [15]],
	],
	[
		"from what an earlier one kept: its boundary and summary are named first",
		"uasuasuasbmsuasbm",
		listed(9, 10, 6, 7, 8),
		[[6, 10], [15]],
	],
	["all of it: the last answer", "uasuasbm", listed(4, 5), [[4, 5], [6]]],
	["nothing", "uasuasbm", {}, [[6]]],
	[
		"the ends alone, as 2.1.118 names them",
		"uasuasuasbm",
		{ preservedSegment: { headUuid: id(3), tailUuid: id(8) } },
		[[3, 8], [9]],
	],
] as const)("what stays word for word is known by its place: %s", (_, kinds, metadata, expected) => {
	expect(keptIn(kinds, metadata)).toEqual(expected);
});
