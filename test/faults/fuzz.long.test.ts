import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { parseHookInput } from "../../src/claude/hook-input.ts";
import { postCompact } from "../../src/events/post-compact.ts";
import { postToolBatch } from "../../src/events/post-tool-batch.ts";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import type { EventHandler, Services, SessionInput } from "../../src/events/run/event.ts";
import { sessionEnd } from "../../src/events/session-end.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { withHaltGate } from "../../src/events/steps/halt-gate.ts";
import { stop } from "../../src/events/stop.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { readReceipt } from "../../src/install/receipt.ts";
import { loadConfig } from "../../src/store/config/config.ts";
import { isSessionId } from "../../src/store/paths.ts";
import { readReports } from "../../src/store/recovery/compaction-record.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { readSessions } from "../../src/store/status/session-status.ts";
import { planGc } from "../../src/store/upkeep/gc.ts";
import { Transcript } from "../kit/events.ts";
import { inBatches, listing, REPO, run } from "../kit/sandbox.ts";
import { servicesFor } from "../kit/services.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";
import { MUTATION } from "./mutate.ts";

/** `CCG_TEST_FUZZ=10000` is the full number; the quick check takes 300. */
const FILES = Number(process.env.CCG_TEST_FUZZ ?? 300);
const PROCESSES = FILES >= 10_000 ? 400 : 60;
const SID = "s-1";

let root: string;
let project: string;
let transcript: string;
/** Every JSON file of a store in which a session was compacted, and one more of each kind that run leaves none of. */
let good: Map<string, string>;

const services = (log: (reason: unknown) => void): Services =>
	servicesFor(join(root, ".."), { root, env: { HOME: join(root, ".."), CLAUDE_PROJECT_DIR: project }, log });

const EVENTS: [string, EventHandler, Partial<SessionInput>][] = [
	["post-tool-batch", postToolBatch, {}],
	["pre-tool-use", preToolUse, { tool_name: "Bash" }],
	["pre-compact", preCompact, { trigger: "auto" }],
	["session-start", sessionStart, { source: "compact" }],
	["post-compact", postCompact, { compact_summary: "The user wants tests." }],
	["user-prompt-submit", userPromptSubmit, {}],
	["pre-tool-use", preToolUse, { tool_name: "Bash" }],
	["session-start", sessionStart, { source: "resume" }],
	["session-start", sessionStart, { source: "startup" }],
	["stop", stop, { background_tasks: [{ id: "b1", type: "shell", description: "serve" }], session_crons: [] }],
	["pre-tool-use", withHaltGate(preToolUse), { tool_name: "Edit", tool_input: { file_path: "/p/a.ts" } }],
	["session-end", sessionEnd, { hook_event_name: "SessionEnd", reason: "other" }],
];

/** What the events say, in order. */
function cycle(log: (reason: unknown) => void, only?: number): (string | null)[] {
	return EVENTS.filter((_, i) => only === undefined || i === only).map(([, handler, fields]) =>
		handler({ session_id: SID, transcript_path: transcript, cwd: project, ...fields } as SessionInput, services(log)),
	);
}

beforeAll(() => {
	const home = scratch("fuzz");
	project = join(home, "project");
	root = join(home, "store");
	mkdirSync(project);
	transcript = new Transcript(project)
		.typed("Never push to main.")
		.todos(["Write the test", "in_progress"])
		.plan("1. read\n2. write")
		.call("Edit", { file_path: join(project, "a.ts") }, "done")
		.call("Bash", { command: "npm test" }, "Exit code 1", { failed: true })
		.usage(150_000)
		.boundary()
		.usage(30_000)
		.write(join(home, "t.jsonl"));
	const errors: unknown[] = [];
	good = new Map();
	for (let i = 0; i < EVENTS.length; i++) {
		cycle((reason) => errors.push(reason), i);
		// markers come and go: each state of the store is kept
		for (const path of listing(root, "").filter((one) => statSync(one).isFile() && !/\.(md|lock)$|gc-day/.test(one)))
			good.set(path, readFileSync(path, "utf8"));
	}
	if (errors.length) throw errors[0];
	good.set(
		join(root, "run/flush", SID),
		JSON.stringify({ version: 1, at: new Date().toISOString(), tokens: 5, distance: 1, trigger: 6 }),
	);
	good.set(
		join(root, "install/abc/receipt.json"),
		JSON.stringify({ version: 1, settingsPath: "/s", existedBefore: true }),
	);
	good.set(
		join(root, "run/halt", SID),
		JSON.stringify({ version: 1, at: new Date().toISOString(), tokens: 5, limit: 6, critical: 0.85 }),
	);
	good.set(
		join(root, `sessions/${SID}/profile.json`),
		JSON.stringify({ version: 1, name: "careful", config: { guard: { mode: "enforce" } } }),
	);
	good.set(join(root, `sessions/${SID}/resumed.json`), JSON.stringify({ version: 1, at: new Date().toISOString() }));
	good.set(
		join(root, "config.json"),
		JSON.stringify({ version: 1, marker: { headroomTokens: 5 }, retention: { maxSessions: 7 } }),
	);
	good.set(
		join(root, `sessions/${SID}/last-failure.json`),
		JSON.stringify({ version: 1, at: new Date().toISOString(), where: "x", reason: "y" }),
	);
	good.set(join(root, `sessions/${SID}/latest`), good.get(join(root, `sessions/${SID}/latest`))!);
});

/** The store as it was, some files spoiled. */
function spoiled(changes: [number, (text: string) => string][]): string {
	rmSync(root, { recursive: true, force: true });
	const paths = [...good.keys()];
	for (const [path, text] of good) {
		mkdirSync(join(path, ".."), { recursive: true });
		writeFileSync(path, text);
	}
	return changes
		.map(([which, change]) => {
			const path = paths[which % paths.length]!;
			let text = "";
			try {
				text = change(good.get(path)!);
			} catch {
				// `latest` and logs are no JSON to spoil
			}
			writeFileSync(path, text);
			return `${path.slice(root.length)}: ${text.slice(0, 300)}`;
		})
		.join("\n");
}

const CHANGES = fc.array(fc.tuple(fc.nat(1_000), MUTATION), { minLength: 1, maxLength: 3 });

describe("a store with mutated files", () => {
	test(`${FILES} of them: no event throws, each gives what it can`, () => {
		expect(good.size).toBeGreaterThan(14);
		let files = 0;
		fc.assert(
			fc.property(CHANGES, fc.nat(EVENTS.length - 1), (changes, first) => {
				files += changes.length;
				const what = spoiled(changes);
				const log = (reason: unknown): void => {
					// a newer ccg's file is told and left alone, a damaged one told and kept, a checkpoint made again; nothing else
					if (!/newer ccg|kept as \S+\.damaged-|^checkpoint \w+ can't be used; the state is read/.test(String(reason)))
						throw new Error(`${String(reason)}\n${what}`);
				};
				// one that meets the files before PreCompact has written them anew
				cycle(log, first);
				const said = cycle(log);
				// after PreCompact saved anew the block comes, whatever the files were like
				// only a snapshot or a transcript of other words, whole in form, could say otherwise
				const words = /state\.json/.test(what) ? "" : "Never push to main.";
				expect(said[2] ?? "", what).toContain(words);
				const given = [said[3], said[4], said[5], said[6], said[7]].filter(Boolean).join("\n");
				expect(given, what).toContain(words);
				expect(given.length, what).toBeGreaterThan(100);
				readSessions(storeAt(root), new Date());
				readReports(sessionAt(storeAt(root), SID));
				readReceipt(join(root, "install/abc"), () => {});
				planGc({ ...storeAt(root), retention: loadConfig(root).config.retention, now: new Date() });
			}),
			{ numRuns: Math.ceil(FILES / 1.9) },
		);
		console.log(`${files} mutated files, ${EVENTS.length} events on each store`);
		expect(files).toBeGreaterThanOrEqual(FILES * 0.95);
	}, 600_000);
});

const INPUT = JSON.stringify({
	session_id: SID,
	transcript_path: "/nowhere/t.jsonl",
	cwd: "/",
	source: "compact",
	trigger: "auto",
	tool_name: "Bash",
	compact_summary: "x",
	model: "m",
	agent_id: "a",
});
const mutated = MUTATION.map((change) => {
	try {
		return change(INPUT);
	} catch {
		return "";
	}
});

test(`${FILES} mutated hook inputs: parsed or refused in one line`, () => {
	fc.assert(
		fc.property(mutated, (text) => {
			try {
				const input = parseHookInput(Buffer.from(text));
				// what was too long is named in a list
				for (const value of Object.values(input).flat()) expect(typeof value).toBe("string");
				if (isSessionId(input.session_id)) expect(input.session_id).toMatch(/^[\w-]{1,64}$/);
			} catch (error) {
				expect((error as Error).message).toMatch(/^(empty input|input .{1,200})$/);
			}
		}),
		{ numRuns: FILES },
	);
});

test(`${PROCESSES} real hook processes on mutated stores and inputs: exit 0, no noise, nothing outside of the store`, async () => {
	const home = join(root, "..");
	const samples = fc.sample(fc.tuple(fc.nat(100), mutated, CHANGES), PROCESSES);
	for (let i = 0; i < samples.length; i += 20) {
		spoiled(samples[i]![2]);
		const before = listing(home, root);
		const jobs = samples.slice(i, i + 20).map(([which, input], n) => () => {
			const [name, , fields] = EVENTS[which % EVENTS.length]!;
			const sound = { session_id: SID, transcript_path: transcript, cwd: project, ...fields };
			return run([process.execPath, "--config=/dev/null", "--no-env-file", join(REPO, `dist/hooks/${name}.js`)], {
				env: { HOME: home, CCG_HOME: root },
				cwd: project,
				// every other one a sound input on the spoiled store
				input: n % 2 ? input : sound,
			});
		});
		for (const { code, err, out } of await inBatches(jobs, 4)) {
			expect([code, err]).toEqual([0, ""]);
			if (out.startsWith("{")) JSON.parse(out);
		}
		expect(
			listing(home, root).filter((path) => !before.includes(path) && !path.includes("/project/.context-checkpoint")),
		).toEqual([]);
	}
}, 300_000);
