import { existsSync, lstatSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { gc } from "../../../src/cli/acts/gc.ts";
import { type GcStore, gcStore } from "../../kit/gc-store.ts";
import { LAUNCHER, listing, run } from "../../kit/sandbox.ts";

const NOW = new Date();
let at: GcStore;
beforeEach(() => {
	at = gcStore(NOW);
});

test.each([
	["sessions/s/.usage.json.123.abc9.tmp", 0.1, true],
	["sessions/s/claim-123-abc9", 0.1, true],
	["sessions/s/checkpoints/.x.json.1.a.tmp", 0.1, true],
	["run/flush/.s.123.abc.tmp", 0.1, true],
	[".MEMORY.md.123.abc.tmp", 0.1, true],
	["projects/p-1/log/2026-01-01.md.12.ab.new", 0.1, true],
	["sessions/.gc-x-123/usage.json", 0.1, true],
	["observed-triggers.json.last.12.ab.tmp", 0.1, true],
	["observed-triggers.json.damaged-20260101000000", 100, true],
	["sessions/s/state.json.damaged-20260101000000", 100, true],
	["log/ccg.log.1", 100, true],
	["projects/old-1/restore-next.json", 100, true],
	["sessions/s/.usage.json.123.abc9.tmp", 0.01, false],
	["observed-triggers.json.damaged-20260101000000", 10, false],
	["log/ccg.log", 1000, false],
	["log/ccg.log.1", 10, false],
	["projects/new-1/restore-next.json", 10, false],
	["MEMORY.md", 1000, false],
	["projects/p-1/MEMORY.md", 1000, false],
	["projects/p-1/log/2020-01-01.md", 1000, false],
	["config.json", 1000, false],
	["observed-triggers.json", 1000, false],
	["observed-triggers.json.last", 1000, false],
	["install/abc/before.json", 1000, false],
])("%s of %d days: %s", async (path, days, goes) => {
	const whole = at.put(path, days);
	at.put("sessions/s/usage.json", 2);
	await gc({}, at.io, NOW);
	expect(existsSync(whole)).toBe(!goes);
	expect(at.out.length).toBe(goes ? 2 : 1);
});

test("a dry run says the same and deletes nothing", async () => {
	at.session("old", 100);
	at.put("run/.x.1.a.tmp", 1);
	const before = listing(at.root, "");
	await gc({ dryRun: true }, at.io, NOW);
	const dry = at.out.splice(0).slice(0, -1);
	expect(listing(at.root, "")).toEqual(before);
	await gc({}, at.io, NOW);
	expect(at.out.slice(0, -1)).toEqual(dry);
	expect(dry).toHaveLength(2);
});

test("as JSON", async () => {
	const path = dirname(at.session("old", 100));
	await gc({ json: true }, at.io, NOW);
	expect(JSON.parse(at.out.join("\n"))).toMatchObject({
		dry_run: false,
		deleted: [{ what: "session", path, reason: "not touched for 100 days (more than 90)" }],
		failures: [],
		sessions: 1,
		live: 0,
	});
});

test("limits come from config.json, options go before", async () => {
	writeFileSync(join(at.root, "config.json"), JSON.stringify({ retention: { maxAgeDays: 5 } }));
	at.session("a", 7);
	at.session("b", 3);
	await gc({ dryRun: true, olderThan: 50 }, at.io, NOW);
	expect(at.out).toHaveLength(1);
	await gc({}, at.io, NOW);
	expect(at.sessions()).toEqual(["b"]);
});

test("what can't be deleted is named", async () => {
	at.session("old", 100);
	const blocked = at.put("run/.x.1.a.tmp", 1);
	const child = await run(["/bin/sh", "-c", 'chattr +i "$1" 2>/dev/null || exit 9', "sh", blocked], {
		env: {},
		cwd: "/",
	});
	if (child.code === 9) return;
	try {
		await gc({}, at.io, NOW);
		expect([at.code, at.err.join("\n")]).toEqual([1, expect.stringContaining(`${blocked} could not be deleted`)]);
		expect(at.sessions()).toEqual([]);
	} finally {
		await run(["/bin/sh", "-c", 'chattr -i "$1"', "sh", blocked], { env: {}, cwd: "/" });
	}
});

describe("by itself", () => {
	const start = (source = "startup") =>
		run([LAUNCHER, "hook", "session-start"], {
			env: { HOME: dirname(at.root), CCG_HOME: at.root },
			cwd: at.root,
			input: { session_id: "s-1", source, cwd: at.root },
		});
	const stamp = (): string => join(at.root, "run", "gc-day");
	const gone = async (): Promise<boolean> => {
		for (let i = 0; i < 100 && existsSync(join(at.root, "sessions", "old")); i++) await Bun.sleep(50);
		return !existsSync(join(at.root, "sessions", "old"));
	};

	test("once a day, at a start; it tells its log", async () => {
		at.session("old", 100);
		await start();
		expect([existsSync(stamp()), existsSync(join(at.root, "sessions/old"))]).toEqual([true, true]);
		utimesSync(stamp(), 1, NOW.getTime() / 1000 - 90_000);
		expect(await start()).toEqual({ code: 0, out: "", err: "" });
		expect(await gone()).toBe(true);
		for (let i = 0; i < 100 && !existsSync(join(at.root, "log/gc.log")); i++) await Bun.sleep(50);
		expect(readFileSync(join(at.root, "log/gc.log"), "utf8")).toContain("sessions/old: not touched for 100 days");
		expect(NOW.getTime() - lstatSync(stamp()).mtimeMs).toBeLessThan(60_000);
	});

	test.each<[string, () => unknown, string?]>([
		["when it is turned off", () => writeFileSync(join(at.root, "config.json"), '{"retention":{"enabled":false}}')],
		["on resume", () => {}, "resume"],
		["a second time in a day", () => utimesSync(stamp(), 1, NOW.getTime() / 1000 - 80_000)],
	])("not %s", async (_, make, source) => {
		at.session("old", 100);
		at.put("run/gc-day", 2);
		make();
		await start(source);
		await Bun.sleep(300);
		expect(existsSync(join(at.root, "sessions", "old"))).toBe(true);
	});

	test("a start sweeps what killed processes left of the session", async () => {
		const old = at.put("sessions/s-1/.usage.json.1.a.tmp", 1);
		const fresh = at.put("sessions/s-1/.usage.json.2.a.tmp", 0);
		await start();
		expect([existsSync(old), existsSync(fresh)]).toEqual([false, true]);
	});
});

test("a store that can't be written: what failed, where, and what to do", async () => {
	at.put("run", 1, "a file where a folder must be");
	await expect(gc({}, at.io)).rejects.toThrow(
		/^the store was not cleaned: \S+\/run(\/gc\.lock)? can't be written \([a-z ]+\); make it writable for you, or set CCG_HOME/,
	);
});

test("with nothing to do it says so", async () => {
	await gc({}, at.io);
	expect(at.out).toEqual([expect.stringMatching(/^Nothing to delete\. /)]);
	await gc({ dryRun: true }, at.io);
	expect(at.out[1]).toBe(at.out[0]);
});
