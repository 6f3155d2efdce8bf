import { beforeEach, expect, test } from "vitest";
import type { Checkpoint } from "../../src/core/checkpoint/checkpoint.ts";
import { exact } from "../../src/core/redact/secrets.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { sessionEnd } from "../../src/events/session-end.ts";
import { stop } from "../../src/events/stop.ts";
import { inStore } from "../../src/store/database.ts";
import { sealedText } from "../../src/store/gate.ts";
import { loadSnapshot } from "../kit/cycle.ts";
import type { Transcript } from "../kit/events.ts";
import { at } from "./compaction-session.ts";

/** Gives what a table holds the shape of before, in a store that is otherwise of today. */
const age = (table: "records" | "checkpoints"): void =>
	void inStore(at.stored, (database) => {
		for (const [session, text] of database.query(`SELECT session, value FROM ${table}`).values()) {
			const { sha256: _, ...value } = JSON.parse(text as string);
			const { calls, messages, ...state } = value.state;
			const older = sealedText({ ...value, state: { ...state, version: 4, deeds: [] } } as Checkpoint, {});
			database.query(`UPDATE ${table} SET value = ? WHERE session = ?`).run(older, exact(session as string));
		}
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
	expect(loadSnapshot(at.stored, at.now).state.messages.map(({ text }) => text)).toEqual([
		"Build the cart. Never touch src/legacy.",
		"Use pnpm.",
	]);
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
