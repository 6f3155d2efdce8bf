import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { sessionEnd } from "../../src/events/session-end.ts";
import { stop } from "../../src/events/stop.ts";
import { databasePath, observedTriggersPath } from "../../src/store/paths.ts";
import { Transcript } from "../kit/events.ts";
import { linesOf } from "../kit/sandbox.ts";
import { at } from "./compaction-session.ts";

beforeEach(() => {
	// a status line is at work: nothing else looks at the transcript's tail
	const { statusLine } = at.stored.paths;
	mkdirSync(dirname(statusLine), { recursive: true });
	writeFileSync(statusLine, "");
});

/** The keys under which compactions were recorded: model and place of the trigger. */
const keys = (): string[] => [
	...new Set(linesOf(observedTriggersPath(at.store)).map((line) => JSON.parse(line)[0] as string)),
];
const compacted = (model = "claude-sonnet-4-6"): Transcript =>
	new Transcript(at.project, undefined, model).typed("go").said("on it", 160_000).boundary("auto", 165_000);

test.each([
	["Stop", stop, { hook_event_name: "Stop" }],
	["the hook beside PreCompact", sessionEnd, { hook_event_name: "PreCompact" }],
	["SessionEnd", sessionEnd, { hook_event_name: "SessionEnd", reason: "other" }],
])("%s records a compaction that the transcript tells of", (_, handler, fields) => {
	compacted().write(at.transcript);
	at.send(handler, fields);
	expect(keys()).toEqual([expect.stringContaining("claude-sonnet-4-6")]);
});

test("after a rewind under the model that made the compaction", () => {
	const first = new Transcript(at.project, undefined, "claude-sonnet-4-6").typed("go").said("one", 20_000);
	first.write(at.transcript);
	at.send(stop, { hook_event_name: "Stop" });
	expect(keys()).toEqual([]);
	rmSync(at.transcript);
	compacted("claude-opus-4-5").write(at.transcript);
	at.send(stop, { hook_event_name: "Stop" });
	expect(keys()).toEqual([expect.stringContaining("claude-opus-4-5")]);
});

test("the settings of the session's project count, wherever the shell is", () => {
	const inner = join(at.project, "inner");
	mkdirSync(join(at.project, ".claude"), { recursive: true });
	mkdirSync(inner);
	compacted().write(at.transcript);
	at.send(stop, { hook_event_name: "Stop", cwd: at.project });
	const outside = keys();
	rmSync(observedTriggersPath(at.store));
	rmSync(databasePath(at.store));
	writeFileSync(join(at.project, ".claude", "settings.json"), JSON.stringify({ autoCompactWindow: 150_000 }));
	at.env.CLAUDE_PROJECT_DIR = at.project;
	at.send(stop, { hook_event_name: "Stop", cwd: inner });
	expect(keys()).toHaveLength(1);
	expect(keys()).not.toEqual(outside);
});
