import { mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { statusLine } from "../../src/events/status-line/status-line.ts";
import { sessionPaths } from "../../src/store/paths.ts";
import { grantPass, resumeWork } from "../../src/store/session/halt.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { change, commitPending, endCycleOf as endCycle, markerState, setPending } from "../kit/cycle.ts";
import { Transcript } from "../kit/events.ts";
import { gitIn } from "../kit/git.ts";
import { fifo } from "../kit/process.ts";
import { LAUNCHER, run } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";

let home: string;
let store: string;
const SID = "s-1";

beforeEach(() => {
	home = scratch("look");
	store = join(home, ".claude-memory");
});

const line = (tokens: number | null, env: Record<string, string> = {}, more: Record<string, unknown> = {}) =>
	statusLine(
		Buffer.from(
			JSON.stringify({
				session_id: SID,
				cwd: home,
				model: { id: "claude-opus-5-5", display_name: "Opus 5.5" },
				context_window: {
					context_window_size: 200_000,
					current_usage: tokens === null ? null : { input_tokens: tokens },
				},
				...more,
			}),
		),
		{ HOME: home, PATH: "/usr/bin:/bin", NO_COLOR: "1", CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000", ...env },
		null,
	);
const configure = (config: object): void => {
	mkdirSync(store, { recursive: true });
	writeFileSync(join(store, "config.json"), JSON.stringify(config));
};
const settings = (...parts: string[]): string => {
	mkdirSync(join(home, ...parts.slice(0, -1)), { recursive: true });
	return join(home, ...parts);
};

describe("the room", () => {
	const PADDINGS: [string, unknown, number][] = [
		["none", undefined, 0],
		["2", 2, 2],
		["fractions", 2.7, 2],
		["absurd", 1e9, 1e9],
	];
	test.each(PADDINGS)("padding %s", async (_, padding, counts) => {
		writeFileSync(
			settings(".claude", "settings.json"),
			JSON.stringify({ statusLine: { type: "command", command: "x", padding } }),
		);
		for (const columns of [20, 44, 80]) {
			const text = await line(131_000, { COLUMNS: String(columns) });
			expect(Bun.stringWidth(text)).toBeLessThanOrEqual(Math.max(1, columns - 4 - 2 * counts));
		}
	});
	test("the padding of the entry that counts, a nearer file's", async () => {
		writeFileSync(settings(".claude", "settings.json"), '{"statusLine":{"command":"x","padding":20}}');
		const project = settings("project", ".claude", "settings.json");
		writeFileSync(project, '{"statusLine":{"command":"x","padding":0}}');
		const workspace = { current_dir: home, project_dir: join(home, "project") };
		const wide = "Opus 5.5 131k/167k ████████░░ 36k to compaction ● save due";
		expect(await line(131_000, { COLUMNS: "64" }, { workspace })).toBe(wide);
		writeFileSync(project, "{}");
		expect(await line(131_000, { COLUMNS: "64" }, { workspace })).toBe("131k/167k 36k left");
	});
});

describe("the enforced halt gate", () => {
	test("held back, one change free, lifted", async () => {
		configure({ guard: { mode: "enforce" } });
		expect(await line(141_000)).not.toMatch(/held|free/);
		expect(await line(142_000)).toContain(" ■ held back");
		grantPass(sessionAt(storeAt(store), SID), new Date());
		expect(await line(142_000)).toContain(" □ one change free");
		resumeWork(sessionAt(storeAt(store), SID), new Date(), null);
		expect(await line(142_000)).not.toMatch(/held|free/);
	});
	test.each(["warn", "off"])("%s holds nothing back", async (mode) => {
		configure({ guard: { mode } });
		expect(await line(142_000)).not.toMatch(/held|free/);
	});
});

describe("a measurement of before the compaction", () => {
	const compact = (): void => {
		setPending(sessionAt(storeAt(store), SID), {
			key: "precompact_checkpoint_20260101_000000",
			at: new Date().toISOString(),
			trigger: "auto",
		});
		commitPending(sessionAt(storeAt(store), SID));
		endCycle(sessionAt(storeAt(store), SID));
	};
	test("drops no marker and holds nothing back behind it; the next number does", async () => {
		configure({ guard: { mode: "enforce" } });
		await line(150_000);
		expect(markerState(sessionAt(storeAt(store), SID))).toBe("marker");
		compact();
		for (let i = 0; i < 2; i++) expect(await line(150_000)).not.toMatch(/save due|held/);
		expect(markerState(sessionAt(storeAt(store), SID))).toBe("none");
		await line(null);
		expect(await line(150_001)).toMatch(/■ held back ● save due/);
	});
});

describe("when it was saved", () => {
	const save = (local: string, hoursAgo = 0): void =>
		change(sessionAt(storeAt(store), SID), { saved: { local, ms: Date.now() - hoursAgo * 3600_000 } });
	const clock = (hoursAgo: number, zone: number): string =>
		new Date(Date.now() - hoursAgo * 3600_000 + zone * 3600_000).toISOString().slice(0, 16).replace("T", " ");
	test.each([-11, 5.5])("today in the zone it was saved in (%d)", async (zone) => {
		save(clock(0, zone));
		expect(await line(50_000)).toMatch(/ saved \d\d:\d\d$/);
	});
	test.each([-11, 13])("on another day with its date (%d)", async (zone) => {
		save(clock(50, zone), 50);
		expect(await line(50_000)).toMatch(/ saved \d{1,2} [A-Z][a-z]{2} \d\d:\d\d$/);
	});
	test("what a compaction saves is told in the zone of whoever reads it", async () => {
		const transcript = new Transcript(home).typed("Never push.").usage(150_000).write(join(home, "t.jsonl"));
		const env = { HOME: home, TZ: "Asia/Tokyo", CLAUDE_PROJECT_DIR: home };
		const input = { session_id: SID, transcript_path: transcript, cwd: home, trigger: "manual" };
		const before = Date.now();
		expect(await run([LAUNCHER, "hook", "pre-compact"], { env, cwd: home, input })).toMatchObject({ code: 0 });
		// a minute may begin meanwhile
		const times = [before, Date.now()].map((at) => new Date(at + 9 * 3600_000).toISOString().slice(11, 16));
		expect(times).toContain(/ saved (\d\d:\d\d)$/.exec(await line(50_000))?.[1]);
	});
});

describe("from the configuration", () => {
	test("format, bar and colours", async () => {
		configure({ statusLine: { format: "{bar} {zone}", bar: { width: 4, signs: "#-" }, colours: { calm: "blue" } } });
		expect(await line(50_000)).toBe("#--- calm");
		expect(await line(50_000, { NO_COLOR: "" })).toBe("\u001b[34m#---\u001b[0m \u001b[34mcalm\u001b[0m");
	});
	test("what does not fit counts as its default", async () => {
		configure({
			statusLine: {
				format: "{lefft}",
				bar: { width: 0, signs: "模型", more: 1 },
				colours: { calm: "purple", calmer: "red", watch: 7 },
			},
		});
		expect(await line(50_000)).toBe("Opus 5.5 50k/167k ███░░░░░░░ 117k to compaction");
		configure({ statusLine: { bar: "wide", colours: null } });
		expect(await line(50_000)).toBe("Opus 5.5 50k/167k ███░░░░░░░ 117k to compaction");
	});
	test("branch, session and task", async () => {
		configure({ statusLine: { format: "{branch} {session} {task}" } });
		expect(await line(50_000)).toBe("ccg");
		gitIn(home, home, ["init", "-q", "-b", "feature/x"]);
		const { folder } = sessionPaths(store, SID);
		const task = join(folder, "task-state.json");
		mkdirSync(folder, { recursive: true });
		writeFileSync(task, JSON.stringify({ goal: "port\nthe parser", status: "active" }));
		expect(await line(50_000, {}, { session_name: "rework\u001b[2J" })).toBe(
			"feature/x rework[2J task: port the parser",
		);
		mkdirSync(folder, { recursive: true });
		writeFileSync(task, JSON.stringify({ goal: "port", status: "complete" }));
		writeFileSync(join(home, ".git", "HEAD"), `${"a1".repeat(20)}\n`);
		expect(await line(50_000)).toBe("a1a1a1a");
		for (const head of ["", "nonsense", `ref: ${"x".repeat(9_000)}`]) {
			writeFileSync(join(home, ".git", "HEAD"), head);
			expect(await line(50_000)).toBe("ccg");
		}
		renameSync(join(home, ".git", "HEAD"), join(home, ".git", "GONE"));
		fifo(join(home, ".git", "HEAD"));
		expect(await line(50_000)).toBe("ccg");
		expect(statSync(join(home, ".git", "HEAD")).isFIFO()).toBe(true);
	});
});
