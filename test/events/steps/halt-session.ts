import { existsSync } from "node:fs";
import { beforeEach, expect } from "vitest";
import type { EventHandler } from "../../../src/events/run/event.ts";
import { withHaltGate } from "../../../src/events/steps/halt-gate.ts";
import { type Measurement, measure, triggerOf } from "../../../src/events/steps/measure.ts";
import { loadConfig } from "../../../src/store/config.ts";
import { knownCycle } from "../../../src/store/session/cycles.ts";
import { LAUNCHER } from "../../kit/sandbox.ts";
import { type EventSession, eventSession, hookOf } from "../../kit/services.ts";
import { storeAt } from "../../kit/store.ts";

export interface Answer {
	systemMessage?: string;
	hookSpecificOutput?: Record<string, string>;
}

export interface HaltSession extends EventSession {
	/** Chooses the halt gate's mode. */
	mode(name: string): void;
	/** A measurement of the session: claude-sonnet-4-6 compacts at 167,000, so 141,950 and more is critical. */
	tokens(count: number | null, more?: Partial<Measurement>): void;
	/** Whether the halt marker stands. */
	marker(): boolean;
	/** A tool call. */
	call(tool_name: string, tool_input?: object, handler?: EventHandler): Answer | null;
}

/** The session of the test that runs. */
export let at: HaltSession;

beforeEach(() => {
	at = haltSession();
});

function haltSession(): HaltSession {
	const at: HaltSession = Object.assign(eventSession("guard"), {
		mode: (name: string) => at.configure({ guard: { mode: name } }),
		tokens: (count: number | null, more = {}) => tokens(at, count, more),
		marker: () => existsSync(at.stored.paths.haltMarker),
		call: (name: string, input = {}, handler: EventHandler = withHaltGate(() => null)) =>
			call(at, name, input, handler),
	});
	at.configure({});
	return at;
}

function tokens(at: EventSession, count: number | null, more: Partial<Measurement>): void {
	const where = { ...storeAt(at.store), config: loadConfig(at.store).config, env: { HOME: at.home }, now: at.now };
	const model = { model: "claude-sonnet-4-6", claudeVersion: "2.1.329" };
	measure(at.stored, where, {
		...model,
		source: "transcript",
		tokens: count,
		cwd: at.project,
		transcriptPath: "",
		known: knownCycle(at.stored),
		trigger: triggerOf(where, at.stored, at.project, model),
		...more,
	});
}

function call(at: EventSession, tool_name: string, tool_input: object, handler: EventHandler): Answer | null {
	const env = { HOME: at.home, CLAUDE_CODE_SESSION_ID: "s-1", CLAUDE_PROJECT_DIR: at.project };
	const input = { cwd: at.project, tool_name, tool_input };
	const answer = handler(hookOf(at.home, input, { env, now: at.now, launcher: LAUNCHER }));
	expect(at.failures).toEqual([]);
	return answer as Answer | null;
}

export const denied = (answer: Answer | null): boolean => answer?.hookSpecificOutput?.permissionDecision === "deny";
