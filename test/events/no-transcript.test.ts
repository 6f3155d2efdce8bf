import { existsSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import { stop } from "../../src/events/stop.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { NO_TRANSCRIPT } from "../../src/store/session/records.ts";
import { readSessions } from "../../src/store/status/session-status.ts";
import { at } from "./compaction-session.ts";

test("never there: a compaction injects nothing, the workspace alone is no session, and status tells why", () => {
	at.git("init", "-b", "main");
	rmSync(at.transcript, { force: true });
	at.send(userPromptSubmit, { prompt: "Build the cart." });
	at.send(stop);
	expect(readSessions(at.stored)).toMatchObject([{ unclear: NO_TRANSCRIPT }]);
	expect(at.failures).toEqual([]);
	for (const trigger of ["auto", "manual"]) {
		expect(at.send(preCompact, { trigger })).toBeNull();
		expect(at.start("compact")).toBeNull();
		expect(at.send(preToolUse, { tool_name: "Bash" })).toBeNull();
	}
	for (const source of ["resume", "fork"]) expect(at.start(source)).toBeNull();
	expect(readSessions(at.stored)).toMatchObject([{ unclear: NO_TRANSCRIPT, checkpoint: null }]);
	expect(new Set(at.failures.map(String))).toEqual(new Set([NO_TRANSCRIPT]));
});

test("a session that was opened and asked nothing has none either: nothing is told of it", () => {
	rmSync(at.transcript, { force: true });
	at.send(stop);
	expect(readSessions(at.stored)).toMatchObject([{ unclear: null }]);
});

test("gone since the compaction was prepared: what was read from it then is told", () => {
	at.session().write(at.transcript);
	at.send(preCompact, { trigger: "auto" });
	rmSync(at.transcript);
	expect(at.start("compact")).toContain("Never touch src/legacy.");
	expect(existsSync(at.transcript)).toBe(false);
});
