import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { sessionFields } from "../../src/doctor/sandbox.ts";
import type { Budget, EventHandler, Hook } from "../../src/events/run/event.ts";
import { loadConfig } from "../../src/store/config.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { LAUNCHER, type Run, run, sandbox } from "./sandbox.ts";
import { storeAt } from "./store.ts";

/** What a handler gets of an event. A failure that it would log is thrown, unless `log` takes it. */
export function hookOf(home: string, input: object, more: Partial<Hook> = {}): Hook {
	const root = more.root ?? join(home, ".claude-memory");
	const given = { session_id: "s-1", ...input } as Hook["input"];
	// a hook logs it (test/events/run/store-problems.test.ts)
	const onProblem = more.onProblem ?? (() => {});
	const env = more.env ?? { HOME: home };
	return {
		input: given,
		session: sessionHandle({ root, onProblem }, given.session_id),
		folder: env.CLAUDE_PROJECT_DIR || given.cwd || "",
		env,
		root,
		onProblem,
		config: loadConfig(root).config,
		now: new Date(),
		launcher: "/opt/ccg/bin/ccg",
		plugin: null,
		budget: { spentMs: () => 0, isTimeUp: () => false },
		// as if it were printed at once
		whenPrinted: (act) => act(),
		log(reason) {
			throw reason;
		},
		...more,
	};
}

export type EventSession = ReturnType<typeof eventSession>;

/** A session whose events go to the handlers of this process, on a clock of its own. */
export function eventSession(name = "events") {
	const made = sandbox(name);
	const at = {
		...made,
		env: { HOME: made.home } as Record<string, string>,
		now: new Date(),
		budget: undefined as Budget | undefined,
		/** What the handlers logged. */
		failures: [] as unknown[],
		/** As the store has it. */
		stored: sessionHandle(storeAt(made.store), made.sid),
		/** One event, as Claude Code would send it; gives the handler's answer. */
		send(handler: EventHandler, fields: Record<string, string> = {}): string | null {
			const { env, now, failures, budget } = at;
			const log = (reason: unknown): number => failures.push(reason);
			const more = { env, now, ...(budget && { budget }), log };
			const said = handler(hookOf(at.home, { ...sessionFields(at), ...fields }, more));
			return said === null || typeof said === "string" ? said : JSON.stringify(said);
		},
		/** The same through the launcher, in a process of its own. */
		launch: (hook: string, fields: object = {}): Promise<Run> =>
			run([LAUNCHER, "hook", hook], {
				env: at.env,
				cwd: at.project,
				input: { ...sessionFields(at), ...fields },
			}),
		/** Adds lines to the transcript a little later, while a hook of this process waits for them. */
		addSoon: (lines: string): void =>
			void Bun.spawn(["/bin/sh", "-c", 'sleep 0.05; printf %s "$1" >>"$0"', at.transcript, lines]),
		later(minutes: number): Date {
			at.now = new Date(at.now.getTime() + minutes * 60_000);
			return at.now;
		},
		configure(config: object): void {
			mkdirSync(at.store, { recursive: true });
			writeFileSync(join(at.store, "config.json"), JSON.stringify(config));
		},
	};
	return at;
}

/** The text that an answer injects, which holds nothing else. */
export function given(answer: string | null, event = "SessionStart"): string | null {
	if (answer === null) return null;
	const { hookSpecificOutput, ...rest } = JSON.parse(answer);
	// a line for the user may stand beside it
	expect(Object.keys(rest).filter((name) => name !== "systemMessage")).toEqual([]);
	expect(Object.keys(hookSpecificOutput)).toEqual(["hookEventName", "additionalContext"]);
	expect(hookSpecificOutput.hookEventName).toBe(event);
	return hookSpecificOutput.additionalContext;
}
