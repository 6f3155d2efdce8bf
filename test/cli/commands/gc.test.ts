import {
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import pc from "picocolors";
import { beforeEach, describe, expect, test } from "vitest";
import { gc } from "../../../src/cli/acts/gc.ts";
import type { Io } from "../../../src/cli/support/io.ts";
import { LAUNCHER, listing, run } from "../../events/run-entry.ts";
import { usage } from "../../kit/usage.ts";
import { scratch } from "../../scratch-home.ts";

const NOW = new Date();
const DAY_MS = 86_400_000;
let root: string;
let out: string[];
let err: string[];
let code: number;
beforeEach(() => {
	root = join(scratch("gc"), "store");
	mkdirSync(root);
	[out, err, code] = [[], [], 0];
});

const io = (env: Record<string, string> = {}): Io => ({
	env: { CCG_HOME: root, ...env },
	cwd: root,
	launcher: LAUNCHER,
	interactive: false,
	colours: pc.createColors(false),
	out: (line) => out.push(line),
	err: (line) => err.push(line),
	exit: (given) => {
		code = given;
	},
});

function put(path: string, days: number, text = "{}"): string {
	const whole = join(root, path);
	mkdirSync(dirname(whole), { recursive: true });
	writeFileSync(whole, text);
	for (let at = whole; at !== root && at.startsWith(root); at = dirname(at)) {
		const seconds = NOW.getTime() / 1000 - days * 86_400;
		utimesSync(at, seconds, seconds);
	}
	return whole;
}

const session = (id: string, days: number, bytes = 100): string =>
	put(`sessions/${id}/usage.json`, days, JSON.stringify({ version: 1, ...usage({ model: "x".repeat(bytes) }) }));
const sessions = (): string[] => readdirSync(join(root, "sessions")).sort();

describe("sessions", () => {
	test("by age", async () => {
		for (const [id, days] of [
			["new", 0],
			["old", 89],
			["older", 91],
		] as const)
			session(id, days);
		await gc({}, io(), NOW);
		expect(sessions()).toEqual(["new", "old"]);
		expect(out[0]).toContain("sessions/older: not touched for 91 days (more than 90)");
		expect(out.at(-1)).toMatch(/^Deleted 1 thing, .* 3 sessions there, 1 of them live\.$/);
	});

	test("by count: the ones seen last stay", async () => {
		for (let days = 2; days < 12; days++) session(`s${days}`, days);
		await gc({ keep: 4 }, io(), NOW);
		expect(sessions()).toEqual(["s2", "s3", "s4", "s5"]);
		expect(out[0]).toContain("4 newer sessions are kept");
	});

	test("by bytes", async () => {
		for (let days = 2; days < 7; days++) session(`s${days}`, days, 1000);
		await gc({ maxBytes: 2_500 }, io(), NOW);
		expect(sessions()).toEqual(["s2", "s3"]);
		expect(out[0]).toContain("fill 2500 bytes");
	});

	test("their markers go with them", async () => {
		session("old", 100);
		put("run/flush/old", 100);
		put("run/statusline/old", 100);
		await gc({}, io(), NOW);
		expect(listing(join(root, "run"), "").filter((path) => path.endsWith("/old"))).toEqual([]);
	});

	test.each<[string, () => Record<string, string> | undefined]>([
		["asks", () => ({ CLAUDE_CODE_SESSION_ID: "it" })],
		["measured within the day", () => void put("sessions/it/usage.json", 0)],
		["wrote any file within the day", () => void put("sessions/it/events.jsonl", 0)],
		["has a marker of the day", () => void put("run/flush/it", 0)],
		[
			"has a transcript of the day",
			() => {
				const path = put("t.jsonl", 0);
				put("sessions/it/usage.json", 100, JSON.stringify({ version: 1, ...usage({ transcriptPath: path }) }));
			},
		],
	])("never the one that %s", async (_, make) => {
		session("it", 100);
		session("other", 100);
		const env = make() ?? {};
		await gc({ olderThan: 0, keep: 0, maxBytes: 0 }, io(env), NOW);
		expect(sessions()).toEqual(["it"]);
	});

	test("nothing behind a link is deleted", async () => {
		const outside = scratch("outside");
		writeFileSync(join(outside, "file"), "mine");
		session("old", 100);
		symlinkSync(outside, join(root, "sessions", "old", "link"));
		symlinkSync(outside, join(root, "sessions", "linked"));
		await gc({ olderThan: 1 }, io(), new Date(NOW.getTime() + 30 * DAY_MS));
		expect(sessions()).toEqual(["linked"]);
		expect(readFileSync(join(outside, "file"), "utf8")).toBe("mine");
	});
});

describe("within a session", () => {
	const key = (n: number): string => `precompact_checkpoint_20260101_1000${String(n).padStart(2, "0")}`;

	test("the newest checkpoints stay, and those something points to", async () => {
		for (let n = 0; n < 30; n++)
			for (const end of ["json", "md"]) put(`sessions/s/checkpoints/${key(n)}.${end}`, 60 - n);
		put("sessions/s/latest", 40, `${key(29)}\n`);
		put("sessions/s/pending.json", 40, JSON.stringify({ version: 1, key: key(1), at: "x", trigger: "auto" }));
		put("sessions/s/committed.json", 40, JSON.stringify({ version: 1, key: key(2), at: "x", trigger: "auto" }));
		put("sessions/s/first-giving.json", 40, JSON.stringify({ version: 1, key: key(3), at: "x", ids: [], chars: 0 }));
		session("s", 2);
		for (const name of ["checkpoints", ""])
			utimesSync(join(root, "sessions/s", name), 1, NOW.getTime() / 1000 - 2 * 86_400);
		await gc({}, io(), NOW);
		const left = readdirSync(join(root, "sessions/s/checkpoints"));
		expect(left.filter((name) => name.endsWith(".json")).sort()).toEqual(
			[1, 2, 3, ...Array.from({ length: 20 }, (_, i) => i + 10)].map((n) => `${key(n)}.json`),
		);
		expect(left.length).toBe(46);
	});

	test("old reports go", async () => {
		put("sessions/s/reports/a.json", 100);
		put("sessions/s/reports/b.json", 5);
		session("s", 2);
		await gc({}, io(), NOW);
		expect(readdirSync(join(root, "sessions/s/reports"))).toEqual(["b.json"]);
	});
});

test.each([
	["sessions/s/.usage.json.123.abc9.tmp", 0.1, true],
	["sessions/s/claim-123-abc9", 0.1, true],
	["sessions/s/checkpoints/.x.json.1.a.tmp", 0.1, true],
	["run/flush/.s.123.abc.tmp", 0.1, true],
	[".MEMORY.md.123.abc.tmp", 0.1, true],
	["projects/p-1/log/2026-01-01.md.12.ab.new", 0.1, true],
	["sessions/.gc-x-123/usage.json", 0.1, true],
	["learned.json.last.12.ab.tmp", 0.1, true],
	["learned.json.damaged-20260101000000", 100, true],
	["sessions/s/state.json.damaged-20260101000000", 100, true],
	["log/ccg.log.1", 100, true],
	["sessions/s/.usage.json.123.abc9.tmp", 0.01, false],
	["learned.json.damaged-20260101000000", 10, false],
	["log/ccg.log", 1000, false],
	["log/ccg.log.1", 10, false],
	["MEMORY.md", 1000, false],
	["projects/p-1/MEMORY.md", 1000, false],
	["projects/p-1/log/2020-01-01.md", 1000, false],
	["config.json", 1000, false],
	["learned.json", 1000, false],
	["learned.json.last", 1000, false],
	["install/abc/before.json", 1000, false],
])("%s of %d days: %s", async (path, days, goes) => {
	const whole = put(path, days);
	put("sessions/s/usage.json", 2);
	await gc({}, io(), NOW);
	expect(existsSync(whole)).toBe(!goes);
	expect(out.length).toBe(goes ? 2 : 1);
});

test("a dry run says the same and deletes nothing", async () => {
	session("old", 100);
	put("run/.x.1.a.tmp", 1);
	const before = listing(root, "");
	await gc({ dryRun: true }, io(), NOW);
	const dry = out.splice(0).slice(0, -1);
	expect(listing(root, "")).toEqual(before);
	await gc({}, io(), NOW);
	expect(out.slice(0, -1)).toEqual(dry);
	expect(dry).toHaveLength(2);
});

test("as JSON", async () => {
	const path = dirname(session("old", 100));
	await gc({ json: true }, io(), NOW);
	expect(JSON.parse(out.join("\n"))).toMatchObject({
		dry_run: false,
		deleted: [{ what: "session", path, reason: "not touched for 100 days (more than 90)" }],
		failures: [],
		sessions: 1,
		live: 0,
	});
});

test("limits come from config.json, options go before", async () => {
	writeFileSync(join(root, "config.json"), JSON.stringify({ retention: { maxAgeDays: 5 } }));
	session("a", 7);
	session("b", 3);
	await gc({ dryRun: true, olderThan: 50 }, io(), NOW);
	expect(out).toHaveLength(1);
	await gc({}, io(), NOW);
	expect(sessions()).toEqual(["b"]);
});

test("what can't be deleted is named", async () => {
	session("old", 100);
	const blocked = put("run/.x.1.a.tmp", 1);
	const child = await run(["/bin/sh", "-c", 'chattr +i "$1" 2>/dev/null || exit 9', "sh", blocked], {
		env: {},
		cwd: "/",
	});
	if (child.code === 9) return;
	try {
		await gc({}, io(), NOW);
		expect([code, err.join("\n")]).toEqual([1, expect.stringContaining(`${blocked} could not be deleted`)]);
		expect(sessions()).toEqual([]);
	} finally {
		await run(["/bin/sh", "-c", 'chattr -i "$1"', "sh", blocked], { env: {}, cwd: "/" });
	}
});

describe("by itself", () => {
	const start = (source = "startup") =>
		run([LAUNCHER, "hook", "session-start"], {
			env: { HOME: dirname(root), CCG_HOME: root },
			cwd: root,
			input: { session_id: "s-1", source, cwd: root },
		});
	const stamp = (): string => join(root, "run", "gc-day");
	const gone = async (): Promise<boolean> => {
		for (let i = 0; i < 100 && existsSync(join(root, "sessions", "old")); i++) await Bun.sleep(50);
		return !existsSync(join(root, "sessions", "old"));
	};

	test("once a day, at a start; it tells its log", async () => {
		session("old", 100);
		await start();
		expect([existsSync(stamp()), existsSync(join(root, "sessions/old"))]).toEqual([true, true]);
		utimesSync(stamp(), 1, NOW.getTime() / 1000 - 90_000);
		expect(await start()).toEqual({ code: 0, out: "", err: "" });
		expect(await gone()).toBe(true);
		for (let i = 0; i < 100 && !existsSync(join(root, "log/gc.log")); i++) await Bun.sleep(50);
		expect(readFileSync(join(root, "log/gc.log"), "utf8")).toContain("sessions/old: not touched for 100 days");
		expect(NOW.getTime() - lstatSync(stamp()).mtimeMs).toBeLessThan(60_000);
	});

	test.each<[string, () => unknown, string?]>([
		["when it is turned off", () => writeFileSync(join(root, "config.json"), '{"retention":{"enabled":false}}')],
		["on resume", () => {}, "resume"],
		["a second time in a day", () => utimesSync(stamp(), 1, NOW.getTime() / 1000 - 80_000)],
	])("not %s", async (_, make, source) => {
		session("old", 100);
		put("run/gc-day", 2);
		make();
		await start(source);
		await Bun.sleep(300);
		expect(existsSync(join(root, "sessions", "old"))).toBe(true);
	});

	test("a start sweeps what killed processes left of the session", async () => {
		const old = put("sessions/s-1/.usage.json.1.a.tmp", 1);
		const fresh = put("sessions/s-1/.usage.json.2.a.tmp", 0);
		await start();
		expect([existsSync(old), existsSync(fresh)]).toEqual([false, true]);
	});
});

test("one session is one session", async () => {
	session("a", 1);
	await gc({ dryRun: true }, io());
	expect(out.at(-1)).toMatch(/: 1 session there, 0 of them live\.$/);
});

test("a store that can't be written: what failed, where, and what to do", async () => {
	put("run", 1, "a file where a folder must be");
	await expect(gc({}, io())).rejects.toThrow(
		/^the store was not cleaned: \S+\/run(\/gc\.lock)? can't be written \([a-z ]+\); make it writable for you, or set CCG_HOME/,
	);
});

test("a session that goes takes its lock file with it", async () => {
	session("a", 400);
	session("b", 1);
	const [gone, kept] = ["a", "b"].map((id) => put(`run/context/${id}.lock`, 400, ""));
	await gc({}, io());
	expect([existsSync(gone!), existsSync(kept!)]).toEqual([false, true]);
});

test("with nothing to do it says so", async () => {
	await gc({}, io());
	expect(out).toEqual([expect.stringMatching(/^Nothing to delete\. /)]);
	await gc({ dryRun: true }, io());
	expect(out[1]).toBe(out[0]);
});
