import { execFileSync } from "node:child_process";
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { postToolBatch } from "../../src/events/post-tool-batch.ts";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import type { EventHandler, Services } from "../../src/events/run/event.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { stop } from "../../src/events/stop.ts";
import { catalog } from "../../src/install/catalog.ts";
import { loadConfig } from "../../src/store/config/config.ts";
import { sessionPaths } from "../../src/store/paths.ts";
import { markerState } from "../../src/store/pressure/marker.ts";
import { readCommitted, readPending } from "../../src/store/recovery/pending.ts";
import { sessionProject } from "../../src/store/session/session-project.ts";
import { readSessions } from "../../src/store/status/session-status.ts";
import { scratch } from "../scratch-home.ts";
import { inBatches, LAUNCHER, listing, run } from "./run-entry.ts";
import { Transcript } from "./transcript-builder.ts";

/** claude-sonnet-4-6 has a window of 200,000: it compacts at 167,000, the marker is due from 130,000. */
const DUE = 131_000;
const MINUTE = 60_000;

let top: string;
let home: string;
let project: string;
let store: string;
let path: string;
let env: Record<string, string>;
let now: Date;
let failures: unknown[];

beforeEach(() => {
	top = scratch("chain");
	home = join(top, "home");
	project = join(top, "project");
	store = join(home, ".claude-memory");
	path = join(top, "transcript.jsonl");
	for (const folder of [home, project]) mkdirSync(folder);
	env = { HOME: home };
	now = new Date();
	failures = [];
});

/** One event, as Claude Code would send it for the session `sid`. */
function send(handler: EventHandler, fields: Record<string, string> = {}): string | null {
	const input = { session_id: "s-1", transcript_path: path, cwd: project, ...fields };
	const services: Services = {
		env,
		root: store,
		config: loadConfig(store).config,
		now,
		launcher: "/opt/ccg/bin/ccg",
		log: (reason) => failures.push(reason),
	};
	return handler(input, services);
}

/** The text that a SessionStart or a PreToolUse gives the model. */
function given(answer: string | null, event = "SessionStart"): string | null {
	if (answer === null) return null;
	const { hookSpecificOutput, ...rest } = JSON.parse(answer);
	expect(rest).toEqual({});
	expect(Object.keys(hookSpecificOutput)).toEqual(["hookEventName", "additionalContext"]);
	expect(hookSpecificOutput.hookEventName).toBe(event);
	return hookSpecificOutput.additionalContext;
}

const start = (source: string, fields = {}): string | null => given(send(sessionStart, { source, ...fields }));
const later = (minutes: number): Date => {
	now = new Date(now.getTime() + minutes * MINUTE);
	return now;
};
const configure = (config: object): void => {
	mkdirSync(store, { recursive: true });
	writeFileSync(join(store, "config.json"), JSON.stringify(config));
};
const git = (...args: string[]): string =>
	execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", ...args], {
		cwd: project,
		env: { PATH: "/usr/bin:/bin", HOME: home },
		encoding: "utf8",
		stdio: ["ignore", "pipe", "ignore"],
	});

function session(tokens = DUE): Transcript {
	return new Transcript(project)
		.typed("Build the cart. Never touch src/legacy.")
		.rejected("Bash", { command: "npm install left-pad" }, "no new dependencies")
		.answered("Which currency?", "Euro only")
		.todos(["Round the totals", "in_progress"])
		.usage(tokens);
}

/** PreCompact, then the boundary and the summary in the transcript: a compaction as far as the files show it. */
function compact(transcript: Transcript, fields = {}): string | null {
	transcript.write(path);
	const answer = send(preCompact, { trigger: "auto", ...fields });
	later(1);
	transcript.at(now).boundary().summary().write(path);
	return answer;
}

/** Replaces the saved checkpoint's JSON. */
function spoil(change: (checkpoint: object) => object | null): void {
	const { checkpoints } = sessionPaths(store, "s-1");
	for (const name of readdirSync(checkpoints).filter((one) => one.endsWith(".json"))) {
		const made = change(JSON.parse(readFileSync(join(checkpoints, name), "utf8")));
		writeFileSync(join(checkpoints, name), made ? JSON.stringify(made) : "");
	}
}

const markerPath = (sid = "s-1"): string => sessionPaths(store, sid).marker;

describe("from pressure to nudge", () => {
	test("below the threshold nothing, from it on the marker, once per cycle", () => {
		const transcript = session(129_000);
		transcript.write(path);
		expect(send(postToolBatch)).toBeNull();
		expect(markerState(store, "s-1")).toBe("none");
		expect(send(preToolUse)).toBeNull();
		transcript.usage(DUE).write(path);
		expect(send(postToolBatch)).toBeNull();
		expect(markerState(store, "s-1")).toBe("marker");
		const nudge = given(send(preToolUse), "PreToolUse")!;
		expect(nudge).toMatch(/^ccg nudge: /);
		expect(nudge).toContain("/opt/ccg/bin/ccg memory save");
		expect(send(preToolUse)).toBeNull();
		// measured again and again: one nudge in a cycle
		for (const tokens of [140_000, 150_000, 166_000]) {
			transcript.usage(tokens).write(path);
			send(postToolBatch);
			expect(existsSync(markerPath())).toBe(false);
			expect(send(preToolUse)).toBeNull();
		}
		expect(failures).toEqual([]);
	});

	test("a context that shrank to half without any event opens a new cycle", () => {
		const transcript = session();
		transcript.write(path);
		send(postToolBatch);
		send(preToolUse);
		transcript.usage(30_000).write(path);
		send(postToolBatch);
		expect(markerState(store, "s-1")).toBe("none");
		transcript.usage(DUE).write(path);
		send(postToolBatch);
		expect(send(preToolUse)).not.toBeNull();
	});

	test("the project is known to the save command also where the session began in a subfolder", () => {
		git("init", "-q");
		const folder = join(project, "packages", "cart");
		mkdirSync(folder, { recursive: true });
		env.CLAUDE_PROJECT_DIR = folder;
		session().write(path);
		send(postToolBatch);
		expect(send(preToolUse)).toContain("  /opt/ccg/bin/ccg memory save ");
		expect(sessionProject(store, "s-1")).toMatchObject({ folder, storeTold: true });
	});

	test("and names it where the shell has left it and knows no session", () => {
		const other = join(top, "other");
		mkdirSync(other);
		env.CLAUDE_PROJECT_DIR = project;
		session().write(path);
		send(postToolBatch);
		expect(send(preToolUse, { cwd: other })).toContain(`  CLAUDE_PROJECT_DIR=${project} /opt/ccg/bin/ccg memory save `);
	});

	test.each([
		["off", null],
		["ccg has {room} left; run {save}", /^ccg nudge: ccg has .* left; run \/opt\/ccg\/bin\/ccg memory save$/],
		["directive", /^ccg nudge: STOP/],
	])("wording %s", (wording, expected) => {
		configure({ nudge: { wording } });
		session().write(path);
		send(postToolBatch);
		const text = given(send(preToolUse), "PreToolUse");
		if (expected) expect(text).toMatch(expected);
		else {
			expect(text).toBeNull();
			expect(existsSync(markerPath())).toBe(false);
		}
	});

	test("of 24 processes at once one nudges; a subagent's gets nothing and leaves the marker", async () => {
		session().write(path);
		send(postToolBatch);
		const hook = (fields: object) =>
			run([LAUNCHER, "hook", "pre-tool-use"], {
				env,
				cwd: project,
				input: { session_id: "s-1", transcript_path: path, hook_event_name: "PreToolUse", ...fields },
			});
		expect(await hook({ agent_id: "a1" })).toEqual({ code: 0, out: "", err: "" });
		expect(markerState(store, "s-1")).toBe("marker");
		const runs = await Promise.all(Array.from({ length: 24 }, () => hook({})));
		for (const { code, err } of runs) expect({ code, err }).toEqual({ code: 0, err: "" });
		expect(runs.map(({ out }) => out).filter(Boolean)).toEqual([expect.stringMatching(/^\{.*"PreToolUse".*\}\n$/)]);
	});

	test("the registered guard: with and without CLAUDE_CODE_SESSION_ID, never for another session", async () => {
		const guard = catalog(LAUNCHER).hooks.find(({ part }) => part === "pre-tool-use")!.handler.command;
		const call = (sid: string, variable?: string) =>
			run(["/bin/sh", "-c", guard], {
				env: { ...env, ...(variable && { CLAUDE_CODE_SESSION_ID: variable }) },
				cwd: project,
				input: { session_id: sid },
			});
		session().write(path);
		expect(await call("s-1")).toEqual({ code: 0, out: "", err: "" });
		expect(existsSync(store)).toBe(false);
		send(postToolBatch);
		expect(await call("s-2", "s-2")).toEqual({ code: 0, out: "", err: "" });
		expect(await call("s-2")).toEqual({ code: 0, out: "", err: "" });
		expect(markerState(store, "s-1")).toBe("marker");
		expect((await call("s-1")).out).toContain("ccg nudge");
		send(postToolBatch, { session_id: "s-2" });
		expect((await call("s-2", "s-2")).out).toContain("ccg nudge");
	});

	test("a marker that is stale or broken goes in silence", () => {
		session().write(path);
		send(postToolBatch);
		later(31);
		expect(send(preToolUse)).toBeNull();
		expect(existsSync(markerPath())).toBe(false);
		writeFileSync(markerPath(), '{"at":');
		expect(send(preToolUse)).toBeNull();
		expect(existsSync(markerPath())).toBe(false);
		expect(failures).toEqual([]);
		// nobody was nudged: the next measurement drops a fresh one
		send(postToolBatch);
		expect(send(preToolUse)).not.toBeNull();
	});
});

describe("PreCompact", () => {
	test("clears the marker, saves, speaks to the summariser in plain text", () => {
		session().write(path);
		send(postToolBatch);
		const text = send(preCompact, { trigger: "auto" })!;
		expect(existsSync(markerPath())).toBe(false);
		expect(text).toMatch(/^ccg: /);
		expect(text).toContain("Never touch src/legacy.");
		expect(text.length).toBeLessThanOrEqual(loadConfig(store).config.steering.maxChars);
		expect(readSessions(store, now)[0]?.checkpoint).toMatchObject({ state: "pending" });
		expect(failures).toEqual([]);
	});

	test.each([[undefined], [0], [900], [4_000], [50_000]])("steering.maxChars %s", (maxChars) => {
		if (maxChars !== undefined) configure({ steering: { maxChars } });
		const transcript = new Transcript(project);
		for (let i = 0; i < 80; i++) transcript.typed(`${i}: You must never ${"do this ".repeat(40)}.`);
		transcript.typed(`Always ${"x".repeat(3_000)}`).write(path);
		const text = send(preCompact, { trigger: "manual" })!;
		const most = loadConfig(store).config.steering.maxChars;
		expect(text.length).toBeLessThanOrEqual(most);
		expect(most).toBeLessThanOrEqual(9_500);
		if (most > 1_000) expect(text.length).toBeGreaterThan(most - 500);
	});

	test("without a compaction: no start gives a block, and the cycle goes on", () => {
		const transcript = session();
		transcript.write(path);
		send(postToolBatch);
		expect(send(preToolUse)).not.toBeNull();
		send(preCompact, { trigger: "auto" });
		for (const source of ["startup", "clear", "resume", "fork"])
			expect(start(source) ?? "", source).not.toContain("ccg recovery");
		expect(readPending(store, "s-1")).not.toBeNull();
		expect(readCommitted(store, "s-1")).toBeNull();
		transcript.usage(150_000).write(path);
		send(postToolBatch);
		expect(send(preToolUse)).toBeNull();
		// the compaction comes after all
		later(5);
		transcript.at(now).boundary().summary().write(path);
		expect(start("compact")).toMatch(/^ccg recovery/);
	});

	test("twice before one compaction: the later checkpoint counts", () => {
		const transcript = session();
		transcript.write(path);
		send(preCompact, { trigger: "auto" });
		later(3);
		transcript.typed("One more thing: keep the old API.").write(path);
		send(preCompact, { trigger: "auto" });
		expect(start("compact")).toContain("keep the old API");
		expect(start("compact")).toBeNull();
	});

	test("a daily log line with request, size and checkpoint", () => {
		compact(session());
		const log = listing(join(store, "projects"), "").filter((file) => /\/log\/\d{4}-\d\d-\d\d\.md$/.test(file));
		expect(log).toHaveLength(1);
		const line = readFileSync(log[0]!, "utf8")
			.split("\n")
			.filter((text) => text.includes("compaction (auto"));
		expect(line).toHaveLength(1);
		expect(line[0]).toContain("131k tokens");
		expect(line[0]).toContain("Build the cart");
		expect(line[0]).toContain(readPending(store, "s-1")!.key);
	});
});

describe("SessionStart after a compaction", () => {
	test("the block, once, and a new cycle; status goes from pending to committed", () => {
		const transcript = session();
		transcript.write(path);
		send(postToolBatch);
		send(preToolUse);
		compact(transcript);
		const block = start("compact")!;
		expect(block).toMatch(/^ccg recovery precompact_checkpoint_\d{8}_\d{6}: /);
		expect(block.length).toBeLessThan(9_500);
		for (const part of ["Never touch src/legacy.", "no new dependencies", "Euro only", "Round the totals"])
			expect(block).toContain(part);
		expect(block).not.toContain("never need to test");
		expect(start("compact")).toBeNull();
		expect(readSessions(store, now)[0]?.checkpoint).toMatchObject({ state: "committed" });
		expect(markerState(store, "s-1")).toBe("none");
		later(20);
		transcript.at(now).usage(DUE).write(path);
		send(postToolBatch);
		expect(send(preToolUse)).not.toBeNull();
		expect(failures).toEqual([]);
	});

	test("the file the block names holds the whole checkpoint", () => {
		compact(session());
		const file = / Full checkpoint: (\S+)/.exec(start("compact")!)![1]!;
		expect(readFileSync(file, "utf8")).toContain("Never touch src/legacy.");
	});

	test("a long session's block stays within the limit and keeps what the user said last", () => {
		const transcript = new Transcript(project);
		for (let i = 0; i < 300; i++) {
			transcript.typed(`Never do thing number ${i}. ${"Details follow here. ".repeat(i % 40)}`);
			transcript.call("Edit", { file_path: `${project}/src/module-${i}/index.ts` }, "updated");
			transcript.call("Bash", { command: `npm run check-${i}` }, "failed badly", { failed: i % 2 === 0 });
		}
		transcript.typed("Now finish the release notes.");
		configure({ recovery: { maxChars: 1_000_000 } });
		compact(transcript);
		const block = start("compact")!;
		const rest = given(send(preToolUse), "PreToolUse")!;
		expect(block.length + rest.length).toBeLessThanOrEqual(9_500);
		expect(block.length + rest.length).toBeGreaterThan(8_500);
		expect(block.length).toBeGreaterThan(rest.length);
		expect(block).toContain("Now finish the release notes.");
	});

	test("a doubled event stays silent when the summary took minutes", () => {
		later(-7);
		compact(session());
		later(6);
		expect(start("compact")).toMatch(/^ccg recovery/);
		later(0.1);
		expect(start("compact")).toBeNull();
	});

	test("of 8 processes at once one gives", async () => {
		compact(session());
		const runs = await inBatches(
			Array.from(
				{ length: 8 },
				() => () =>
					run([LAUNCHER, "hook", "session-start"], {
						env,
						cwd: project,
						input: { session_id: "s-1", transcript_path: path, cwd: project, source: "compact" },
					}),
			),
			8,
		);
		for (const { code, err } of runs) expect({ code, err }).toEqual({ code: 0, err: "" });
		expect(runs.filter(({ out }) => out !== "")).toHaveLength(1);
	});

	test("PreCompact never ran: the block is read from the transcript, once", () => {
		session().boundary().summary().write(path);
		const block = start("compact")!;
		expect(block).toMatch(/^ccg recovery/);
		for (const part of ["Never touch src/legacy.", "no new dependencies", "Euro only"]) expect(block).toContain(part);
		expect(start("compact")).toBeNull();
		expect(readCommitted(store, "s-1")).not.toBeNull();
		expect(failures).toEqual([]);
	});

	test("PreCompact was missed at the second compaction: the block is of the second", () => {
		const transcript = session();
		compact(transcript);
		expect(start("compact")).not.toBeNull();
		transcript.typed("From now on use pnpm.").boundary().summary().write(path);
		later(30);
		expect(start("compact")).toContain("From now on use pnpm.");
	});

	test.each([
		["gone", (): void => rmSync(sessionPaths(store, "s-1").checkpoints, { recursive: true })],
		["without its state", (): void => spoil((checkpoint) => ({ ...checkpoint, state: {} }))],
		["of another shape", (): void => spoil((checkpoint) => ({ ...checkpoint, state: { messages: "none" } }))],
		["empty", (): void => spoil(() => null)],
	])("the checkpoint is %s: the transcript serves, once", (_, lose) => {
		compact(session());
		lose();
		expect(start("compact")).toMatch(/^ccg recovery precompact_checkpoint_[\s\S]*Never touch src\/legacy\./);
		expect(start("compact")).toBeNull();
		expect(failures.length).toBeLessThanOrEqual(2);
	});

	test("checkpoint and transcript are lost: the workspace file serves, once", () => {
		configure({ workspaceFile: { enabled: true } });
		compact(session());
		rmSync(sessionPaths(store, "s-1").checkpoints, { recursive: true });
		rmSync(path);
		expect(start("compact")).toMatch(
			/^ccg recovery: from \.context-checkpoint\.recovered\.md[\s\S]*Never touch src\/legacy\./,
		);
		expect(start("compact")).toBeNull();
	});

	test("a whole store is lost: the transcript serves", () => {
		compact(session());
		rmSync(store, { recursive: true });
		expect(start("compact")).toContain("Never touch src/legacy.");
	});

	describe("neither checkpoint nor transcript", () => {
		const file = (): string => join(project, ".context-checkpoint.md");
		const lose = (): void => {
			rmSync(store, { recursive: true, force: true });
			configure({ workspaceFile: { enabled: true } });
			compact(session());
			rmSync(sessionPaths(store, "s-1").checkpoints, { recursive: true });
			rmSync(path);
		};

		test("a fresh workspace file of this session, not one of another or an old one", () => {
			lose();
			expect(start("compact", { session_id: "s-2" })).toBeNull();
			expect(existsSync(file())).toBe(true);
			expect(start("compact")).toContain("Never touch src/legacy.");
			expect(start("compact")).toBeNull();
			lose();
			const old = now.getTime() / 1000 - 11 * 60;
			utimesSync(file(), old, old);
			expect(start("compact")).toBeNull();
			expect(existsSync(file())).toBe(true);
		});

		test.each<[string, () => void]>([
			["changed by one letter", () => writeFileSync(file(), `${readFileSync(file(), "utf8")}.`)],
			["written by somebody else", () => writeFileSync(file(), "# Checkpoint of session s-1\n- Session: s-1\n")],
			["known to no store", () => rmSync(store, { recursive: true })],
			["switched off since", () => configure({ workspaceFile: { enabled: false } })],
		])("one that is %s is not replayed and stays", (_, change) => {
			lose();
			change();
			expect(start("compact")).toBeNull();
			expect(existsSync(file())).toBe(true);
		});
	});

	test.each([false, true])(
		"second and third compaction keep what was said before the first (snapshot deleted: %s)",
		(deleted) => {
			const transcript = session();
			for (const request of ["Now the invoices.", "Now the mails. Keep them short.", "Now the docs."]) {
				compact(transcript.typed(request));
				const block = start("compact")!;
				for (const part of [request, "Never touch src/legacy.", "no new dependencies", "Euro only"])
					expect(block, request).toContain(part);
				send(stop);
				if (deleted) rmSync(sessionPaths(store, "s-1").state);
				later(10);
				transcript.at(now).usage(150_000);
			}
			expect(failures).toEqual([]);
		},
	);

	test("a version that does not mark a subagent's compaction: its PreCompact counts only with a boundary in the transcript", () => {
		const old = new Transcript(project, new Date(now.getTime() - MINUTE), "claude-sonnet-4-6", "2.1.200");
		old.typed("Never push.").usage(20_000).write(path);
		send(preCompact, { trigger: "auto" });
		expect(start("compact")).toBeNull();
		expect(readPending(store, "s-1")).toMatchObject({ doubtful: true });
		later(1);
		old.at(now).boundary().summary().write(path);
		expect(start("compact")).toContain("Never push.");
	});
});

describe("resume and fork", () => {
	test("each resume gives the block again, once, unless the transcript holds it behind the boundary", () => {
		const transcript = session().given("hook_success", "ccg recovery before the boundary");
		compact(transcript);
		const first = start("compact")!;
		later(60);
		expect(start("resume")).toBe(first);
		expect(start("resume")).toBeNull();
		// where a version records nothing of it, the next process knows nothing of it
		later(1);
		expect(start("resume")).toBe(first);
	});

	test.each(["hook_success", "hook_additional_context"] as const)(
		"resume: %s in the transcript is restored by Claude Code",
		(type) => {
			const transcript = session();
			compact(transcript);
			const block = start("compact")!;
			transcript.given(type, block).write(path);
			later(60);
			expect(start("resume")).toBeNull();
		},
	);

	test("resume with another checkpoint's block in the transcript gives this one's", () => {
		const transcript = session();
		compact(transcript);
		start("compact");
		transcript.given("hook_success", "ccg recovery precompact_checkpoint_20200101_000000: old").write(path);
		expect(start("resume")).toMatch(/^ccg recovery/);
	});

	test("killed between PreCompact and SessionStart: resume sees the boundary and gives", () => {
		compact(session());
		later(60);
		expect(start("resume")).toContain("Never touch src/legacy.");
		expect(readSessions(store, now)[0]?.checkpoint).toMatchObject({ state: "committed" });
	});

	test("a block from before the last boundary is not restored: resume gives one", () => {
		const transcript = session();
		compact(transcript);
		transcript.given("hook_success", start("compact")!);
		// a compaction of which no hook told
		transcript.usage(150_000).boundary().summary().write(path);
		later(60);
		expect(start("resume")).toMatch(/^ccg recovery/);
	});

	test("a PreCompact after the last boundary proves nothing: resume gives the checkpoint before it", () => {
		const transcript = session();
		compact(transcript);
		start("compact");
		const { key } = readCommitted(store, "s-1")!;
		later(10);
		transcript.at(now).typed("Said after the compaction.").write(path);
		send(preCompact, { trigger: "auto" });
		later(10);
		expect(start("resume")).toContain(`ccg recovery ${key}:`);
		expect(readPending(store, "s-1")).not.toBeNull();
	});

	test.each(["fork", "resume"])(
		"a fork (%s): a new id and a copied transcript get the state before the boundary",
		(source) => {
			const transcript = session();
			compact(transcript);
			start("compact");
			transcript.typed("Said after the compaction.").write(path);
			const copy = join(top, "fork.jsonl");
			copyFileSync(path, copy);
			const block = start(source, { session_id: "s-2", transcript_path: copy })!;
			expect(block).toMatch(/^ccg recovery/);
			for (const part of ["Never touch src/legacy.", "no new dependencies", "Euro only"]) expect(block).toContain(part);
			expect(block).not.toContain("Said after the compaction.");
			expect(start(source, { session_id: "s-2", transcript_path: copy })).toBeNull();
		},
	);

	test("a fork whose transcript holds a block gets none", () => {
		const transcript = session();
		compact(transcript);
		transcript.given("hook_additional_context", start("compact")!);
		const copy = join(top, "fork.jsonl");
		transcript.write(copy);
		expect(start("fork", { session_id: "s-2", transcript_path: copy })).toBeNull();
	});

	test.each(["startup", "clear"])("%s gives no block", (source) => {
		compact(session());
		start("compact");
		expect(start(source) ?? "").not.toContain("ccg recovery");
	});
});

describe("the workspace file", () => {
	beforeEach(() => configure({ workspaceFile: { enabled: true } }));

	const written = (): string[] => readdirSync(project).filter((name) => name.startsWith(".context-checkpoint"));
	const excludes = (): number =>
		readFileSync(join(project, ".git", "info", "exclude"), "utf8")
			.split("\n")
			.filter((line) => line === ".context-checkpoint*.md").length;

	test("written, renamed when recovered, kept out of git with one line", () => {
		git("init", "-q");
		const transcript = session();
		for (let i = 0; i < 2; i++) {
			compact(transcript);
			expect(written()).toContain(".context-checkpoint.md");
			start("compact");
			expect(written()).toEqual([".context-checkpoint.recovered.md"]);
			later(10);
		}
		expect(readFileSync(join(project, ".context-checkpoint.recovered.md"), "utf8")).toContain(
			"Never touch src/legacy.",
		);
		expect(git("status", "--porcelain")).toBe("");
		expect(excludes()).toBe(1);
	});

	test("in a worktree too, where .git is a file; .gitignore stays as it is", () => {
		git("init", "-q");
		writeFileSync(join(project, ".gitignore"), "dist");
		git("add", ".");
		git("commit", "-qm", "first");
		const tree = join(top, "tree");
		git("worktree", "add", "-q", tree);
		compact(session(), { cwd: tree });
		expect(existsSync(join(tree, ".context-checkpoint.md"))).toBe(true);
		expect(git("-C", tree, "status", "--porcelain")).toBe("");
		expect(excludes()).toBe(1);
		expect(readFileSync(join(project, ".gitignore"), "utf8")).toBe("dist");
		expect(start("compact", { cwd: tree })).toContain("git branch `tree`");
	});

	test("as it comes it is off: nothing is written into the project, and a file of that name stays as it is", () => {
		git("init", "-q");
		rmSync(join(store, "config.json"));
		compact(session());
		expect(written()).toEqual([]);
		expect(excludes()).toBe(0);
		writeFileSync(join(project, ".context-checkpoint.md"), "mine");
		const block = start("compact")!;
		expect(block).toMatch(/^ccg recovery/);
		expect(written()).toEqual([".context-checkpoint.md"]);
		// the block names the checkpoint in the store instead
		const named = /\/\S+\/checkpoints\/\S+\.md/.exec(block)?.[0];
		expect(readFileSync(named!, "utf8")).toContain("Never touch src/legacy.");
	});

	test("a link in its place is replaced, its target left alone", () => {
		const target = join(top, "precious");
		writeFileSync(target, "precious");
		symlinkSync(target, join(project, ".context-checkpoint.md"));
		compact(session());
		expect(readFileSync(target, "utf8")).toBe("precious");
		expect(readFileSync(join(project, ".context-checkpoint.md"), "utf8")).toContain("Never touch");
	});

	test("a project that can't be written to costs only this file", () => {
		mkdirSync(join(project, ".context-checkpoint.md", "x"), { recursive: true });
		expect(compact(session())).toMatch(/^ccg: /);
		expect(failures).toHaveLength(1);
		expect(start("compact")).toMatch(/^ccg recovery/);
	});
});

test("the whole chain through the launcher: nothing is printed but the three answers", async () => {
	const hook = async (name: string, fields: object): Promise<string> => {
		const { code, out, err } = await run([LAUNCHER, "hook", name], {
			env,
			cwd: project,
			input: { session_id: "s-1", transcript_path: path, cwd: project, ...fields },
		});
		expect({ name, code, err }).toEqual({ name, code: 0, err: "" });
		return out;
	};
	const transcript = session();
	transcript.write(path);
	expect(await hook("session-start", { source: "startup" })).toBe("");
	expect(await hook("pre-tool-use", {})).toBe("");
	expect(await hook("post-tool-batch", {})).toBe("");
	expect(await hook("pre-tool-use", {})).toContain('"additionalContext":"ccg nudge');
	expect(await hook("pre-tool-use", {})).toBe("");
	expect(await hook("pre-compact", { trigger: "auto", agent_id: "a1" })).toBe("");
	expect(await hook("session-start", { source: "compact", agent_id: "a1" })).toBe("");
	expect(readPending(store, "s-1")).toBeNull();
	expect(await hook("pre-compact", { trigger: "auto" })).toMatch(/^ccg: /);
	transcript.at(new Date()).boundary().summary().write(path);
	expect(await hook("session-start", { source: "compact" })).toContain('"additionalContext":"ccg recovery');
	expect(await hook("session-start", { source: "compact" })).toBe("");
	expect(existsSync(join(store, "log", "ccg.log"))).toBe(false);
});

test("the daily log quotes the request up to a word's end and says that it goes on", () => {
	const words = Array.from({ length: 30 }, (_, i) => `word${i}`).join(" ");
	new Transcript(project).typed(words).usage(150_000).write(path);
	send(preCompact, { trigger: "auto" });
	const log = readdirSync(join(store, "projects"), { recursive: true })
		.map(String)
		.find((name) => /log\/.*\.md$/.test(name))!;
	const quoted = /while working on "([^"]*)"/.exec(readFileSync(join(store, "projects", log), "utf8"))![1]!;
	expect(quoted).toMatch(/ word\d+…$/);
	expect(words).toContain(`${quoted.slice(0, -1)} `);
	expect(quoted.length).toBeLessThanOrEqual(100);
});
