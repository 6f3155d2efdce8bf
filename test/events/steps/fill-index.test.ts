import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { indexTranscript } from "../../../src/claude/transcript/index-transcript.ts";
import { sessionFields } from "../../../src/doctor/sandbox.ts";
import { sessionEnd } from "../../../src/events/session-end.ts";
import { stop } from "../../../src/events/stop.ts";
import { recallText } from "../../../src/search/recall.ts";
import { SearchIndex } from "../../../src/search/search-index.ts";
import { sessionHandle } from "../../../src/store/session-handle.ts";
import { runCcg } from "../../kit/ccg.ts";
import { change } from "../../kit/cycle.ts";
import { linesText, Transcript } from "../../kit/events.ts";
import { linesOf } from "../../kit/sandbox.ts";
import { eventSession, hookOf } from "../../kit/services.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

/** Transcripts of sessions that the store knows, and of one that it does not. */
function world() {
	const home = scratch("fill-index");
	const store = storeAt(join(home, ".claude-memory"));
	for (const name of ["near", "far", "foreign"]) {
		const transcript = new Transcript(join(home, name)).typed(`Rule ${name}1x holds.`).typed(`Rule ${name}2x holds.`);
		const folder = join(home, ".claude", "projects", name);
		mkdirSync(folder, { recursive: true });
		transcript.write(join(folder, `${name}.jsonl`));
		if (name !== "foreign") change(sessionHandle(store, name), { passAt: "" });
	}
	const fill = () => runCcg(["index", "--fill", "--json"], { env: { HOME: home }, cwd: home });
	return { root: store.root, fill };
}

const asker = { project: "p", session: "now", now: new Date() };

test("a new index is filled with what the store knows, and nothing else; what is there is not read again", async () => {
	const { root, fill } = world();
	expect((await fill()).json).toMatchObject({ transcripts: 2, sessions: 2, passages: 4, failures: [] });
	SearchIndex.use(root, {}, (index) => {
		expect(recallText(index, "near2x", asker, {})).toContain("Rule near2x holds.");
		expect(recallText(index, "foreign2x", asker, {})).toMatch(/^Nothing .*text of an error\.$/);
		// found by its own sessions alone
		const [near] = index.transcripts().filter(({ session }) => session === "near");
		expect(recallText(index, "near1x", { ...asker, project: near!.project })).toContain("Rule near1x holds.");
		expect(recallText(index, "near1x", asker)).toContain("Nothing");
	});
	expect((await fill()).json).toMatchObject({ transcripts: 0, passages: 4 });
});

test("a search that found nothing says what is not read yet, and how to read it", () => {
	const { root } = world();
	const path = new Transcript("/p").typed("Rule 3x holds.").write(join(root, "..", "other.jsonl"));
	SearchIndex.use(root, {}, (index) => {
		index.list([{ path, session: "other" }]);
		expect(recallText(index, "3x", asker, {})).toMatch(/1 transcript is not in the index yet: .*ccg index --fill/);
	});
});

test("a turn's end starts that once an hour, and at once for a new index", () => {
	const at = eventSession("hourly");
	new Transcript(at.project).typed("Rule 4x holds.").write(at.transcript);
	const launcher = join(at.top, "launcher");
	writeFileSync(launcher, "#!/bin/sh\n", { mode: 0o700 });
	const started = vi.spyOn(Bun, "spawn");
	const begun = Date.now();
	const endAfter = (minutes: number): number => {
		const now = new Date(begun + minutes * 60_000);
		started.mockClear();
		stop(hookOf(at.home, { ...sessionFields(at), hook_event_name: "Stop" }, { env: at.env, launcher, now }));
		appendFileSync(at.transcript, linesText(new Transcript(at.project).typed(`Rule ${minutes}.`).lines));
		return started.mock.calls.filter(([words]) => String(words).endsWith("index,--fill")).length;
	};
	expect([0, 5].map(endAfter)).toEqual([1, 1]);
	SearchIndex.use(at.store, {}, (index) => index.list([]));
	expect([10, 55, 61].map(endAfter)).toEqual([0, 0, 1]);
});

test("an exit does not wait for the index: a process beside it reads what the last turn said", async () => {
	const at = eventSession("exit");
	new Transcript(at.project).typed("Rule leaving7x holds.").write(at.transcript);
	const [launcher, started] = [join(at.top, "launcher"), join(at.top, "started")];
	const script = `#!/bin/sh\n{ echo "$@"; cat; } >${started}.new && mv ${started}.new ${started}\n`;
	writeFileSync(launcher, script, { mode: 0o700 });
	const input = { ...sessionFields(at), hook_event_name: "SessionEnd", reason: "other" };
	expect(sessionEnd(hookOf(at.home, input, { env: at.env, launcher }))).toBeNull();
	const passages = () => SearchIndex.use(at.store, { create: false }, (index) => index.size().passages) ?? 0;
	expect(passages()).toBe(0);
	await expect.poll(() => existsSync(started), { timeout: 10_000 }).toBe(true);
	const [words, given = ""] = linesOf(started);
	expect([words, JSON.parse(given)]).toEqual(["hook session-end", { ...input, hook_event_name: "Stop" }]);
	expect(await at.launch("session-end", JSON.parse(given))).toMatchObject({ code: 0, out: "" });
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
