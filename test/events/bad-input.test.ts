import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionFields } from "../../src/doctor/sandbox.ts";
import { logPath } from "../../src/store/paths.ts";
import { Transcript } from "../kit/events.ts";
import { fifo } from "../kit/process.ts";
import { inBatches, LAUNCHER, linesOf, listing, run, type Sandbox, sandbox } from "../kit/sandbox.ts";

const HOOKS = {
	"session-start": { hook_event_name: "SessionStart", source: "compact" },
	"pre-tool-use": { hook_event_name: "PreToolUse", tool_name: "Bash" },
	"post-tool-use": { hook_event_name: "PostToolUse" },
	"pre-compact": { hook_event_name: "PreCompact", trigger: "auto" },
	"user-prompt-submit": { hook_event_name: "UserPromptSubmit", prompt: "go on" },
	stop: { hook_event_name: "Stop", background_tasks: [{ id: 7 }, null], session_crons: [] },
	"subagent-stop": { hook_event_name: "SubagentStop", agent_type: "Explore", last_assistant_message: "Done." },
	"session-end": { hook_event_name: "SessionEnd", reason: "other" },
} as const;
type Hook = keyof typeof HOOKS;
const ALL = Object.keys(HOOKS) as Hook[];
const STATUS = {
	model: { id: "claude-sonnet-4-6", display_name: "Sonnet" },
	context_window: { context_window_size: 200_000, current_usage: { input_tokens: 150_000 } },
};

type Input = string | Uint8Array | object;
/** An input, made of where it runs and the usual fields of its event. */
type Make = (at: Sandbox, fields: object) => Input;

const USABLE: Make = (_, fields) => fields;

/** Inputs no event can use. */
const BAD: Record<string, Make> = {
	empty: () => "",
	"truncated JSON": (_, fields) => JSON.stringify(fields).slice(0, -9),
	"no JSON": () => "what is this?\n",
	"a JSON array": (_, fields) => [fields],
	"JSON null": () => "null",
	"a foreign object": () => ({ hello: "at" }),
	"a session id that leads elsewhere": (_, fields) => ({ ...fields, session_id: "../../x" }),
	"a session id of another type": (_, fields) => ({ ...fields, session_id: ["s-1"] }),
	"10 MB": (_, fields) => ({ ...fields, tool_input: { content: "x".repeat(10 * 1024 * 1024) } }),
	"invalid UTF-8": () => Buffer.from([...Buffer.from('{"session_id":"s-'), 0xff, 0xc0, ...Buffer.from('"}')]),
	"NUL bytes": () => new Uint8Array(1000),
};

const withTranscript =
	(pathIn: (at: Sandbox) => string): Make =>
	(at, fields) => ({ ...fields, transcript_path: pathIn(at) });

/** Transcripts that can't be read. */
const UNREADABLE: Record<string, Make> = {
	missing: withTranscript(({ top }) => join(top, "none.jsonl")),
	"below a file": withTranscript(({ transcript }) => join(transcript, "x.jsonl")),
	"a FIFO": withTranscript(({ top }) => {
		fifo(join(top, "fifo"));
		return join(top, "fifo");
	}),
	"a folder": withTranscript(({ top }) => top),
	"/dev/zero": withTranscript(() => "/dev/zero"),
};

type Env = Record<string, string>;
/** The home lies beside the store's parent, so that nothing else is written unseen. */
const inItsHome = ({ home }: Sandbox): Env => ({ HOME: home });

/** Runs each part with each input in a sandbox of its own, a few at a time; nothing outside the store may be written. */
async function runEach(parts: readonly (Hook | "statusline")[], inputs: Record<string, Make>, envOf = inItsHome) {
	const cases = parts.flatMap((part) => Object.entries(inputs).map(([name, make]) => ({ part, name, make })));
	return inBatches(
		cases.map(({ part, name, make }) => async () => {
			const at = sandbox("bad");
			new Transcript(at.project).typed("Never push.").boundary().usage(150_000).write(at.transcript);
			const own = part === "statusline" ? STATUS : HOOKS[part];
			const input = make(at, { ...sessionFields(at), ...own });
			const before = listing(at.top, at.store);
			const words = part === "statusline" ? [part] : ["hook", part];
			const ran = await run([LAUNCHER, ...words], { env: envOf(at), cwd: at.project, input });
			const about = `${part}: ${name}`;
			expect(listing(at.top, at.store), about).toEqual(before);
			return { about, ...ran, log: linesOf(logPath(at.store)) };
		}),
	);
}

test("hooks, of an input nobody can use: silence and one line in the log", async () => {
	for (const { about, ...ran } of await runEach(ALL, BAD))
		expect({ about, ...ran }).toEqual({ about, code: 0, out: "", err: "", log: [expect.any(String)] });
});

test("of a transcript that can't be read: silence and one line in the log; where there is none, a compaction's", async () => {
	for (const { about, ...ran } of await runEach(
		["session-start", "post-tool-use", "pre-compact", "stop"],
		UNREADABLE,
	)) {
		const isUsual = /^(?:post-tool-use|stop): (?:missing|below a file)$/.test(about);
		const log = isUsual ? [] : [expect.stringContaining("s-1")];
		expect({ about, ...ran }).toEqual({ about, code: 0, out: "", err: "", log });
	}
});

const inFile = ({ transcript }: Sandbox): Env => ({ HOME: transcript });
const NO_STORE = [inFile, (): Env => ({})];

test("without a writable store: one line on stderr", async () => {
	for (const envOf of NO_STORE)
		for (const { about, code, out, err } of await runEach(
			ALL,
			{ usable: USABLE, foreign: BAD["a foreign object"]! },
			envOf,
		)) {
			expect({ about, code, out }).toEqual({ about, code: 0, out: "" });
			const isIdle = envOf === inFile && about === "pre-tool-use: usable";
			expect(err, about).toMatch(isIdle ? /^$/ : /^ccg [^\n]+\n$/);
		}
});

test("the status line prints one line whatever it is given; without a writable store one on stderr too", async () => {
	const odd = ["model", "context_window", "workspace", "cwd", "version"].flatMap((field) =>
		[null, 7, "x", [1], {}].map((value): [string, Make] => [
			`${field} ${JSON.stringify(value)}`,
			(_, fields) => ({ ...fields, [field]: value }),
		]),
	);
	const inputs = { usable: USABLE, ...BAD, ...UNREADABLE, ...Object.fromEntries(odd) };
	for (const { about, code, out, err } of await runEach(["statusline"], inputs)) {
		expect({ about, code, err }).toEqual({ about, code: 0, err: "" });
		expect(out, about).toMatch(/^[^\n]+\n$/);
	}
	for (const envOf of NO_STORE)
		for (const { code, out, err } of await runEach(["statusline"], { usable: USABLE }, envOf)) {
			expect(code).toBe(0);
			expect([out, err]).toEqual([expect.stringMatching(/^[^\n]+\n$/), expect.stringMatching(/^ccg [^\n]+\n$/)]);
		}
});
