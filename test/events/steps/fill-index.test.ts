import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fillIndex } from "../../../src/events/steps/fill-index.ts";
import { indexPath } from "../../../src/store/paths.ts";
import { recall } from "../../../src/store/search/recall.ts";
import { SearchIndex } from "../../../src/store/search/search-index.ts";
import { lackOf } from "../../../src/store/search/unread.ts";
import { Transcript } from "../../kit/events.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

const MOST = 300_000;

/** Transcripts of sessions that the store knows, and of one that it does not. */
function world() {
	const home = scratch("fill-index");
	const root = join(home, "store");
	const claudeRoot = join(home, ".claude");
	const sizes = { near: 20, far: 3_000, foreign: 20 };
	for (const [name, lines] of Object.entries(sizes)) {
		const transcript = new Transcript(join(home, name === "near" ? "p" : "q"));
		for (let i = 0; i < lines; i++) transcript.typed(`Rule ${name}${i}x holds.`);
		const folder = join(claudeRoot, "projects", name);
		mkdirSync(folder, { recursive: true });
		transcript.write(join(folder, `${name}.jsonl`));
		if (name !== "foreign") mkdirSync(join(root, "sessions", name), { recursive: true });
	}
	const beside = join(claudeRoot, "projects", "near", "now.jsonl");
	const fill = (index: SearchIndex) =>
		fillIndex(index, { store: storeAt(root), claudeRoot, beside, most: MOST, pace: () => "all" });
	return { root, fill, claudeRoot };
}

const asker = { project: "p", session: "now", now: new Date() };

test("a new index: so many bytes at a time, its own project first, until what the store knows is in it, and nothing else", () => {
	const { root, fill } = world();
	SearchIndex.use(root, {}, (index) => {
		fill(index);
		expect(index.size()).toMatchObject({ sources: 2 });
		expect(lackOf(index).transcripts).toBe(1);
		expect(recall(index, "near19x", { ...asker }, {})).toContain("Rule near19x holds.");
		expect(recall(index, "far2999x", asker, {})).toMatch(/^Nothing .* 1 transcript is not in the index yet/);
		let turns = 1;
		for (; lackOf(index).transcripts > 0; turns++) fill(index);
		expect(turns).toBeGreaterThan(2);
		fill(index);
		expect(index.size()).toMatchObject({ passages: 3_020, sources: 2 });
		expect(recall(index, "far2999x", asker, {})).toContain("Rule far2999x holds.");
		expect(recall(index, "foreign3x", asker, {})).toMatch(/^Nothing .*text of an error\.$/);
	});
});

test("a project whose passages were read again is found by its own sessions alone", () => {
	const { root, fill } = world();
	SearchIndex.use(root, {}, fill);
	SearchIndex.use(root, {}, (index) => {
		const [near] = index.transcripts().filter(({ session }) => session === "near");
		expect(recall(index, "near3x", { ...asker, project: near!.project })).toContain("Rule near3x holds.");
		expect(recall(index, "near3x", asker)).toContain("Nothing");
	});
});

test("what an index held of sessions that the store does not know is read again under its project, as far as it still tells", () => {
	const { root, fill, claudeRoot } = world();
	SearchIndex.use(root, {}, (index) => {
		index.list([
			{ path: join(claudeRoot, "projects", "foreign", "foreign.jsonl"), session: "foreign", project: "kept-key" },
		]);
		fill(index);
	});
	const database = new Database(indexPath(root));
	database.run("PRAGMA user_version = 99");
	database.close();
	for (let turn = 0; turn < 5; turn++) SearchIndex.use(root, {}, fill);
	const found = SearchIndex.use(root, {}, (index) => recall(index, "foreign3x", { ...asker, project: "kept-key" }));
	expect(found).toContain("Rule foreign3x holds.");
});
