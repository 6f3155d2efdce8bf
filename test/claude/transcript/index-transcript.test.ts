import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { indexTranscript } from "../../../src/claude/transcript/index-transcript.ts";
import { searchPassages } from "../../../src/search/recall.ts";
import { SearchIndex } from "../../../src/search/search-index.ts";
import { closeDatabase } from "../../../src/store/database.ts";
import { indexPath } from "../../../src/store/paths.ts";
import { linesText, Transcript } from "../../kit/events.ts";
import { grow, saidIn, steps } from "../../kit/transcript-tree.ts";
import { scratch } from "../../scratch-home.ts";

const index = SearchIndex.open(join(scratch("index-transcript"), "store"))!;
afterAll(() => closeDatabase(indexPath(index.root)));
let count = 0;

/** A transcript of a project of its own: how it is read on into the index, and the passages that hold a name. */
function indexed() {
	const project = `p${++count}`;
	const source = { path: join(index.root, `${project}.jsonl`), project, session: `s${count}` };
	return {
		path: source.path,
		read: (most = Infinity) => indexTranscript(index, source, { maxBytes: most }),
		find(name: string) {
			const { found } = searchPassages(index, name, { ...source, now: new Date() }, { project });
			return found.filter(({ text }) => text.includes(name));
		},
	};
}

test("in steps: what the user said on the active branch is found, what was left is marked or absent", () => {
	fc.assert(
		fc.property(steps, fc.array(fc.nat(200), { maxLength: 3 }), (what, cuts) => {
			const { path, read, find } = indexed();
			const { lines, active, left } = grow(what);
			for (const cut of [...cuts.map((one) => one % (lines.length + 1)).sort((a, b) => a - b), lines.length]) {
				writeFileSync(path, linesText(lines.slice(0, cut)));
				read();
			}
			const stands = (name: string): boolean => find(name).some((one) => !one.isAbandoned);
			expect(saidIn(lines).filter((name) => active.includes(name) && !stands(name))).toEqual([]);
			expect(left.filter(stands)).toEqual([]);
		}),
		{ numRuns: 120 },
	);
}, 60_000);

test("a call whose result comes with the next reading is one passage", () => {
	const { path, read, find } = indexed();
	const transcript = new Transcript("/p").typed("go").call("Bash", { command: "make widgets" }, "built 3 widgets");
	writeFileSync(path, linesText(transcript.lines.slice(0, -1)));
	read();
	expect(find("widgets")).toEqual([]);
	transcript.write(path);
	read();
	expect(find("widgets")).toMatchObject([{ tool: "Bash", text: "$ make widgets\n→ built 3 widgets" }]);
});

test("more than a hook reads of a session is indexed whole", () => {
	const { path, read, find } = indexed();
	const transcript = new Transcript("/p").typed("the very first wish");
	for (let i = 0; i < 240; i++) transcript.call("Read", { file_path: `/p/${i}` }, `${"r".repeat(99_000)} tail${i}x`);
	transcript.write(path);
	read();
	expect([find("wish").length, find("tail3x").length]).toEqual([1, 1]);
}, 30_000);

test("a transcript that was cut off or written anew is read anew", () => {
	const { path, read, find } = indexed();
	new Transcript("/p").typed("first words here").typed("second words here").write(path);
	read();
	truncateSync(path, 10);
	new Transcript("/p").typed("other words entirely").write(path);
	read();
	expect(find("words").map(({ text }) => text)).toEqual(["other words entirely"]);
});

test("so many bytes at a time, and past a line that is longer than that: in the end everything is there, once", () => {
	const { path, read, find } = indexed();
	const transcript = new Transcript("/p").typed("the first apple");
	transcript.call("Read", { file_path: "/p/big" }, "x".repeat(40_000)).typed("the second apple");
	for (let i = 0; i < 40; i++) transcript.typed(`apple number ${i}x`);
	transcript.write(path);
	const before = index.size().passages;
	for (let reached = -1, last = -2; reached !== last; ) {
		last = reached;
		reached = read(6_000);
	}
	expect(index.size().passages - before).toBe(43);
	expect(find("second apple")).toHaveLength(1);
});
