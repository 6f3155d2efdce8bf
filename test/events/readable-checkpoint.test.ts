import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { preCompact } from "../../src/events/pre-compact.ts";
import { checkpointPath, latestKey } from "../../src/store/recovery/checkpoints.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { readSessions } from "../../src/store/status/session-status.ts";
import { storeAt } from "../kit/store.ts";
import { at } from "./compaction-session.ts";

beforeEach(() => {
	at.session().write(at.transcript);
});

const readable = (): string => {
	const session = sessionAt(storeAt(at.store), "s-1");
	return checkpointPath(session, latestKey(session)!);
};

test("SessionStart writes the readable form that its block names; until then a status names the JSON", () => {
	const path = (): string => readSessions(storeAt(at.store), at.now)[0]!.checkpoint!.path;
	at.send(preCompact);
	expect(path()).toMatch(/\.json$/);
	expect(existsSync(readable())).toBe(false);
	expect(at.start("compact")).toContain(readable());
	expect(readFileSync(readable(), "utf8")).toContain("Never touch src/legacy.");
	expect(path()).toBe(readable());
});

test("what is there is not written again", () => {
	at.send(preCompact);
	at.start("compact");
	const { ino, mtimeMs } = statSync(readable());
	at.later(1);
	at.start("resume");
	expect(statSync(readable())).toMatchObject({ ino, mtimeMs });
});

test("one that can't be written costs no block", () => {
	at.send(preCompact);
	mkdirSync(join(readable(), "x"), { recursive: true });
	expect(at.start("compact")).toContain("Never touch src/legacy.");
	expect(at.failures.length).toBeGreaterThan(0);
});
