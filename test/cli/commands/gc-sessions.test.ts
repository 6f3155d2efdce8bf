import { existsSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { gc } from "../../../src/cli/acts/gc.ts";
import { type GcStore, gcStore } from "../../kit/gc-store.ts";
import { listing } from "../../kit/sandbox.ts";
import { usage } from "../../kit/usage.ts";
import { scratch } from "../../scratch-home.ts";

const NOW = new Date();
const DAY_MS = 86_400_000;
let at: GcStore;
beforeEach(() => {
	at = gcStore(NOW);
});

describe("sessions", () => {
	test("by age", async () => {
		for (const [id, days] of [
			["new", 0],
			["old", 89],
			["older", 91],
		] as const)
			at.session(id, days);
		await gc({}, at.io, NOW);
		expect(at.sessions()).toEqual(["new", "old"]);
		expect(at.out[0]).toContain("sessions/older: not touched for 91 days (more than 90)");
		expect(at.out.at(-1)).toMatch(/^Deleted 1 thing, .* 3 sessions there, 1 of them live\.$/);
	});

	test("by count: the ones seen last stay", async () => {
		for (let days = 2; days < 12; days++) at.session(`s${days}`, days);
		await gc({ keep: 4 }, at.io, NOW);
		expect(at.sessions()).toEqual(["s2", "s3", "s4", "s5"]);
		expect(at.out[0]).toContain("4 newer sessions are kept");
	});

	test("by bytes", async () => {
		for (let days = 2; days < 7; days++) at.session(`s${days}`, days, 1000);
		await gc({ maxBytes: 2_500 }, at.io, NOW);
		expect(at.sessions()).toEqual(["s2", "s3"]);
		expect(at.out[0]).toContain("fill 2500 bytes");
	});

	test("their markers go with them", async () => {
		at.session("old", 100);
		at.put("run/flush/old", 100);
		at.put("run/statusline/old", 100);
		await gc({}, at.io, NOW);
		expect(listing(join(at.root, "run"), "").filter((path) => path.endsWith("/old"))).toEqual([]);
	});

	test.each<[string, () => Record<string, string> | undefined]>([
		["asks", () => ({ CLAUDE_CODE_SESSION_ID: "it" })],
		["measured within the day", () => void at.put("sessions/it/usage.json", 0)],
		["wrote any file within the day", () => void at.put("sessions/it/events.jsonl", 0)],
		["has a marker of the day", () => void at.put("run/flush/it", 0)],
		[
			"has a transcript of the day",
			() => {
				const path = at.put("t.jsonl", 0);
				at.put("sessions/it/usage.json", 100, JSON.stringify({ version: 1, ...usage({ transcriptPath: path }) }));
			},
		],
	])("never the one that %s", async (_, make) => {
		at.session("it", 100);
		at.session("other", 100);
		const env = make() ?? {};
		await gc({ olderThan: 0, keep: 0, maxBytes: 0 }, at.ioWith(env), NOW);
		expect(at.sessions()).toEqual(["it"]);
	});

	test("nothing behind a link is deleted", async () => {
		const outside = scratch("outside");
		writeFileSync(join(outside, "file"), "mine");
		at.session("old", 100);
		symlinkSync(outside, join(at.root, "sessions", "old", "link"));
		symlinkSync(outside, join(at.root, "sessions", "linked"));
		await gc({ olderThan: 1 }, at.io, new Date(NOW.getTime() + 30 * DAY_MS));
		expect(at.sessions()).toEqual(["linked"]);
		expect(readFileSync(join(outside, "file"), "utf8")).toBe("mine");
	});
});

describe("within a session", () => {
	const key = (n: number): string => `precompact_checkpoint_20260101_1000${String(n).padStart(2, "0")}`;

	test("the newest checkpoints stay, and those something points to", async () => {
		for (let n = 0; n < 30; n++)
			for (const end of ["json", "md"]) at.put(`sessions/s/checkpoints/${key(n)}.${end}`, 60 - n);
		at.put("sessions/s/latest", 40, `${key(29)}\n`);
		at.put("sessions/s/pending.json", 40, JSON.stringify({ version: 1, key: key(1), at: "x", trigger: "auto" }));
		at.put("sessions/s/committed.json", 40, JSON.stringify({ version: 1, key: key(2), at: "x", trigger: "auto" }));
		at.put(
			"sessions/s/recovery-block.json",
			40,
			JSON.stringify({ version: 1, key: key(3), at: "x", ids: [], chars: 0 }),
		);
		at.session("s", 2);
		for (const name of ["checkpoints", ""])
			utimesSync(join(at.root, "sessions/s", name), 1, NOW.getTime() / 1000 - 2 * 86_400);
		await gc({}, at.io, NOW);
		const left = readdirSync(join(at.root, "sessions/s/checkpoints"));
		expect(left.filter((name) => name.endsWith(".json")).sort()).toEqual(
			[1, 2, 3, ...Array.from({ length: 20 }, (_, i) => i + 10)].map((n) => `${key(n)}.json`),
		);
		expect(left.length).toBe(46);
	});

	test("old reports go", async () => {
		at.put("sessions/s/reports/a.json", 100);
		at.put("sessions/s/reports/b.json", 5);
		at.session("s", 2);
		await gc({}, at.io, NOW);
		expect(readdirSync(join(at.root, "sessions/s/reports"))).toEqual(["b.json"]);
	});
});

test("one session is one session", async () => {
	at.session("a", 1);
	await gc({ dryRun: true }, at.io);
	expect(at.out.at(-1)).toMatch(/: 1 session there, 0 of them live\.$/);
});

test("a session that goes takes its lock file with it", async () => {
	at.session("a", 400);
	at.session("b", 1);
	const [gone, kept] = ["a", "b"].map((id) => at.put(`run/context/${id}.lock`, 400, ""));
	await gc({}, at.io);
	expect([existsSync(gone!), existsSync(kept!)]).toEqual([false, true]);
});
