/** Files of the store made to stop a hook or a command. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyState } from "../../src/core/state/session-state.ts";
import type { Sandbox } from "../kit/sandbox.ts";
import { COMPACTION, type Hostile, put } from "./limits-fixture.ts";
import { snapshot } from "./limits-lines.ts";

const KB = 1024;
const MB = 1024 * KB;
const inStore = (path: string, content: () => string): Pick<Hostile, "prepare"> => ({
	prepare: (at) => put(join(at.store, path), content()),
});
const ofSession = (name: string, content: (at: Sandbox) => string): Pick<Hostile, "prepare"> => ({
	prepare: (at) => put(join(at.store, "sessions", at.sid, name), content(at)),
});

const nest = (n: number, open = "[", close = "]"): string => open.repeat(n) + close.repeat(n);

const store: Hostile[] = [
	{
		name: "config.json of 15 MB, keys",
		...inStore("config.json", () =>
			JSON.stringify(Object.fromEntries(Array.from({ length: 900_000 }, (_, i) => [`key${i}`, i]))),
		),
		entries: ["pre-compact", "start compact", "pre-tool-use", "statusline", "ccg status"],
	},
	{
		name: "config.json of 15 MB, one key",
		...inStore("config.json", () => JSON.stringify({ nudge: { wording: "x".repeat(15 * MB) } })),
		entries: ["pre-compact", "start compact", "pre-tool-use", "statusline"],
	},
	{
		name: "config.json, nested",
		...inStore("config.json", () => `{"a":${nest(2 * MB)}}`),
		entries: ["pre-compact", "start compact", "statusline", "ccg status"],
	},
	{
		name: "config.json, brackets open",
		...inStore("config.json", () => "[".repeat(8 * MB)),
		entries: ["pre-compact", "start compact", "statusline"],
	},
	{
		name: "observed-triggers.json of 15 MB",
		...inStore("observed-triggers.json", () =>
			JSON.stringify({
				version: 1,
				observed: Object.fromEntries(
					Array.from({ length: 200_000 }, (_, i) => [`m${i}|1|1`, [{ uuid: `u${i}`, preTokens: i }]]),
				),
			}),
		),
		entries: ["pre-compact", "start compact", "post-tool-batch", "statusline"],
	},
	{
		name: "state.json of 15 MB, messages",
		...ofSession("state.json", (at) =>
			snapshot(at, {
				state: {
					messages: Array.from({ length: 150_000 }, (_, i) => ({
						at: "",
						order: i,
						source: "typed",
						text: `m${i} never x`,
						directives: [`m${i} never x`],
					})),
				},
			}),
		),
		entries: COMPACTION,
	},
	{
		name: "state.json of 15 MB, files",
		...ofSession("state.json", (at) =>
			snapshot(at, {
				state: {
					files: Array.from({ length: 200_000 }, (_, i) => ({
						path: `/p/${i}/f.ts`,
						edits: 1,
						reads: 1,
						order: i,
						at: "",
					})),
				},
			}),
		),
		entries: COMPACTION,
	},
	{
		name: "state.json of 15 MB, one message",
		...ofSession("state.json", (at) =>
			snapshot(at, {
				state: { messages: [{ at: "", order: 1, source: "typed", text: "x\n\n".repeat(5 * MB), directives: [] }] },
			}),
		),
		entries: COMPACTION,
	},
	{
		name: "a checkpoint of 15 MB",
		prepare(at) {
			const folder = join(at.store, "sessions", at.sid);
			const key = "precompact_checkpoint_20260102_030405";
			const message = { at: "", source: "typed", text: "<a b> ".repeat(3_000), directives: ["never ".repeat(3_000)] };
			const messages = Array.from({ length: 400 }, (_, order) => ({ ...message, order }));
			const about = { at: "", session: at.sid, trigger: "auto", projectDir: "", transcriptPath: "" };
			const checkpoint = { version: 1, key, ...about, state: { ...emptyState(), messages }, workspace: null };
			put(
				join(folder, "pending.json"),
				JSON.stringify({ version: 1, key, at: "2026-01-02T03:04:05Z", trigger: "auto" }),
			);
			put(join(folder, "checkpoints", `${key}.json`), JSON.stringify(checkpoint));
		},
		entries: ["start compact", "post-compact", "user-prompt-submit", "ccg show s-1"],
		wordless: true,
	},
	{
		name: "state.json, nested",
		...ofSession("state.json", () => `{"version":1,"state":${nest(MB)}}`),
		entries: COMPACTION,
	},
	{
		name: "state.json of 100 MB",
		...ofSession("state.json", () => `{"x":"${"y".repeat(100 * MB)}"}`),
		entries: COMPACTION,
	},
	{
		name: "events.jsonl of 100 MB",
		...ofSession("events.jsonl", () =>
			`${JSON.stringify({ v: 1, at: "2026-01-02T03:04:05.000Z", id: "a", kind: "zone", from: "calm", zone: "watch", tokens: 1, distance: 1 })}\n`.repeat(
				860_000,
			),
		),
		entries: ["stop", "session-end", "ccg sessions show s-1"],
		wordless: true,
	},
	{
		name: "events.jsonl of one line of 100 MB",
		...ofSession("events.jsonl", () => "x".repeat(100 * MB)),
		entries: ["stop", "session-end"],
		wordless: true,
	},
	{
		name: "events.jsonl of background records",
		...ofSession("events.jsonl", () =>
			Array.from({ length: 60_000 }, (_, i) =>
				JSON.stringify({
					v: 1,
					at: "2026-01-02T03:04:05.000Z",
					id: `b${i}`,
					kind: "background",
					tasks: [
						{ id: `t${i}`, kind: "shell", description: "d", status: "running", output: "", started_at: 0, seen_at: 0 },
					],
				}),
			)
				.join("\n")
				.concat("\n"),
		),
		entries: ["stop", "session-end"],
		wordless: true,
	},
	{
		name: "state.json of 15 MB, facts nested",
		...ofSession("state.json", () => `{"version":1,"session_id":"s-1","facts":${nest(2 * MB)}}`),
		entries: ["stop", "session-end"],
		wordless: true,
	},
	{
		name: "state.json of 15 MB, facts",
		...ofSession("state.json", (at) => snapshot(at, { facts: Array.from({ length: 700_000 }, (_, i) => `fact ${i}`) })),
		entries: ["stop", "session-end", "ccg sessions show s-1"],
		wordless: true,
	},
	{
		name: "usage.json of 15 MB",
		...ofSession("usage.json", () => JSON.stringify({ version: 1, cwd: "x".repeat(15 * MB) })),
		entries: ["statusline", "pre-tool-use", "ccg status"],
		wordless: true,
	},
	{
		name: "chosen profile of 15 MB",
		prepare(at) {
			put(join(at.store, "profiles", ".in-use"), "");
			put(
				join(at.store, "sessions", at.sid, "profile.json"),
				JSON.stringify({
					version: 1,
					name: "big",
					config: Object.fromEntries(Array.from({ length: 900_000 }, (_, i) => [`k${i}`, i])),
				}),
			);
		},
		entries: ["pre-compact", "start compact", "statusline"],
	},
	{
		name: "a pending record of 15 MB",
		...ofSession("pending.json", () =>
			JSON.stringify({
				version: 1,
				key: "precompact_checkpoint_20260102_030405",
				at: "x".repeat(15 * MB),
				trigger: "auto",
			}),
		),
		entries: ["start compact", "user-prompt-submit"],
	},
	{
		name: "a session's folder of 20,000 files",
		prepare(at) {
			const folder = join(at.store, "sessions", at.sid);
			mkdirSync(folder, { recursive: true });
			for (let i = 0; i < 20_000; i++) writeFileSync(join(folder, `.x${i}.tmp`), "");
		},
		entries: [...COMPACTION, "stop"],
	},
	{
		name: "20,000 files in observed-later",
		prepare(at) {
			const folder = join(at.store, "observed-later");
			mkdirSync(folder, { recursive: true });
			for (let i = 0; i < 20_000; i++)
				writeFileSync(join(folder, `${i}.json`), `{"version":1,"key":"k","seen":[{"uuid":"u${i}","preTokens":1}]}`);
		},
		entries: ["post-tool-batch", "pre-compact", "start compact"],
	},
	{
		name: "20,000 markers",
		prepare(at) {
			const folder = join(at.store, "run", "flush");
			mkdirSync(folder, { recursive: true });
			for (let i = 0; i < 20_000; i++) writeFileSync(join(folder, `s${i}`), "");
		},
		entries: ["pre-tool-use", "start startup", "statusline"],
		wordless: true,
	},
	{
		name: "2,000 sessions",
		prepare(at) {
			for (let i = 0; i < 2_000; i++)
				put(
					join(at.store, "sessions", `s${i}`, "usage.json"),
					`{"version":1,"at":"2026-01-02T03:04:05.000Z","cwd":"/x"}`,
				);
		},
		entries: ["ccg status", "ccg sessions list"],
		wordless: true,
	},
	{
		name: "task state of 15 MB",
		...ofSession("task-state.json", () => JSON.stringify({ version: 1, goal: "x".repeat(15 * MB) })),
		entries: ["ccg task status", "ccg status", "pre-tool-use"],
		wordless: true,
	},
	{
		name: "task state, nested",
		...ofSession("task-state.json", () => `{"version":1,"goal":${nest(MB)}}`),
		entries: ["ccg task status", "ccg status"],
		wordless: true,
	},
	{
		name: "task summary of 15 MB",
		...ofSession("summaries/latest-summary.md", () => "- a\n".repeat(4 * MB)),
		entries: ["ccg task status"],
		wordless: true,
	},
];

export const STORE: readonly Hostile[] = store;
