import { Database } from "bun:sqlite";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { formatSharedNote, SHARED_FILE } from "../../src/memory/shared.ts";
import { configPath, databasePath, indexPath, sessionPaths } from "../../src/store/paths.ts";
import { readLastUsage, writeLastUsage } from "../../src/store/pressure/flags.ts";
import { projectDataFolder } from "../../src/store/project.ts";
import { CHECKPOINT_FILE, RECOVERED_FILE } from "../../src/store/recovery/workspace-file.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { dropMarker } from "../../test/kit/cycle.ts";
import { runNow } from "../../test/kit/process.ts";
import { writeBack } from "../../test/kit/store.ts";
import { type BenchSandbox, withOwnHome } from "./bench-sandbox.ts";
import { shareBy } from "./silent-carriers.ts";
import type { Subject } from "./timed.ts";

/** One hook of the fixture as Claude Code starts it: `/bin/sh -c` and the registered command, the payload on stdin. */
export function hook(
	sandbox: BenchSandbox,
	event: string,
	{ name, sid, project, fields = {} }: { name: string; sid: string; project: string; fields?: object },
): Subject {
	const payload = {
		session_id: sid,
		transcript_path: transcriptPath(sandbox, sid),
		cwd: project,
		hook_event_name: event,
		...fields,
	};
	return {
		name,
		argv: ["/bin/sh", "-c", sandbox.commands[event]!],
		stdin: JSON.stringify(payload),
		env: sandbox.env(sid, project),
		cwd: project,
	};
}

function inDatabase<T>(sandbox: BenchSandbox, act: (database: Database) => T): T {
	const database = new Database(databasePath(sandbox.root));
	// (what a hook started beside itself may still write)
	const wait = "PRAGMA busy_timeout = 5000";
	database.run(wait);
	// whoever closes it last and may write empties the log: the next hook would begin it anew, with two syncs more
	const reader = new Database(databasePath(sandbox.root), { readonly: true });
	reader.run(`${wait}; BEGIN; SELECT 1 FROM sqlite_schema`);
	try {
		return act(database);
	} finally {
		database.close();
		reader.close();
	}
}

/** Takes rows of a session away, where there is a store. */
function forget(sandbox: BenchSandbox, sid: string, tables: string[]): void {
	if (existsSync(databasePath(sandbox.root)))
		inDatabase(sandbox, (database) => {
			for (const table of tables) database.query(`DELETE FROM ${table} WHERE session = ?`).run(sid);
		});
}

const has = (sandbox: BenchSandbox, sid: string, table: string): boolean =>
	existsSync(databasePath(sandbox.root)) &&
	inDatabase(sandbox, (database) => database.query(`SELECT 1 FROM ${table} WHERE session = ?`).get(sid) !== null);

export const transcriptPath = (sandbox: BenchSandbox, sid: string): string =>
	join(sandbox.home, ".claude", "projects", "bench", `${sid}.jsonl`);

/** PreToolUse while no flush flag exists. */
export function idle(sandbox: BenchSandbox): Subject {
	return hook(sandbox, "PreToolUse", {
		name: "PreToolUse, no marker",
		sid: "idle",
		project: sandbox.work,
		fields: { permission_mode: "default", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "toolu_1" },
	});
}

/** PreToolUse with a fresh flush flag: the nudge. */
export function nudge(sandbox: BenchSandbox): Subject {
	const session = sessionHandle({ root: sandbox.root, onProblem: () => {} }, "nudge");
	return {
		...hook(sandbox, "PreToolUse", {
			name: "PreToolUse, nudge",
			sid: "nudge",
			project: sandbox.work,
			fields: { permission_mode: "default", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "toolu_1" },
		}),
		prepare: () => {
			// of the run before; where the session belongs stays known
			rmSync(session.paths.nudged, { force: true });
			dropMarker(session, { tokens: 131_000, distance: 36_000 });
		},
		fault: (stdout) => (stdout.includes("additionalContext") ? null : "no nudge"),
	};
}

export function statusLine(
	sandbox: BenchSandbox,
	command = sandbox.commands.statusLine!,
	name = "status line",
): Subject {
	const sid = "statusline";
	const session = sessionHandle({ root: sandbox.root, onProblem: () => {} }, sid);
	return {
		name,
		argv: ["/bin/sh", "-c", command],
		stdin: statusLineInput(sandbox, sid),
		env: sandbox.env(sid, sandbox.work),
		cwd: sandbox.work,
		// as behind a new answer: the numbers changed
		prepare: () => {
			const last = readLastUsage(session);
			if (!last) return;
			writeLastUsage(session, { ...last, tokens: 1 });
			writeFileSync(session.paths.statusLine, "1\n");
		},
		fault: (stdout) => (stdout.trim() ? null : "no line"),
	};
}

/** SessionStart in a project with memory. */
export function startup(sandbox: BenchSandbox): Subject {
	return {
		...hook(sandbox, "SessionStart", {
			name: "SessionStart startup, 40 notes, 3 logs",
			sid: "startup",
			project: sandbox.remembered,
			fields: { source: "startup", model: "claude-opus-5-5" },
		}),
		fault: (stdout) => (stdout.includes("ccg memory") ? null : "no memory given"),
	};
}

/**
 * The same in a home of its own, where all notes are told. With an `address` its store shares a space by that: an exchange is started, and
 * notes of another machine are told, which get the room that one's own leave.
 */
export async function roomyStartup(sandbox: BenchSandbox, what: string, address?: string): Promise<Subject> {
	const own = withOwnHome(sandbox, what);
	writeFileSync(configPath(own.root), JSON.stringify({ startup: { maxChars: 9_500 } }));
	const started = startup(own);
	const name = `${started.name}, ${what}`;
	if (!address) return { ...started, name };
	await shareBy(own.root, address);
	const notes = Array.from({ length: 40 }, (_, i) =>
		formatSharedNote("ann on laptop", i, `: part ${i} is in src/part-${i}`),
	);
	writeFileSync(join(projectDataFolder(own.root, own.remembered), SHARED_FILE), notes.join(""));
	const fault = (stdout: string) => (stdout.includes("From other machines") ? null : "nothing of others given");
	return { ...started, name, fault };
}

/** PreCompact of a session that no Stop has kept. `project` may be without git. */
export function preCompact(
	sandbox: BenchSandbox,
	name: string,
	sid: string,
	{ project = sandbox.work, trigger = "auto" }: { project?: string; trigger?: string } = {},
): Subject {
	return {
		...hook(sandbox, "PreCompact", { name, sid, project, fields: { trigger, custom_instructions: null } }),
		prepare: () => forget(sandbox, sid, ["records", "cycles", "checkpoints"]),
		fault: (stdout) => (stdout.trim() && has(sandbox, sid, "checkpoints") ? null : "nothing saved"),
	};
}

/** What a long turn adds to a transcript. */
const TURN = 200 * 1024;

/** PreCompact when Stop has kept the session current up to the last turn. */
export function preCompactCurrent(sandbox: BenchSandbox, sid: string): Subject {
	const cold = preCompact(sandbox, "PreCompact, kept current by Stop but for 200 KB", sid);
	return {
		...cold,
		prepare: () => {
			if (!has(sandbox, sid, "records")) stopBeforeLastTurn(sandbox, sid);
			forget(sandbox, sid, ["cycles", "checkpoints"]);
		},
	};
}

function stopBeforeLastTurn(sandbox: BenchSandbox, sid: string): void {
	const path = transcriptPath(sandbox, sid);
	const whole = readFileSync(path);
	writeFileSync(path, whole.subarray(0, whole.indexOf("\n", Math.max(0, whole.length - TURN)) + 1));
	const fault = () => (has(sandbox, sid, "records") ? null : "no record");
	runOnce({ ...hook(sandbox, "Stop", { name: "Stop", sid, project: sandbox.work }), fault });
	writeFileSync(path, whole);
}

/** SessionStart after a compaction, with what its PreCompact and the hook beside it left; these run once, untimed. */
export function afterCompaction(sandbox: BenchSandbox, sid: string): Subject {
	const workspaceFile = join(sandbox.work, CHECKPOINT_FILE);
	const start = (name: string, source: string): Subject =>
		hook(sandbox, "SessionStart", { name, sid, project: sandbox.work, fields: { source, model: "claude-opus-5-5" } });
	// an automatic one would count as unconfirmed where the transcript is of an old version and ends far from the trigger
	const before = preCompact(sandbox, "PreCompact", sid, { trigger: "manual" });
	const { name, argv, env, cwd, stdin } = before;
	runOnce(start("SessionStart startup", "startup"));
	runOnce({ name, argv, env, cwd, stdin });
	const installed = join(sandbox.root, "app", "current", "bin", "ccg");
	runOnce({ name: `beside ${name}`, argv: [installed, "hook", "session-end"], stdin, env, cwd });
	const putBack = keepStore(sandbox, "after-compaction");
	// written by versions before it became an option
	const markdown = existsSync(workspaceFile) ? readFileSync(workspaceFile) : null;
	return {
		...start("SessionStart compact", "compact"),
		prepare: () => {
			putBack();
			rmSync(join(sandbox.work, RECOVERED_FILE), { force: true });
			if (markdown) writeFileSync(workspaceFile, markdown);
		},
		fault: (stdout) => (stdout.includes("ccg recovery precompact_checkpoint_") ? null : "no recovery block"),
	};
}

/** The store's files as they are now; what this gives puts them back. */
function keepStore(sandbox: BenchSandbox, name: string): () => void {
	const kept = `${sandbox.home}-${name}`;
	const files = [databasePath(sandbox.root), indexPath(sandbox.root)];
	mkdirSync(kept, { recursive: true });
	const parts = files.flatMap((file) => [file, `${file}-wal`]);
	for (const part of parts) if (existsSync(part)) cpSync(part, join(kept, basename(part)));
	return () => {
		for (const file of files) for (const end of ["-shm", "-journal"]) rmSync(file + end, { force: true });
		for (const part of parts) {
			rmSync(part, { force: true });
			if (existsSync(join(kept, basename(part)))) cpSync(join(kept, basename(part)), part);
		}
	};
}

const stop = (sandbox: BenchSandbox, name: string, sid: string): Subject =>
	hook(sandbox, "Stop", { name, sid, project: sandbox.work });

/** Until record and index hold all of the transcript: the index is filled in pieces, by each Stop that has something new. */
function settle(subject: Subject, path: string): void {
	const whole = readFileSync(path);
	for (let part = 1; part <= 6; part++) {
		const end = part < 6 ? whole.indexOf("\n", (whole.length * part) / 6) + 1 : whole.length;
		writeFileSync(path, whole.subarray(0, end));
		runOnce(subject);
	}
}

/** Stop when there is nothing new. */
export function idleStop(sandbox: BenchSandbox, sid: string, shape: string): Subject {
	const subject = stop(sandbox, `Stop, nothing new: ${shape}`, sid);
	settle(subject, transcriptPath(sandbox, sid));
	// what other rows left to the index to read is no matter of this one
	return { ...subject, prepare: () => runOnce(subject) };
}

/** Stop behind a turn of 200 KB; the store is put back before each run. */
export function stopBehindTurn(shared: BenchSandbox, sid: string): Subject {
	const sandbox = withOwnHome(shared, sid);
	const subject = stop(sandbox, "Stop, 200 KB new", sid);
	const path = transcriptPath(sandbox, sid);
	const whole = readFileSync(path);
	const before = whole.indexOf("\n", Math.max(0, whole.length - TURN)) + 1;
	writeFileSync(path, whole.subarray(0, before));
	settle(subject, path);
	// as between most turns: in the log stands what the last one wrote
	for (const file of [databasePath(sandbox.root), indexPath(sandbox.root)]) writeBack(file);
	writeFileSync(path, whole.subarray(0, whole.indexOf("\n", before) + 1));
	runOnce(subject);
	writeFileSync(path, whole);
	return { ...subject, prepare: keepStore(sandbox, "before-turn") };
}

export function usage(sandbox: BenchSandbox, sid: string): Subject {
	const path = sessionPaths(sandbox.root, sid).pressure;
	const subject = hook(sandbox, "PostToolUse", {
		name: "PostToolUse, usage from the transcript",
		sid,
		project: sandbox.work,
		fields: { permission_mode: "default", tool_calls: [] },
	});
	// the first one of so long a transcript starts an update of the record as well
	runOnce(subject);
	const before = JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), at: "" });
	return {
		...subject,
		prepare: () => writeFileSync(path, before),
		fault: () => (readFileSync(path, "utf8") === before ? "no usage recorded" : null),
	};
}

export function runOnce(subject: Subject): void {
	subject.prepare?.();
	const { out, err } = runNow(subject.argv, { env: subject.env, cwd: subject.cwd, input: subject.stdin });
	const wrong = subject.fault?.(out);
	if (wrong) throw new Error(`${subject.name}: ${wrong}; stderr: ${err}`);
}

/** What 2.1.329 sends, in the middle of a session: 60% of a 200,000 token window. */
function statusLineInput(sandbox: BenchSandbox, sid: string): string {
	return JSON.stringify({
		session_id: sid,
		transcript_path: transcriptPath(sandbox, sid),
		cwd: sandbox.work,
		prompt_id: "6a4be0f2-3c1d-4d6e-8a53-0b9f6e5d7c21",
		session_name: "rework the loader",
		effort: { level: "medium" },
		model: { id: "claude-sonnet-4-5-20250929", display_name: "Sonnet 4.5" },
		workspace: { current_dir: sandbox.work, project_dir: sandbox.work, added_dirs: [] },
		version: "2.1.329",
		output_style: { name: "default" },
		cost: {
			total_cost_usd: 3.8214,
			total_duration_ms: 5_412_331,
			total_api_duration_ms: 1_903_118,
			total_lines_added: 812,
			total_lines_removed: 209,
		},
		context_window: {
			total_input_tokens: 120_412,
			total_output_tokens: 1_204,
			context_window_size: 200_000,
			current_usage: {
				input_tokens: 4,
				output_tokens: 612,
				cache_creation_input_tokens: 1_904,
				cache_read_input_tokens: 118_504,
			},
			used_percentage: 60,
			remaining_percentage: 40,
		},
		exceeds_200k_tokens: false,
		fast_mode: false,
		thinking: { enabled: true },
		prompt_cache: {
			warm: true,
			caching_observed: true,
			ttl: "5m",
			expires_at: 1_790_000_000,
			requests: 84,
			misses: 1,
			expected_rebuilds: 0,
			hit_ratio: 0.97,
			cache_write_tokens: 212_004,
			miss_recache_tokens: 0,
			last_miss_at: null,
			last_miss_cause: null,
			miss_causes: {},
			recache_tokens_if_cold: 120_412,
		},
	});
}
