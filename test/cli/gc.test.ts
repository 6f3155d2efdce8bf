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
import { beforeEach, describe, expect, test } from "vitest";
import { exact } from "../../src/core/redact/secrets.ts";
import { writeToStore } from "../../src/store/database.ts";
import { listStoredCheckpoints } from "../../src/store/recovery/checkpoints.ts";
import { listSessions } from "../../src/store/session/cycles.ts";
import { runCcg } from "../kit/ccg.ts";
import { LAUNCHER, listing, run } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";
import GC_FILES from "./gc-files.json";

/** How many days old each is. */
const FILES = GC_FILES as [path: string, days: number, what: string][];
const NOW = new Date();
let root: string;
beforeEach(() => {
	root = join(scratch("gc"), ".claude-memory");
	mkdirSync(root);
});

const gc = (line = "", env: Record<string, string> = {}, now = NOW) =>
	runCcg(["gc", ...line.split(" ").filter(Boolean)], { env: { CCG_HOME: root, ...env }, cwd: root, now });
/** Writes a file, `days` old with the folders it lies in; gives its path. */
function put(path: string, days: number, text = "{}"): string {
	const whole = join(root, path);
	mkdirSync(dirname(whole), { recursive: true });
	writeFileSync(whole, text);
	const seconds = NOW.getTime() / 1000 - days * 86_400;
	for (let at = whole; at !== root && at.startsWith(root); at = dirname(at)) utimesSync(at, seconds, seconds);
	return whole;
}
const ago = (days: number): number => NOW.getTime() - days * 86_400_000;
function rows(text: string, ...values: (string | number)[]): void {
	const safe = values.map((value) => (typeof value === "string" ? exact(value) : value));
	writeToStore(storeAt(root), (database) => void database.query(`INSERT INTO ${text}`).run(...safe));
}
/** A session of that age: a folder, and rows. */
function session(id: string, days: number, cycle = {}): void {
	put(`sessions/${id}/summary.md`, days, "");
	rows("cycles(session, at, value) VALUES(?, ?, ?)", id, ago(days), JSON.stringify(cycle));
	rows("records VALUES(?, 1, ?, ?)", id, "{}", "{}");
}
const sessions = () => listSessions(storeAt(root));
const config = (retention: object) => writeFileSync(join(root, "config.json"), JSON.stringify({ retention }));

test("files go by their age and kind; what a status line alone measured is no session", async () => {
	session("s", 2);
	for (const [path, days] of FILES) put(path, days);
	const { deleted, sessions: count } = (await gc("--json")).json;
	const reason = "older than 90 days";
	expect(deleted).toContainEqual({ what: "file", path: join(root, "run/pressure/measured-alone"), reason });
	for (const [path, , what] of FILES) expect(existsSync(join(root, path)) ? "stays" : "goes", path).toBe(what);
	expect(count).toBe(1);
});

describe("sessions", () => {
	test("by age; a dry run says the same and deletes nothing; markers go along", async () => {
		for (const [id, days] of Object.entries({ new: 0, old: 89, older: 91 })) session(id, days);
		put("run/flush/older", 100);
		const files = listing(root, "");
		const dry = await gc("--dry-run");
		expect(dry.out).toMatch(
			/sessions\/older: not touched for 91 days \(more than 90\)\nWould delete 1 thing, in \S+: 3 sessions there, 1 of them live\.$/,
		);
		expect(listing(root, "")).toEqual(files);
		expect((await gc()).out).toBe(dry.out.replace("Would delete", "Deleted"));
		expect(sessions()).toEqual(["new", "old"]);
		for (const path of ["run/flush/older", "sessions/older"]) expect(existsSync(join(root, path))).toBe(false);
		config({ maxAgeDays: 50 });
		expect((await gc("--json")).json).toMatchObject({
			dry_run: false,
			deleted: [
				{ what: "session", path: join(root, "sessions/old"), reason: "not touched for 89 days (more than 50)" },
			],
		});
		expect((await gc()).out).toMatch(/^Deleted 0 things, /);
	});

	test.each<[string, () => Record<string, string> | undefined]>([
		["asks", () => ({ CLAUDE_CODE_SESSION_ID: "it", CCG_TEST: "1" })],
		["wrote any file within the day", () => void put("sessions/it/task-state.json", 0)],
		[
			"has a row of the day",
			() =>
				void rows(
					"cycles(session, at, value) VALUES(?, ?, '{}') ON CONFLICT(session) DO UPDATE SET at = excluded.at",
					"it",
					ago(0.5),
				),
		],
		["was measured within the day", () => void put("run/pressure/it", 0)],
	])("never the one that %s", async (_, make) => {
		session("it", 100);
		session("other", 100);
		config({ maxAgeDays: 0 });
		await gc("", make() ?? {});
		expect(sessions()).toEqual(["it"]);
	});

	test("nothing behind a link is deleted", async () => {
		const outside = scratch("outside");
		writeFileSync(join(outside, "file"), "mine");
		session("old", 100);
		symlinkSync(outside, join(root, "sessions", "old", "link"));
		symlinkSync(outside, join(root, "sessions", "linked"));
		mkdirSync(join(root, "run"), { recursive: true });
		symlinkSync(outside, join(root, "run", "linked"));
		config({ maxAgeDays: 1 });
		await gc("", {}, new Date(NOW.getTime() + 30 * 86_400_000));
		expect([readdirSync(join(root, "sessions")), readFileSync(join(outside, "file"), "utf8")]).toEqual([
			["linked"],
			"mine",
		]);
	});

	test("within one the newest checkpoints stay with their readable forms, and those the cycle names; a person's by themselves", async () => {
		const key = (n: number): string => `precompact_checkpoint_20260101_1000${String(n).padStart(2, "0")}`;
		const add = (name: string, days: number, type: string): void => {
			const at = new Date(ago(days)).toISOString();
			const about = JSON.stringify({ type, trigger: "auto", tokens: 1, bytes: 2 });
			rows("checkpoints(session, key, at, project, about, value) VALUES('s', ?, ?, 'p', ?, '{}')", name, at, about);
			put(`sessions/s/checkpoints/${name}.md`, days);
		};
		add("manual_checkpoint_20260101_100000", 80, "manual");
		for (let n = 0; n < 30; n++) add(key(n), 60 - n, "precompact");
		session("s", 2, { prepared: { key: key(1) }, began: { key: key(2) } });
		for (const name of ["checkpoints", ""]) utimesSync(join(root, "sessions/s", name), 1, ago(2) / 1000);
		await gc();
		const kept = [1, 2, ...Array.from({ length: 20 }, (_, i) => i + 10)].map(key);
		const wanted = ["manual_checkpoint_20260101_100000", ...kept];
		expect(
			listStoredCheckpoints(storeAt(root))
				.map((one) => one.key)
				.sort(),
		).toEqual(wanted.toSorted());
		expect(readdirSync(join(root, "sessions/s/checkpoints")).sort()).toEqual(
			wanted.toSorted().map((one) => `${one}.md`),
		);
	});
});

test("what can't be deleted is named, and so is a store that can't be written", async () => {
	session("old", 100);
	const blocked = put("run/.x.1.a.tmp", 1);
	const chattr = (how: string) =>
		run(["/bin/sh", "-c", `chattr ${how} "$1" 2>/dev/null || exit 9`, "sh", blocked], { env: {}, cwd: "/" });
	if ((await chattr("+i")).code !== 9) {
		const { code, err } = await gc();
		await chattr("-i");
		expect([code, err, sessions()]).toEqual([1, expect.stringContaining(`${blocked} could not be deleted`), []]);
	}
	const other = join(scratch("gc"), "store");
	mkdirSync(other);
	writeFileSync(join(other, "run"), "a file where a folder must be");
	expect((await gc("", { CCG_HOME: other })).err).toMatch(
		/^ccg: \S+\/run(\/gc\.lock\S*)? can't be read or written: [a-z ]+$/,
	);
});

describe("by itself", () => {
	const start = (source = "startup") =>
		run([LAUNCHER, "hook", "session-start"], {
			env: { HOME: dirname(root) },
			cwd: root,
			input: { session_id: "s-1", source, cwd: root },
		});
	const stamp = (): string => join(root, "run", "gc-day");
	const isThere = () => existsSync(join(root, "sessions", "old"));

	test("once a day, at a start; it tells its log", async () => {
		session("old", 100);
		await start();
		expect([existsSync(stamp()), isThere()]).toEqual([true, true]);
		utimesSync(stamp(), 1, NOW.getTime() / 1000 - 90_000);
		expect(await start()).toEqual({ code: 0, out: "", err: "" });
		const log = (): string =>
			existsSync(join(root, "log/gc.log")) ? readFileSync(join(root, "log/gc.log"), "utf8") : "";
		for (let i = 0; i < 200 && !log().endsWith("\n"); i++) await Bun.sleep(50);
		expect(log()).toContain("sessions/old: not touched for 100 days");
		expect([isThere(), NOW.getTime() - lstatSync(stamp()).mtimeMs < 60_000]).toEqual([false, true]);
	});

	test.each<[string, () => unknown, string?]>([
		["when it is turned off", () => config({ enabled: false })],
		["on resume", () => {}, "resume"],
		["a second time in a day", () => utimesSync(stamp(), 1, NOW.getTime() / 1000 - 80_000)],
	])("not %s", async (_, make, source) => {
		session("old", 100);
		put("run/gc-day", 2);
		make();
		await start(source);
		await Bun.sleep(300);
		expect(isThere()).toBe(true);
	});
});
