import { existsSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { preCompact } from "../../src/events/pre-compact.ts";
import { stop } from "../../src/events/stop.ts";
import { readSessions } from "../../src/store/status/session-status.ts";
import { at } from "./compaction-session.ts";

// (one that is never there: test/e2e/no-transcript.test.ts)
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
