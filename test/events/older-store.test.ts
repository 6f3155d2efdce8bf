import { beforeEach, expect, test } from "vitest";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { sessionEnd } from "../../src/events/session-end.ts";
import { stop } from "../../src/events/stop.ts";
import { sealedText } from "../../src/store/gate.ts";
import { loadSnapshot } from "../kit/cycle.ts";
import type { Transcript } from "../kit/events.ts";
import { at } from "./compaction-session.ts";

/** Gives what a table holds the shape of before, in a store that is otherwise of today. */
const age = (table: "records" | "checkpoints"): void =>
	at.spoil(table, (text) => {
		const { sha256: _, ...value } = JSON.parse(text);
		const { calls, messages, ...state } = value.state;
		return sealedText({ ...value, state: { ...state, version: 4, deeds: [] } }, {});
	});

let transcript: Transcript;
beforeEach(() => {
	transcript = at.session();
	transcript.write(at.transcript);
	at.send(stop);
});

test("a record of an older shape is made anew from the transcript, and written", () => {
	age("records");
	transcript.at(at.later(1)).typed("Use pnpm.").write(at.transcript);
	at.send(stop);
	const { messages } = loadSnapshot(at.stored, at.now).state;
	expect(messages.map(({ text }) => text)).toEqual(["Build the cart. Never touch src/legacy.", "Use pnpm."]);
	age("records");
	at.compact(transcript);
	expect(at.start("compact")).toContain("Never touch src/legacy.");
	at.send(sessionEnd, { hook_event_name: "SessionEnd", reason: "other" });
	expect(at.failures).toEqual([]);
});

test("a checkpoint of an older shape: the block comes from the transcript", () => {
	at.compact(transcript);
	age("checkpoints");
	expect(at.start("compact")).toContain("Never touch src/legacy.");
	age("checkpoints");
	at.send(preToolUse);
	at.later(10);
	expect(at.start("resume")).toContain("Never touch src/legacy.");
	age("checkpoints");
	at.send(stop);
	expect(at.failures).toEqual([]);
});
