import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { indexTranscript } from "../../../src/claude/transcript/index-transcript.ts";
import { sessionEnd } from "../../../src/events/session-end.ts";
import { fillIndex } from "../../../src/events/steps/update-index.ts";
import { recallText } from "../../../src/search/recall.ts";
import { lackOf, SearchIndex } from "../../../src/search/search-index.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { change } from "../../kit/cycle.ts";
import { Transcript } from "../../kit/events.ts";
import { LAUNCHER, run } from "../../kit/sandbox.ts";
import { hookOf } from "../../kit/services.ts";
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
		if (name !== "foreign") change(sessionAt(storeAt(root), name), { passAt: "" });
	}
	const beside = join(claudeRoot, "projects", "near", "now.jsonl");
	const fill = (index: SearchIndex) =>
		fillIndex(index, { store: storeAt(root), claudeRoot, beside, most: MOST, isSpent: () => false });
	return { root, fill, claudeRoot };
}

const asker = { project: "p", session: "now", now: new Date() };

test("a new index: so many bytes at a time, its own project first, until what the store knows is in it, and nothing else", () => {
	const { root, fill } = world();
	SearchIndex.use(root, {}, (index) => {
		fill(index);
		expect(index.size()).toMatchObject({ sources: 2 });
		expect(lackOf(index).transcripts).toBe(1);
		expect(recallText(index, "near19x", { ...asker }, {})).toContain("Rule near19x holds.");
		expect(recallText(index, "far2999x", asker, {})).toMatch(/^Nothing .* 1 transcript is not in the index yet/);
		let turns = 1;
		for (; lackOf(index).transcripts > 0; turns++) fill(index);
		expect(turns).toBeGreaterThan(2);
		fill(index);
		expect(index.size()).toMatchObject({ passages: 3_020, sources: 2 });
		expect(recallText(index, "far2999x", asker, {})).toContain("Rule far2999x holds.");
		expect(recallText(index, "foreign3x", asker, {})).toMatch(/^Nothing .*text of an error\.$/);
	});
});

test("a project whose passages were read again is found by its own sessions alone", () => {
	const { root, fill } = world();
	SearchIndex.use(root, {}, fill);
	SearchIndex.use(root, {}, (index) => {
		const [near] = index.transcripts().filter(({ session }) => session === "near");
		expect(recallText(index, "near3x", { ...asker, project: near!.project })).toContain("Rule near3x holds.");
		expect(recallText(index, "near3x", asker)).toContain("Nothing");
	});
});

test("an exit does not wait for the index: a process beside it reads what the last turn said", async () => {
	const home = scratch("exit");
	const root = join(home, ".claude-memory");
	const transcript_path = new Transcript(home).typed("Rule leaving7x holds.").write(join(home, "own.jsonl"));
	const input = { session_id: "own", transcript_path, cwd: home, hook_event_name: "SessionEnd", reason: "other" };
	const env = { HOME: home, PATH: "/usr/bin:/bin", CLAUDE_PROJECT_DIR: home };
	const [launcher, started] = [join(home, "launcher"), join(home, "started")];
	writeFileSync(launcher, `#!/bin/sh\n{ echo "$@"; cat; } >${started}.new && mv ${started}.new ${started}\n`, {
		mode: 0o700,
	});
	expect(sessionEnd(hookOf(home, input, { env, launcher }))).toBeNull();
	const passages = () => SearchIndex.use(root, { create: false }, (index) => index.size().passages) ?? 0;
	expect(passages()).toBe(0);
	for (let i = 0; i < 400 && !existsSync(started); i++) await Bun.sleep(25);
	const [words = "", given = ""] = readFileSync(started, "utf8").split("\n");
	expect([words, JSON.parse(given)]).toEqual(["hook session-end", { ...input, hook_event_name: "Stop" }]);
	const beside = { env, cwd: home, input: JSON.parse(given) };
	expect(await run([LAUNCHER, ...words.split(" ")], beside)).toMatchObject({ code: 0, out: "" });
	expect(passages()).toBe(1);
});

test("what is in the index already is not read again, and nothing is written", () => {
	const home = scratch("current");
	const path = new Transcript(home).typed("Rule still7x holds.").write(join(home, "own.jsonl"));
	SearchIndex.use(join(home, "store"), {}, (index) => {
		const source = { path, project: "p", session: "own" };
		const reached = indexTranscript(index, source);
		const changes = () => index.database.query("SELECT total_changes()").values()[0]![0];
		const before = changes();
		expect([indexTranscript(index, source), changes()]).toEqual([reached, before]);
	});
});
