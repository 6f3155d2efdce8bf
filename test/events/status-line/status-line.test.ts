import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { statusLine } from "../../../src/events/status-line/status-line.ts";
import { runWrapped } from "../../../src/events/status-line/wrapped-status-line.ts";
import { catalog } from "../../../src/install/catalog.ts";
import { sessionPaths } from "../../../src/store/paths.ts";
import { claimMarker, dropMarker, markerState } from "../../../src/store/pressure/marker.ts";
import { readUsage } from "../../../src/store/pressure/usage-record.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { LAUNCHER, run } from "../../kit/sandbox.ts";
import { scratch } from "../../scratch-home.ts";

const DUE = 131_000;

let home = scratch("status");
let store: string;
let env: Record<string, string>;

beforeEach(() => {
	home = scratch("status");
	store = join(home, ".claude-memory");
	env = { HOME: home, PATH: "/usr/bin:/bin", NO_COLOR: "1" };
});

/** What Claude Code 2.1.329 sends. `tokens` null: before the first answer and after a compaction. */
function input(tokens: number | null, { window = 200_000, model = "claude-sonnet-4-6", name = "Sonnet 4.6" } = {}) {
	return {
		session_id: "s-1",
		transcript_path: join(home, "none.jsonl"),
		cwd: home,
		model: { id: model, display_name: name },
		workspace: { current_dir: home, project_dir: home, added_dirs: [] },
		version: "2.1.329",
		cost: { total_cost_usd: 0 },
		context_window: {
			context_window_size: window,
			total_input_tokens: tokens ?? 0,
			current_usage: tokens === null ? null : { input_tokens: 0, cache_read_input_tokens: tokens, output_tokens: 500 },
			used_percentage: null,
		},
	};
}

const bytes = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
const line = (value: object, extra: Record<string, string> = {}): Promise<string> =>
	statusLine(bytes(value), { ...env, ...extra }, null);
const configure = (config: object): void => {
	mkdirSync(store, { recursive: true });
	writeFileSync(join(store, "config.json"), JSON.stringify(config));
};
const plain = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, "");

describe("what it says", () => {
	const cases: [string, object, RegExp][] = [
		["no usage yet", input(null), /^Sonnet 4\.6 —\/167k/],
		["some", input(50_000), /^Sonnet 4\.6 50k\/167k █+░+ 117k to compaction$/],
		["beyond the trigger", input(170_000), /170k\/167k █{10} compaction due/],
		["more tokens than the reported window", input(250_000), /250k\/167k █{10} compaction due/],
		["a wrong window on a large model", input(250_000, { model: "claude-opus-4-7" }), /250k\/967k/],
		["a large window", input(50_000, { window: 1_000_000, model: "claude-opus-5-5" }), /50k\/967k/],
		["no model", { session_id: "s-1" }, /^ccg: no data$/],
		["nothing", {}, /^ccg: no data$/],
		["control characters in the name", input(1_000, { name: "So\u001b[31mn\nnet" }), /^So\[31mnnet 1k\/167k/],
	];
	test.each(cases)("%s", async (_, value, expected) => expect(await line(value)).toMatch(expected));

	test("the cycle, the checkpoint, a failed hook", async () => {
		await line(input(DUE));
		expect(await line(input(DUE))).toContain("● save due");
		claimMarker(sessionAt(store, "s-1"), 60_000, new Date());
		writeFileSync(sessionPaths(store, "s-1").latest, "precompact_checkpoint_1\n");
		writeFileSync(sessionPaths(store, "s-1").failure, "{}");
		const text = await line(input(DUE));
		for (const part of ["✓ nudged", "⚠ hook failed: ccg doctor"]) expect(text).toContain(part);
		expect(text).toMatch(/ saved \d\d:\d\d /);
	});

	test("a measurement is kept for ccg status, a subagent's is not", async () => {
		await line({ ...input(50_000), agent_id: "a1" });
		expect(readUsage(sessionAt(store, "s-1"))).toBeNull();
		await line(input(50_000));
		expect(readUsage(sessionAt(store, "s-1"))).toMatchObject({
			tokens: 50_000,
			trigger: 167_000,
			source: "status line",
		});
		expect(existsSync(sessionPaths(store, "s-1").statusLineSeen)).toBe(true);
	});
});

describe("width and colour", () => {
	const everything = async (columns: string, more: Record<string, string>) => {
		dropMarker(sessionAt(store, "s-1"), { at: new Date().toISOString(), tokens: DUE, distance: 1, trigger: 167_000 });
		mkdirSync(sessionPaths(store, "s-1").folder, { recursive: true });
		for (const path of [sessionPaths(store, "s-1").latest, sessionPaths(store, "s-1").failure])
			writeFileSync(path, "x");
		return statusLine(
			bytes(input(DUE, { name: "A Model With A Very Long Name Indeed 4.6" })),
			{ HOME: home, COLUMNS: columns, ...more },
			null,
		);
	};
	test.each([1, 5, 10, 20, 30, 40, 60, 80, 120, 200])("never wider than %i columns", async (columns) => {
		for (const more of [{}, { NO_COLOR: "1" }] as Record<string, string>[]) {
			const text = plain(await everything(String(columns), more));
			expect([...text].length).toBeLessThanOrEqual(columns);
			expect(text).not.toBe("");
		}
	});
	test("the wider, the more; the tokens always", async () => {
		const texts = await Promise.all(
			["20", "40", "80", "200"].map(async (columns) => plain(await everything(columns, {}))),
		);
		for (const text of texts) expect(text).toContain("131k/167k");
		expect(texts.map((text) => text.length)).toEqual(texts.map((text) => text.length).toSorted((a, b) => a - b));
		expect(texts[1]).toContain("⚠ hook failed");
		expect(texts[3]).toContain("A Model With");
	});
	test.each(["", "0", "wide", "-5"])("COLUMNS %j is no limit", async (columns) =>
		expect(plain(await everything(columns, {})).length).toBeGreaterThan(80),
	);
	test("colours only without NO_COLOR", async () => {
		expect(await everything("80", {})).toContain("\u001b[");
		expect(await everything("80", { NO_COLOR: "1" })).not.toContain("\u001b");
	});
});

describe("when the marker drops", () => {
	interface Case {
		tokens: number | null;
		due: boolean;
		config?: object;
		env?: Record<string, string>;
		window?: number;
		model?: string;
	}
	const small = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" }; // compaction at 67,000
	const roomy = { marker: { headroomTokens: 60_000 } };
	const percent = { marker: { rule: "percent", percent: 65 } };
	const cases: [string, Case][] = [
		["37,001 before the trigger", { tokens: 129_999, due: false }],
		["37,000 before the trigger", { tokens: 130_000, due: true }],
		["beyond it", { tokens: 190_000, due: true }],
		["unknown", { tokens: null, due: false }],
		["a window of 100,000: 37,000 before 67,000", { tokens: 29_999, due: false, env: small }],
		["a window of 100,000: from 30,000", { tokens: 30_000, due: true, env: small }],
		["not before 40% of the trigger", { tokens: 26_799, due: false, env: small, config: roomy }],
		["from 40% of the trigger", { tokens: 26_800, due: true, env: small, config: roomy }],
		["percent: 65%", { tokens: 130_000, due: false, config: percent }],
		["percent: above 65%", { tokens: 130_001, due: true, config: percent }],
		[
			"percent: in a large window",
			{ tokens: 650_000, due: false, config: percent, window: 1_000_000, model: "claude-opus-5-5" },
		],
		[
			"percent: above, in a large window",
			{ tokens: 650_001, due: true, config: percent, window: 1_000_000, model: "claude-opus-5-5" },
		],
		["auto-compaction off", { tokens: 190_000, due: false, env: { DISABLE_AUTO_COMPACT: "1" } }],
		["nudge off", { tokens: 190_000, due: false, config: { nudge: { wording: "off" } } }],
	];
	test.each(cases)("%s", async (_, { tokens, due, config, env: extra, window, model }) => {
		if (config) configure(config);
		await line(input(tokens, { window, model }), extra);
		expect(markerState(sessionAt(store, "s-1"))).toBe(due ? "marker" : "none");
	});

	test("once per cycle; a new one when the context shrank to half", async () => {
		await line(input(DUE));
		claimMarker(sessionAt(store, "s-1"), 60_000, new Date());
		await line(input(150_000));
		expect(markerState(sessionAt(store, "s-1"))).toBe("nudged");
		await line(input(null));
		await line(input(65_500));
		expect(markerState(sessionAt(store, "s-1"))).toBe("nudged");
		await line(input(65_499));
		expect(markerState(sessionAt(store, "s-1"))).toBe("none");
		await line(input(DUE));
		expect(markerState(sessionAt(store, "s-1"))).toBe("marker");
	});
});

describe("a wrapped command", () => {
	const wrapped = (command: string, value: object = input(50_000)): Promise<string> =>
		statusLine(bytes(value), env, command);

	const cases: [string, string, string | RegExp][] = [
		["its output stands above ours", "echo mine", "mine"],
		["several lines, colours kept", `printf 'one\\n\\033[31mtwo\\033[0m\\n\\n'`, "one\n\u001b[31mtwo\u001b[0m"],
		["failing with output", "echo before; exit 3", "before"],
		["failing without output", "exit 3", ""],
		["not found", "no-such-command-here", ""],
		["stderr is not shown", "echo mine; echo loud >&2", "mine"],
		["it gets the same input", "cat", /^\{"session_id":"s-1",.*\}$/],
		["it gets the environment", 'echo "$HOME"', /status-\d+$/],
		["a pipe, quotes and several commands", `printf '%s' "a'b" | tr a c; [ 1 = 1 ] && echo d`, "c'bd"],
	];
	test.each(cases)("%s", async (_, command, above) => {
		const lines = (await wrapped(command)).split("\n");
		expect(lines.pop()).toContain("50k/167k");
		if (above instanceof RegExp) expect(lines.join("\n")).toMatch(above);
		else expect(lines.join("\n")).toBe(above);
	});

	test("not reading a large input", async () => {
		const value = { ...input(50_000), padding: "x".repeat(3 * 1024 * 1024) };
		expect((await wrapped("echo mine", value)).split("\n")).toEqual(["mine", expect.stringContaining("50k/167k")]);
		expect((await wrapped("exec <&-; echo mine", value)).split("\n")).toHaveLength(2);
	});

	test("endless output is cut", async () => {
		configure({ statusLine: { wrappedTimeoutMs: 300 } });
		const text = await wrapped("yes");
		expect(text.length).toBeLessThan(1024 * 1024);
		expect(text).toMatch(/50k\/167k[^\n]*$/);
	});

	/** Killed is not yet gone: a busy kernel takes a moment. */
	async function gone(command: string): Promise<void> {
		for (let i = 0; i < 200 && alive(command).length > 0; i++) await Bun.sleep(10);
		expect(alive(command)).toEqual([]);
	}

	const alive = (mark: string): string[] => {
		try {
			return execFileSync("pgrep", ["-f", mark], { encoding: "utf8" }).trim().split("\n");
		} catch {
			return [];
		}
	};

	test("hanging: ended at the timeout with all it started, what it printed so far counts", async () => {
		configure({ statusLine: { wrappedTimeoutMs: 250 } });
		// an argument of sleep that only this test has
		const seconds = `30.${process.pid}`;
		const started = performance.now();
		const lines = (await wrapped(`echo early; sleep ${seconds} & sleep ${seconds}; echo late`)).split("\n");
		const took = performance.now() - started;
		expect(lines).toEqual(["early", expect.stringContaining("50k/167k")]);
		expect(took).toBeGreaterThan(240);
		expect(took).toBeLessThan(10_000);
		await gone(`sleep ${seconds}`);
	});

	test("hanging, through the launcher: prints, ends, leaves no process, and has measured before", async () => {
		configure({ statusLine: { wrappedTimeoutMs: 1_000 } });
		const seconds = `31.${process.pid}`;
		let ended = false;
		const running = run([LAUNCHER, "statusline", "--wrap", `sleep ${seconds}`], { env, cwd: home, input: input(DUE) });
		running.then(() => {
			ended = true;
		});
		while (!ended && (markerState(sessionAt(store, "s-1")) !== "marker" || alive(`sleep ${seconds}`).length === 0))
			await Bun.sleep(10);
		expect(ended).toBe(false);
		const { code, out, err } = await running;
		expect({ code, err }).toEqual({ code: 0, err: "" });
		expect(out).toMatch(/^[^\n]*131k\/167k[^\n]*\n$/);
		await gone(`sleep ${seconds}`);
	});

	test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
		"a run that is cancelled with %s takes the command along",
		async (signal) => {
			const seconds = `32.${process.pid}`;
			// the group of the launcher, not the command's own
			const child = Bun.spawn(["setsid", LAUNCHER, "statusline", "--wrap", `sleep ${seconds}`], {
				env,
				cwd: home,
				stdin: bytes(input(DUE)),
				stdout: "ignore",
				stderr: "ignore",
			});
			while (child.exitCode === null && alive(`sleep ${seconds}`).length < 2) await Bun.sleep(10);
			process.kill(-child.pid, signal);
			await child.exited;
			await gone(`sleep ${seconds}`);
		},
	);

	test("the timeout comes from the configuration, two seconds by default", async () => {
		expect(await wrapped("sleep 0.4; echo slow")).toMatch(/^slow\n/);
		configure({ statusLine: { wrappedTimeoutMs: 100 } });
		expect(await wrapped("sleep 0.4; echo slow")).not.toContain("slow");
	});

	test("the registered command: a command of quotes and newlines arrives as it was", async () => {
		const command = `printf '%s\\n' "it's"\nprintf '%s\\n' "$HOME" # end`;
		const entry = catalog(LAUNCHER).statusLine(command);
		const { out } = await run(["/bin/sh", "-c", entry], { env, cwd: home, input: input(50_000) });
		expect(out.split("\n")).toEqual(["it's", home, expect.stringContaining("50k/167k"), ""]);
		// without ccg the user's own command goes on by itself
		const gone = catalog(join(home, "gone", "ccg")).statusLine(command);
		expect((await run(["/bin/sh", "-c", gone], { env, cwd: home, input: input(50_000) })).out).toBe(`it's\n${home}\n`);
	});

	test("bytes that are no text", async () => {
		expect(await runWrapped(`printf '\\377\\376ok'`, Buffer.from(""), env, 1_000)).toMatch(/ok$/);
	});
});
