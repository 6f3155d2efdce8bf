import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compact } from "../../../src/core/context/compact.ts";
import { DOCUMENT_RULES } from "../../../src/core/context/compaction-rules.ts";
import { foldLines } from "../../../src/core/context/fold.ts";
import { emptyContext, type SessionContext } from "../../../src/core/context/session-context.ts";
import { sessionPaths } from "../../../src/store/paths.ts";
import { appendRecord } from "../../../src/store/session/event-log.ts";
import {
	deleteSession,
	listContexts,
	loadContext,
	readContext,
	saveContext,
	updateContext,
} from "../../../src/store/session/session-context.ts";
import { scratch } from "../../scratch-home.ts";

const NOW = new Date("2026-03-01T10:00:00Z");
const at = NOW.toISOString();

/** A context with something in every field, as a fold makes it. */
function rich(): SessionContext {
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
	const { context } = foldLines(emptyContext("s", 1), [
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
	return {
		...context,
		long_term_summary: "x",
		folded: { folds: 1, entries: 2, tokens: 3, left_out: { folds: 1, entries: 1, from: 1, to: 2 } },
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
	expect(loadContext(root, "s", NOW)).toEqual(emptyContext("s", NOW.getTime() / 1000));
	expect(existsSync(sessionPaths(root, "s").folder)).toBe(false);
	saveContext(root, rich());
	expect(loadContext(root, "s", NOW)).toEqual(rich());
	expect(statSync(sessionPaths(root, "s").context).mode & 0o777).toBe(0o600);
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
])("a file that is %s is kept aside, and the last good version counts", (_, text) => {
	const root = scratch();
	saveContext(root, { ...rich(), long_term_summary: "one" });
	saveContext(root, { ...rich(), long_term_summary: "two" });
	const { context, folder } = sessionPaths(root, "s");
	writeFileSync(context, text);
	const problems: string[] = [];
	expect(loadContext(root, "s", NOW, (problem) => problems.push(problem)).long_term_summary).toBe("one");
	expect(problems).toEqual([expect.stringContaining(context)]);
	expect(readdirSync(folder).filter((name) => name.includes("damaged"))).toHaveLength(1);
});

test.each([
	["newer", '{"version":2}', "newer ccg"],
	["of another session", JSON.stringify({ ...emptyContext("other", 1) }), "of session other"],
])("a file that is %s is left alone", (_, text, problem) => {
	const root = scratch();
	const { context } = sessionPaths(root, "s");
	mkdirSync(dirname(context), { recursive: true });
	writeFileSync(context, text);
	expect(() => updateContext(root, "s", NOW, (one) => one)).toThrow(problem);
	expect(readFileSync(context, "utf8")).toBe(text);
});

test("mutated files: a usable context, or the reason why the file is left alone", () => {
	const root = scratch();
	const text = JSON.stringify(rich());
	const { context } = sessionPaths(root, "s");
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
				const loaded = loadContext(root, "s", NOW);
				expect(loaded.session_id).toBe("s");
				saveContext(root, compact(loaded, DOCUMENT_RULES, 1).context);
				expect(readContext(root, "s", NOW).found).toBe("good");
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
	saveContext(root, rich());
	appendRecord(root, "s", NOW, { kind: "background", tasks: [task] });
	const first = updateContext(root, "s", NOW, (context) => context)!;
	expect(first.background_tasks.map(({ id, status }) => [id, status])).toEqual([
		["b1", "ended"],
		["b9", "running"],
	]);
	updateContext(root, "s", NOW, (context) => ({ ...context, background_tasks: [] }));
	expect(loadContext(root, "s", NOW).background_tasks).toEqual([]);
});

test("one writer at a time: 12 processes adding to one context lose nothing", async () => {
	const root = scratch();
	const module = join(import.meta.dirname, "../../../src/store/session/session-context.ts");
	const file = join(root, "writer.ts");
	writeFileSync(
		file,
		`import { updateContext } from ${JSON.stringify(module)};
for (let i = 0; i < 5; i++)
	updateContext(${JSON.stringify(root)}, "s", new Date(), (context) => ({ ...context, facts: [...context.facts, process.argv[2] + "-" + i] }), { waitMs: 15_000 });`,
	);
	const writers = Array.from({ length: 12 }, (_, n) =>
		spawn(process.execPath, ["--config=/dev/null", "--no-env-file", file, String(n)], { stdio: "inherit" }),
	);
	expect(await Promise.all(writers.map(async (writer) => (await once(writer, "exit"))[0]))).toEqual(Array(12).fill(0));
	expect(new Set(loadContext(root, "s", NOW).facts).size).toBe(60);
});

test("list and delete: everything of the session goes, nothing of another", () => {
	const root = scratch();
	expect(listContexts(root)).toEqual([]);
	for (const sid of ["a", "b"]) saveContext(root, emptyContext(sid, 1));
	mkdirSync(join(root, "sessions", "not a session"), { recursive: true });
	const { marker, contextLock } = sessionPaths(root, "a");
	mkdirSync(dirname(marker), { recursive: true });
	writeFileSync(marker, "");
	for (const sid of ["a", "b"]) updateContext(root, sid, NOW, (context) => context);
	expect(existsSync(contextLock)).toBe(true);
	expect(listContexts(root)).toEqual(["a", "b"]);
	expect(deleteSession(root, "a")).toBe(true);
	expect(deleteSession(root, "a")).toBe(false);
	expect(existsSync(marker)).toBe(false);
	expect(readdirSync(dirname(contextLock))).toEqual(["b.lock"]);
	expect(listContexts(root)).toEqual(["b"]);
	expect(readContext(root, "b", NOW).found).toBe("good");
});
