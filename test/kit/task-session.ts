import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { beforeEach } from "vitest";
import { registerTask } from "../../src/cli/commands/task.ts";
import { writeUsage } from "../../src/store/pressure/usage-record.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { scratch } from "../scratch-home.ts";
import { recordedIo } from "./recorded-io.ts";
import { storeAt } from "./store.ts";
import { usage } from "./usage.ts";

export interface TaskRan {
	code: number;
	out: string;
	err: string;
	/** The first line. */
	status: string;
}

/** A home in which session `s-1` calls `ccg task`, on a clock of its own. */
export interface TaskSession {
	home: string;
	store: string;
	/** The session's folder. */
	root: string;
	now: Date;
	env: Record<string, string>;
	ccg(...args: string[]): Promise<TaskRan>;
	/** The same with a text on stdin. */
	given(stdin: string, ...args: string[]): Promise<TaskRan>;
	/** A measurement of a session, as a share of a trigger of 100,000. */
	pressure(share: number | null, at?: Date, session?: string): void;
	/** A session that was measured in a folder. */
	inProject(sid: string, folder: string, at: Date): void;
	stateFile(): string;
	latest(): string;
	// biome-ignore lint/suspicious/noExplicitAny: what stands in the file
	state(): any;
}

/** The session of the test that runs. */
export let at: TaskSession;

beforeEach(() => {
	at = taskSession();
});

function taskSession(): TaskSession {
	const home = scratch("task");
	const store = join(home, ".claude-memory");
	const root = join(store, "sessions", "s-1");
	const at: TaskSession = {
		home,
		store,
		root,
		now: new Date("2026-01-31T12:00:00.000Z"),
		env: { HOME: home, CLAUDE_CODE_SESSION_ID: "s-1" },
		ccg: (...args) => at.given("", ...args),
		given: (stdin, ...args) => runTask(at, stdin, args),
		pressure(share, measured = at.now, session = "s-1") {
			const tokens = share === null ? null : share * 100_000;
			const model = { model: "claude-sonnet-4-6", window: 133_000, trigger: 100_000, why: "formula" } as const;
			const places = { cwd: home, projectDir: "", transcriptPath: "", claudeVersion: null };
			const read = { source: "transcript", distance: null, zone: "calm" } as const;
			writeUsage(sessionAt(storeAt(store), session), {
				at: measured.toISOString(),
				tokens,
				...model,
				...places,
				...read,
			});
		},
		inProject(sid, folder, measured) {
			mkdirSync(folder, { recursive: true });
			const places = { cwd: folder, projectDir: folder };
			writeUsage(sessionAt(storeAt(store), sid), usage({ ...places, at: measured.toISOString(), tokens: null }));
		},
		stateFile: () => join(root, "task-state.json"),
		latest: () => join(root, "summaries", "latest-summary.md"),
		state: () => JSON.parse(readFileSync(at.stateFile(), "utf8")),
	};
	return at;
}

/** As the program's main does it. */
async function runTask(at: TaskSession, stdin: string, args: string[]): Promise<TaskRan> {
	const recorded = recordedIo({ env: at.env, cwd: at.home });
	const { io, out, err } = recorded;
	const program = new Command("ccg").exitOverride().configureOutput({ writeErr: (line) => err.push(line) });
	registerTask(program, io, { clock: () => at.now, stdin: () => stdin });
	await program.parseAsync(["task", ...args], { from: "user" }).catch((error: Error & { exitCode?: number }) => {
		recorded.code = error.exitCode ?? 1;
		if (error.exitCode === undefined) err.push(error.message);
	});
	return { code: recorded.code, out: out.join("\n"), err: err.join("\n"), status: out[0] ?? "" };
}

export function write(path: string, text: string): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
}
