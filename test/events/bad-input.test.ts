import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sessionFields } from "../../src/doctor/sandbox.ts";
import { logPath } from "../../src/store/paths.ts";
import { Transcript } from "../kit/events.ts";
import { fifo } from "../kit/process.ts";
import { inBatches, LAUNCHER, linesOf, listing, type Run, run, type Sandbox, sandbox } from "../kit/sandbox.ts";

const HOOKS = {
	"session-start": { hook_event_name: "SessionStart", source: "compact" },
	"pre-tool-use": { hook_event_name: "PreToolUse", tool_name: "Bash" },
	"post-tool-batch": { hook_event_name: "PostToolUse" },
	"pre-compact": { hook_event_name: "PreCompact", trigger: "auto" },
	"user-prompt-submit": { hook_event_name: "UserPromptSubmit", prompt: "go on" },
	stop: { hook_event_name: "Stop", background_tasks: [{ id: 7 }, null], session_crons: [] },
	"subagent-stop": { hook_event_name: "SubagentStop", agent_type: "Explore", last_assistant_message: "Done." },
	"session-end": { hook_event_name: "SessionEnd", reason: "other" },
} as const;
type Hook = keyof typeof HOOKS;
const READS_TRANSCRIPT: Hook[] = ["session-start", "post-tool-batch", "pre-compact", "stop"];
const STATUS = {
	model: { id: "claude-sonnet-4-6", display_name: "Sonnet" },
	context_window: { context_window_size: 200_000, current_usage: { input_tokens: 150_000 } },
};

/** A sandbox for one run. The home lies beside the store's parent, so that nothing else is written unseen. */
function fixture(): Sandbox {
	const made = sandbox("bad");
	new Transcript(made.project).typed("Never push.").boundary().usage(150_000).write(made.transcript);
	return { ...made, env: { HOME: made.home } };
}

const good = (at: Sandbox, fields: object): object => ({ ...sessionFields(at), ...fields });

/** Inputs no event can use. */
const BAD: [name: string, make: (at: Sandbox, fields: object) => string | Uint8Array | object][] = [
	["empty", () => ""],
	["truncated JSON", (at, fields) => JSON.stringify(good(at, fields)).slice(0, -9)],
	["no JSON", () => "what is this?\n"],
	["a JSON array", (at, fields) => [good(at, fields)]],
	["JSON null", () => "null"],
	["a foreign object", () => ({ hello: "at" })],
	["a session id that leads elsewhere", (at, fields) => good(at, { ...fields, session_id: "../../x" })],
	["a session id of another type", (at, fields) => good(at, { ...fields, session_id: ["s-1"] })],
	["10 MB", (at, fields) => good(at, { ...fields, tool_input: { content: "x".repeat(10 * 1024 * 1024) } })],
	["invalid UTF-8", () => Buffer.from([...Buffer.from('{"session_id":"s-'), 0xff, 0xc0, ...Buffer.from('"}')])],
	["NUL bytes", () => new Uint8Array(1000)],
];

/** Transcripts that can't be read. */
const TRANSCRIPTS: [name: string, make: (at: Sandbox) => string][] = [
	["missing", ({ top }) => join(top, "none.jsonl")],
	["below a file", ({ transcript }) => join(transcript, "x.jsonl")],
	[
		"a FIFO",
		({ top }) => {
			fifo(join(top, "fifo"));
			return join(top, "fifo");
		},
	],
	["a folder", ({ top }) => top],
	["/dev/zero", () => "/dev/zero"],
];

interface Case {
	name: string;
	part: Hook | "statusline";
	at: Sandbox;
	before: string[];
	input: string | Uint8Array | object;
}

function caseOf(name: string, part: Case["part"], make: (at: Sandbox, fields: object) => Case["input"]): Case {
	const made = fixture();
	const input = make(made, part === "statusline" ? STATUS : HOOKS[part]);
	return { name: `${part}: ${name}`, part, at: made, input, before: listing(made.top, made.store) };
}

function start({ part, at, input }: Case, env = at.env): Promise<Run> {
	const args = part === "statusline" ? [part] : ["hook", part];
	return run([LAUNCHER, ...args], { env, cwd: at.project, input });
}

const runAll = (cases: Case[]) => inBatches(cases.map((one) => async () => ({ one, run: await start(one) })));

const hooks = Object.keys(HOOKS) as Hook[];

describe("hooks", () => {
	test("an input nobody can use: silence and one line in the log", async () => {
		const cases = hooks.flatMap((part) => BAD.map(([name, make]) => caseOf(name, part, make)));
		for (const { one, run } of await runAll(cases)) {
			expect({ name: one.name, ...run }).toEqual({ name: one.name, code: 0, out: "", err: "" });
			expect(linesOf(logPath(one.at.store)), one.name).toHaveLength(1);
			expect(listing(one.at.top, one.at.store), one.name).toEqual(one.before);
		}
	});

	test("a transcript that can't be read: silence and one line in the log; where there is none, a compaction's", async () => {
		const cases = READS_TRANSCRIPT.flatMap((part) =>
			TRANSCRIPTS.map(([name, make]) =>
				caseOf(name, part, (at, fields) => good(at, { ...fields, transcript_path: make(at) })),
			),
		);
		for (const { one, run } of await runAll(cases)) {
			expect({ name: one.name, ...run }).toEqual({ name: one.name, code: 0, out: "", err: "" });
			const isUsual = /^(?:post-tool-batch|stop): (?:missing|below a file)$/.test(one.name);
			expect(linesOf(logPath(one.at.store)), one.name).toEqual(isUsual ? [] : [expect.stringContaining("s-1")]);
			expect(listing(one.at.top, one.at.store), one.name).toEqual(one.before);
		}
	});

	test("without a writable store: one line on stderr", async () => {
		const jobs = hooks.flatMap((part) => {
			const usable = caseOf("usable", part, good);
			const foreign = caseOf("foreign", part, () => ({ hello: "at" }));
			return [
				{ one: usable, env: { ...usable.at.env, HOME: usable.at.transcript }, lines: part === "pre-tool-use" ? 0 : 1 },
				{ one: usable, env: {}, lines: 1 },
				{ one: foreign, env: { ...foreign.at.env, HOME: usable.at.transcript }, lines: 1 },
				{ one: foreign, env: {}, lines: 1 },
			];
		});
		const runs = await inBatches(jobs.map((job) => async () => ({ ...job, run: await start(job.one, job.env) })));
		for (const { one, lines, run } of runs) {
			expect({ name: one.name, code: run.code, out: run.out }).toEqual({ name: one.name, code: 0, out: "" });
			expect(run.err, one.name).toMatch(lines ? /^ccg [^\n]+\n$/ : /^$/);
			expect(listing(one.at.top, one.at.store), one.name).toEqual(one.before);
		}
	});
});

describe("status line", () => {
	test("whatever it is given, it prints one line", async () => {
		const cases = [
			caseOf("usable", "statusline", good),
			...BAD.map(([name, make]) => caseOf(name, "statusline", make)),
			...TRANSCRIPTS.map(([name, make]) =>
				caseOf(name, "statusline", (at, fields) => good(at, { ...fields, transcript_path: make(at) })),
			),
			...(["model", "context_window", "workspace", "cwd", "version"] as const).flatMap((field) =>
				[null, 7, "x", [1], {}].map((value) =>
					caseOf(`${field} ${JSON.stringify(value)}`, "statusline", (at, fields) =>
						good(at, { ...fields, [field]: value }),
					),
				),
			),
		];
		for (const { one, run } of await runAll(cases)) {
			expect({ name: one.name, code: run.code, err: run.err }).toEqual({ name: one.name, code: 0, err: "" });
			expect(run.out, one.name).toMatch(/^[^\n]+\n$/);
			expect(listing(one.at.top, one.at.store), one.name).toEqual(one.before);
		}
	});

	test("without a writable store: its line, and one on stderr", async () => {
		const one = caseOf("usable", "statusline", good);
		const envs: Record<string, string>[] = [{ HOME: one.at.transcript }, {}];
		for (const { code, out, err } of await Promise.all(envs.map((env) => start(one, env)))) {
			expect(code).toBe(0);
			expect(out).toMatch(/^[^\n]+\n$/);
			expect(err).toMatch(/^ccg [^\n]+\n$/);
		}
		expect(listing(one.at.top, one.at.store)).toEqual(one.before);
	});
});
