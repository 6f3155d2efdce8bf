import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { preCompact } from "../../src/events/pre-compact.ts";
import { sessionEnd } from "../../src/events/session-end.ts";
import { sessionPaths } from "../../src/store/paths.ts";
import { checkpointPath, latestKey } from "../../src/store/recovery/checkpoints.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { readSessions } from "../../src/store/status/session-status.ts";
import { storeAt } from "../kit/store.ts";
import { at } from "./compaction-session.ts";

beforeEach(() => {
	at.session().write(at.transcript);
});

const names = (): string[] => readdirSync(sessionPaths(at.store, "s-1").checkpoints).sort();
const readable = (): string => {
	const session = sessionAt(storeAt(at.store), "s-1");
	return checkpointPath(session, latestKey(session)!);
};
const beside = (): void => void at.send(sessionEnd, { hook_event_name: "PreCompact" });

test("the hook beside PreCompact writes the readable form", () => {
	at.send(preCompact);
	expect(existsSync(readable())).toBe(false);
	beside();
	expect(readFileSync(readable(), "utf8")).toContain("Never touch src/legacy.");
	expect(at.failures).toEqual([]);
});

test("not the checkpoint of an earlier compaction that did not take place", () => {
	at.send(preCompact);
	const session = sessionAt(storeAt(at.store), "s-1");
	const json = checkpointPath(session, latestKey(session)!).replace(/md$/, "json");
	utimesSync(json, new Date(Date.now() - 3_600_000), new Date(Date.now() - 3_600_000));
	beside();
	expect(existsSync(readable())).toBe(false);
});

test("without a transcript it does not wait for one", () => {
	rmSync(at.transcript);
	const before = performance.now();
	beside();
	expect(performance.now() - before).toBeLessThan(900);
});

test("also where it begins before PreCompact has saved anything", async () => {
	const runs = [at.launch("session-end", { hook_event_name: "PreCompact" }), at.launch("pre-compact")];
	for (const { code, err } of await Promise.all(runs)) expect({ code, err }).toEqual({ code: 0, err: "" });
	expect(readFileSync(readable(), "utf8")).toContain("Never touch src/legacy.");
});

test("one that was killed is made up for by SessionStart, which names the file", () => {
	at.send(preCompact);
	const block = at.start("compact");
	expect(block).toContain(readable());
	expect(readFileSync(readable(), "utf8")).toContain("Never touch src/legacy.");
});

test("what is there is not written again", () => {
	at.send(preCompact);
	beside();
	const { ino, mtimeMs } = statSync(readable());
	at.start("compact");
	expect(statSync(readable())).toMatchObject({ ino, mtimeMs });
});

test("the end of a session does not wait for it", () => {
	at.send(preCompact);
	at.send(sessionEnd, { hook_event_name: "SessionEnd", reason: "other" });
	expect(names()).toEqual([expect.stringMatching(/\.json$/)]);
});

test("until then a status names what there is to read", () => {
	at.send(preCompact);
	const path = (): string => readSessions(storeAt(at.store), at.now)[0]!.checkpoint!.path;
	expect(path()).toMatch(/\.json$/);
	beside();
	expect(path()).toBe(readable());
});

test("one that can't be written costs no block", () => {
	at.send(preCompact);
	mkdirSync(join(readable(), "x"), { recursive: true });
	expect(at.start("compact")).toContain("Never touch src/legacy.");
	expect(at.failures).toHaveLength(1);
});
