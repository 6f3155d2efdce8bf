import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { postToolBatch } from "../../src/events/post-tool-batch.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { sessionEnd } from "../../src/events/session-end.ts";
import { loadConfig } from "../../src/store/config/config.ts";
import { markerState } from "../../src/store/pressure/marker.ts";
import { readUsage } from "../../src/store/pressure/usage-record.ts";
import { scratch } from "../scratch-home.ts";
import { Transcript } from "./transcript-builder.ts";

function measured(build: (transcript: Transcript) => Transcript, settings = "", times = 1) {
	const home = scratch();
	const project = join(home, "p");
	const root = join(home, ".claude-memory");
	mkdirSync(join(home, ".claude"), { recursive: true });
	mkdirSync(project);
	if (settings) writeFileSync(join(home, ".claude", "settings.json"), settings);
	const path = join(home, "t.jsonl");
	const transcript = new Transcript(project);
	for (let n = 0; n < times; n++) {
		build(transcript).write(path);
		const services = {
			env: { HOME: home },
			root,
			config: loadConfig(root).config,
			now: new Date(),
			launcher: "/c",
			log: () => {},
		};
		postToolBatch({ session_id: "s", transcript_path: path, cwd: project }, services);
	}
	return { ...readUsage(root, "s"), marker: markerState(root, "s") };
}

test("settings that begin with a byte order mark count", () => {
	expect(measured((t) => t.usage(20_000), '\uFEFF{"autoCompactWindow":100000}').trigger).toBe(67_000);
});

test("behind a boundary, before the next answer, the tokens are unknown again", () => {
	let n = 0;
	const seen = measured((t) => (n++ === 0 ? t.usage(150_000) : t.boundary().summary()), "", 2);
	expect(seen).toMatchObject({ tokens: null, zone: "unknown" });
});

test("more tokens than a model's window prove its larger variant", () => {
	const line = JSON.stringify({
		type: "assistant",
		version: "2.1.329",
		message: { id: "m", model: "claude-opus-4-6", usage: { input_tokens: 300_000 }, content: [] },
	});
	const home = scratch();
	const path = join(home, "t.jsonl");
	writeFileSync(path, `${line}\n`);
	const root = join(home, "store");
	postToolBatch(
		{ session_id: "s", transcript_path: path, cwd: home },
		{ env: { HOME: home }, root, config: loadConfig(root).config, now: new Date(), launcher: "/c", log: () => {} },
	);
	expect(readUsage(root, "s")).toMatchObject({ window: 1_000_000, zone: "calm" });
	expect(markerState(root, "s")).toBe("none");
});

test.each([
	["2.1.8", "PostToolUse"],
	["2.1.9", "PreToolUse"],
])("on %s the nudge comes once, with %s", (version, speaker) => {
	const home = scratch();
	const path = join(home, "t.jsonl");
	const root = join(home, "store");
	new Transcript(home, new Date(), "claude-sonnet-4-6", version).usage(150_000).write(path);
	const input = { session_id: "s", transcript_path: path, cwd: home, hook_event_name: "PostToolUse" };
	const config = loadConfig(root).config;
	const services = { env: { HOME: home }, root, config, now: new Date(), launcher: "/c/ccg", log: () => {} };
	const said = [postToolBatch(input, services), preToolUse(input, services), postToolBatch(input, services)];
	const events = said.map((text) => text && JSON.parse(text).hookSpecificOutput.hookEventName);
	expect(events).toEqual(speaker === "PostToolUse" ? [speaker, null, null] : [null, speaker, null]);
	expect(said.join()).toContain("ccg nudge");
});

test("a session's end measures where no status line did: the last turn's own hook may be cut off", () => {
	const end = (withStatusLine: boolean) => {
		const home = scratch();
		const root = join(home, "store");
		const path = new Transcript(home).typed("go").usage(50_000).write(join(home, "t.jsonl"));
		if (withStatusLine) {
			mkdirSync(join(root, "run", "statusline"), { recursive: true });
			writeFileSync(join(root, "run", "statusline", "s"), "");
		}
		sessionEnd(
			{ session_id: "s", transcript_path: path, cwd: home, hook_event_name: "SessionEnd", reason: "other" },
			{ env: { HOME: home }, root, config: loadConfig(root).config, now: new Date(), launcher: "/c", log: () => {} },
		);
		return readUsage(root, "s")?.tokens ?? null;
	};
	expect([end(false), end(true)]).toEqual([50_000, null]);
});
