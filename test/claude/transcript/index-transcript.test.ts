import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { indexTranscript } from "../../../src/claude/transcript/index-transcript.ts";
import { search } from "../../../src/search/recall.ts";
import { SearchIndex } from "../../../src/search/search-index.ts";
import { linesText, Transcript } from "../../kit/events.ts";
import { grow, steps } from "../../kit/transcript-tree.ts";
import { scratch } from "../../scratch-home.ts";

const folder = scratch("index-transcript");
mkdirSync(folder, { recursive: true });
let count = 0;

function indexed() {
	const index = SearchIndex.open(join(folder, `store${++count}`))!;
	const path = join(folder, `t${count}.jsonl`);
	const source = { path, project: "p", session: "s" };
	const names = (name: string) =>
		search(index, name, { project: "p", session: "s", now: new Date() }).found.filter(({ text }) =>
			text.includes(name),
		);
	return { index, path, read: (options = {}) => indexTranscript(index, source, options), names };
}

test("in steps: what the user said on the active branch is found, what was left is marked or absent", () => {
	fc.assert(
		fc.property(steps, fc.array(fc.nat(200), { maxLength: 3 }), (what, cuts) => {
			const { lines, active, left } = grow(what);
			const at = indexed();
			for (const cut of [...cuts.map((one) => one % (lines.length + 1)).sort((a, b) => a - b), lines.length]) {
				writeFileSync(at.path, linesText(lines.slice(0, cut)));
				at.read();
			}
			const said = lines.flatMap((line) => /Never touch (name\d+x)/.exec(line)?.[1] ?? []);
			expect(said.filter((name) => active.includes(name) && !at.names(name).some((one) => !one.left))).toEqual([]);
			expect(left.filter((name) => at.names(name).some((one) => !one.left))).toEqual([]);
			at.index.close();
		}),
		{ numRuns: 120 },
	);
}, 60_000);

test("a call whose result comes with the next reading is one passage", () => {
	const transcript = new Transcript("/p").typed("go").call("Bash", { command: "make widgets" }, "built 3 widgets");
	const at = indexed();
	writeFileSync(at.path, linesText(transcript.lines.slice(0, -1)));
	at.read();
	expect(at.names("widgets")).toEqual([]);
	transcript.write(at.path);
	at.read();
	expect(at.names("widgets")).toMatchObject([{ tool: "Bash", text: "$ make widgets\n→ built 3 widgets" }]);
	at.index.close();
});

test("more than a hook reads of a session is indexed whole", () => {
	const transcript = new Transcript("/p").typed("the very first wish");
	for (let i = 0; i < 240; i++) transcript.call("Read", { file_path: `/p/${i}` }, `${"r".repeat(99_000)} tail${i}x`);
	const at = indexed();
	transcript.write(at.path);
	at.read();
	expect(at.names("wish")).toHaveLength(1);
	expect(at.names("tail3x")).toHaveLength(1);
	at.index.close();
}, 30_000);

test("a transcript that was cut off or written anew is read anew", () => {
	const at = indexed();
	new Transcript("/p").typed("first words here").typed("second words here").write(at.path);
	at.read();
	truncateSync(at.path, 10);
	new Transcript("/p").typed("other words entirely").write(at.path);
	at.read();
	expect(at.names("words").map(({ text }) => text)).toEqual(["other words entirely"]);
	at.index.close();
});

test("so many bytes at a time, and past a line that is longer than that: in the end everything is there, once", () => {
	const transcript = new Transcript("/p").typed("the first apple");
	transcript.call("Read", { file_path: "/p/big" }, "x".repeat(40_000)).typed("the second apple");
	for (let i = 0; i < 40; i++) transcript.typed(`apple number ${i}x`);
	const at = indexed();
	transcript.write(at.path);
	for (let reached = -1, last = -2; reached !== last; ) {
		last = reached;
		reached = at.read({ most: 6_000 });
	}
	const whole = indexed();
	transcript.write(whole.path);
	whole.read();
	expect(at.index.size().passages).toBe(whole.index.size().passages);
	expect(at.names("second apple")).toHaveLength(1);
	at.index.close();
	whole.index.close();
});
