import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compactSnapshot } from "../../../src/core/context/compact.ts";
import { DOCUMENT_RULES } from "../../../src/core/context/compaction-rules.ts";
import { sessionContext } from "../../../src/core/context/project.ts";
import { emptySnapshot, type SessionSnapshot } from "../../../src/core/context/session-context.ts";
import { RULES_VERSION } from "../../../src/core/redact/rules-version.ts";
import { emptyState } from "../../../src/core/state/session-state.ts";
import { sessionPaths } from "../../../src/store/paths.ts";
import { deleteSession } from "../../../src/store/session/delete-session.ts";
import { appendRecord } from "../../../src/store/session/event-log.ts";
import {
	listSessions,
	loadSnapshot,
	readSnapshot,
	saveSnapshot,
	updateSnapshot,
} from "../../../src/store/session/session-snapshot.ts";
import { sessionAt } from "../../../src/store/session-handle.ts";
import { afterLate, afterLines, begun } from "../../kit/applied.ts";
import { startBun } from "../../kit/process.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

const NOW = new Date("2026-03-01T10:00:00Z");
const at = NOW.toISOString();

/** A snapshot with something in every field. */
function rich(): SessionSnapshot {
	const call = (
		id: string,
		tool: string,
		input: Record<string, unknown>,
		text: string,
		failed = false,
		detail: unknown = null,
	) => [
		{ kind: "call" as const, at, id, tool, input },
		{ kind: "result" as const, at, id, failed, text, detail },
	];
	const lines = afterLines(begun("s", 1), [
		{
			pos: 0,
			uuid: "u",
			events: [
				{ kind: "place", cwd: "/p", branch: "main", version: "2.1.329" },
				{ kind: "message", at, text: "Never push.", source: "typed" },
				{ kind: "usage", messageId: "m", model: "opus", tokens: 5, input: 5, output: 2 },
				...call("1", "TodoWrite", { todos: [{ content: "a", status: "in_progress" }] }, "ok"),
				...call(
					"2",
					"ExitPlanMode",
					{ plan: "# P\n1. a" },
					"The user doesn't want to proceed with this tool use.",
					true,
				),
				...call(
					"3",
					"Bash",
					{ command: "serve", run_in_background: true },
					"Command running in background with ID: b1",
				),
				{ kind: "call", at, id: "4", tool: "TaskCreate", input: { subject: "open" } },
				{ kind: "boundary", at, uuid: "b", trigger: "auto", preTokens: 9, postTokens: null },
			],
		},
	]);
	const background = {
		id: "b0",
		kind: "shell",
		description: "d",
		status: "running",
		output: "",
		started_at: 0,
		seen_at: 0,
	};
	const listed = afterLate(lines, [
		{ v: 1, id: "l", at: "2026-03-01T09:00:00Z", kind: "background", tasks: [{ ...background, status: "running" }] },
	]);
	const { snapshot } = afterLines(listed, [
		{ pos: 9, uuid: "v", events: [{ kind: "ended", at, id: "b0", status: "completed" }] },
	]);
	return {
		...snapshot,
		cursor: {
			transcript_path: "/t",
			transcript_offset: 9,
			transcript_last: [{ uuid: "u", parent: null, kind: "prompt" }],
			event_log_offset: 0,
		},
		long_term_summary: "x",
		summarised: { rounds: 1, entries: 2, tokens: 3, left_out: { rounds: 1, entries: 1, from: 1, to: 2 } },
		last_known_environment: {
			captured_at: 1,
			workspace: "/p",
			git: { branch: "main" },
			processes: [{ pid: 1, name: "x", cpu_percent: 0, memory_mb: 1 }],
		},
	};
}

test("created when absent, then the same as was saved", () => {
	const root = scratch();
	expect(loadSnapshot(sessionAt(storeAt(root), "s"), NOW)).toEqual(emptySnapshot("s", NOW.getTime() / 1000));
	expect(existsSync(sessionPaths(root, "s").folder)).toBe(false);
	saveSnapshot(sessionAt(storeAt(root), "s"), rich());
	expect(loadSnapshot(sessionAt(storeAt(root), "s"), NOW)).toEqual({ ...rich(), redacted_by: RULES_VERSION });
	expect(statSync(sessionPaths(root, "s").state).mode & 0o777).toBe(0o600);
});

test("no field is there for credentials", () => {
	const names: string[] = [];
	const walk = (value: unknown): void => {
		if (value === null || typeof value !== "object") return;
		for (const [name, inner] of Object.entries(value)) {
			names.push(name);
			walk(inner);
		}
	};
	walk(rich());
	expect(names.length).toBeGreaterThan(60);
	expect(names.filter((name) => /oauth|secret|password|credential|api_?key|_token$|auth/i.test(name))).toEqual([]);
});

test.each([
	["empty", ""],
	["torn", '{"version":1,"session_id":"s","facts":["a'],
	["of another shape", '{"version":1,"session_id":"s","facts":"none"}'],
	["foreign", "[]"],
])("a file that is %s is quarantined, and the last good version counts", (_, text) => {
	const root = scratch();
	saveSnapshot(sessionAt(storeAt(root), "s"), { ...rich(), long_term_summary: "one" });
	saveSnapshot(sessionAt(storeAt(root), "s"), { ...rich(), long_term_summary: "two" });
	const { state: context, folder } = sessionPaths(root, "s");
	writeFileSync(context, text);
	const problems: string[] = [];
	const session = sessionAt(
		storeAt(root, ({ text }) => problems.push(text)),
		"s",
	);
	expect(loadSnapshot(session, NOW).long_term_summary).toBe("one");
	expect(problems).toEqual([expect.stringContaining(context)]);
	expect(readdirSync(folder).filter((name) => name.includes("damaged"))).toHaveLength(1);
});

test.each([
	["newer", '{"version":2}', "newer ccg"],
	["of another session", JSON.stringify({ ...emptySnapshot("other", 1) }), "of session other"],
])("a file that is %s is left alone", (_, text, problem) => {
	const root = scratch();
	const { state: context } = sessionPaths(root, "s");
	mkdirSync(dirname(context), { recursive: true });
	writeFileSync(context, text);
	expect(() => updateSnapshot(sessionAt(storeAt(root), "s"), NOW, () => {})).toThrow(problem);
	expect(readFileSync(context, "utf8")).toBe(text);
});

test("mutated files: a usable context, or the reason why the file is left alone", () => {
	const root = scratch();
	const text = JSON.stringify(rich());
	const { state: context } = sessionPaths(root, "s");
	mkdirSync(dirname(context), { recursive: true });
	const change = fc.record({
		at: fc.nat(text.length),
		cut: fc.nat(40),
		put: fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom("null", "{}", "[", "-1", '"x"', "\u0000")),
	});
	fc.assert(
		fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
			let mutated = text;
			for (const { at, cut, put } of changes) mutated = mutated.slice(0, at) + put + mutated.slice(at + cut);
			writeFileSync(context, mutated);
			try {
				const loaded = loadSnapshot(sessionAt(storeAt(root), "s"), NOW);
				expect(loaded.session_id).toBe("s");
				compactSnapshot(loaded, DOCUMENT_RULES, 1);
				saveSnapshot(sessionAt(storeAt(root), "s"), loaded);
				expect(readSnapshot(sessionAt(storeAt(root), "s"), NOW).found).toBe("good");
			} catch (error) {
				expect((error as { code?: string }).code).toBe("EUNUSABLE");
				expect(readFileSync(context, "utf8")).toBe(Buffer.from(mutated).toString("utf8"));
			}
		}),
		{ numRuns: 1_000 },
	);
});

test("what was written without the lock is in it once", () => {
	const root = scratch();
	const task = {
		id: "b9",
		kind: "shell",
		description: "d",
		status: "running" as const,
		output: "",
		started_at: 0,
		seen_at: 0,
	};
	saveSnapshot(sessionAt(storeAt(root), "s"), rich());
	appendRecord(sessionAt(storeAt(root), "s"), NOW, { kind: "background", tasks: [task] });
	updateSnapshot(sessionAt(storeAt(root), "s"), NOW, () => {});
	expect(
		sessionContext(loadSnapshot(sessionAt(storeAt(root), "s"), NOW)).background_tasks.map(({ id, status }) => [
			id,
			status,
		]),
	).toEqual([
		["b0", "ended"],
		["b1", "ended"],
		["b9", "running"],
	]);
	updateSnapshot(sessionAt(storeAt(root), "s"), NOW, (snapshot) =>
		Object.assign(snapshot, { ended_tasks: [], state: emptyState() }),
	);
	expect(sessionContext(loadSnapshot(sessionAt(storeAt(root), "s"), NOW)).background_tasks).toEqual([]);
});

test("one writer at a time: 12 processes adding to one context lose nothing", async () => {
	const root = scratch();
	const module = join(import.meta.dirname, "../../../src/store/session/session-snapshot.ts");
	const file = join(root, "writer.ts");
	writeFileSync(
		file,
		`import { updateSnapshot } from ${JSON.stringify(module)};
import { sessionAt } from ${JSON.stringify(join(module, "../../session-handle.ts"))};
for (let i = 0; i < 5; i++)
	updateSnapshot(sessionAt({ root: ${JSON.stringify(root)}, tell() {} }, "s"), new Date(), (snapshot) => { snapshot.facts.push(process.argv[2] + "-" + i); }, { waitMs: 15_000 });`,
	);
	const writers = Array.from({ length: 12 }, (_, n) => startBun([file, String(n)]));
	expect(await Promise.all(writers.map(async (writer) => (await writer).exitCode))).toEqual(Array(12).fill(0));
	expect(new Set(loadSnapshot(sessionAt(storeAt(root), "s"), NOW).facts).size).toBe(60);
});

test("list and delete: everything of the session goes, nothing of another", () => {
	const root = scratch();
	expect(listSessions(root)).toEqual([]);
	for (const sid of ["a", "b"]) saveSnapshot(sessionAt(storeAt(root), sid), emptySnapshot(sid, 1));
	mkdirSync(join(root, "sessions", "not a session"), { recursive: true });
	const { marker, contextLock } = sessionPaths(root, "a");
	mkdirSync(dirname(marker), { recursive: true });
	writeFileSync(marker, "");
	for (const sid of ["a", "b"]) updateSnapshot(sessionAt(storeAt(root), sid), NOW, () => {});
	expect(existsSync(contextLock)).toBe(true);
	expect(listSessions(root)).toEqual(["a", "b"]);
	expect(deleteSession(sessionAt(storeAt(root), "a"))).toBe(true);
	expect(deleteSession(sessionAt(storeAt(root), "a"))).toBe(false);
	expect(existsSync(marker)).toBe(false);
	expect(readdirSync(dirname(contextLock))).toEqual(["b.lock"]);
	expect(listSessions(root)).toEqual(["b"]);
	expect(readSnapshot(sessionAt(storeAt(root), "b"), NOW).found).toBe("good");
});
