import { existsSync } from "node:fs";
import { join } from "node:path";
import { denialText, warningText } from "../../core/pressure/halt-text.ts";
import { compactedAt, isResumed, mayPass } from "../../core/session/cycle.ts";
import { forModel } from "../../core/text/text.ts";
import { READERS } from "../../guard/reading-tools.ts";
import { sessionPaths } from "../../store/paths.ts";
import { dropHalt, type HaltFlag, readHalt, readUsage } from "../../store/pressure/flags.ts";
import { quietTaskRoot } from "../../store/project-store.ts";
import { changeCycle, readCycle } from "../../store/session/cycles.ts";
import { type Session, sessionAt } from "../../store/session-handle.ts";
import type { EventHandler, Services, SessionInput } from "../run/event.ts";
import { shellCommand, storeWord, userCommand } from "./ccg-command.ts";

/**
 * PreToolUse with the halt gate before it: with `guard.mode` "enforce", at critical pressure and without a
 * task checkpoint written since the last change, what may change something is denied; with "warn" the user is told once in
 * a cycle. Otherwise, and when the gate itself fails, `inner` answers alone. It never allows anything.
 */
export function withHaltGate(inner: EventHandler, judge = fromSource): EventHandler {
	return (input, services) => {
		let found: ReturnType<typeof verdict> = null;
		try {
			found = verdict(input, services, judge);
		} catch (error) {
			services.log(error);
		}
		if (found?.reason) return denial(found.reason, found.message);
		const answer = inner(input, services);
		return found?.message ? withMessage(answer, found.message) : answer;
	};
}

/** For a call whose input is too large to be read: at a stop it counts as a change, and a checkpoint does not let it through. */
export function haltGateForUnread(judge = fromSource): EventHandler {
	return (input, services) => {
		const found = verdict({ ...input, tool_input: {} }, services, judge, true);
		return found?.reason ? denial(found.reason, found.message) : null;
	};
}

/** What decides whether a call may change something: a bundle of its own, loaded at a stop. A nudge comes by here too. */
export type Judge = typeof import("../../guard/judge.ts");

// a path that the bundler does not see through: the entry names the bundle
const fromSource = (file = join(import.meta.dirname, "../../guard/judge.ts")): Judge => require(file);

/** Why the call is denied, and what the user is told; `null` where no stop stands. */
function verdict(
	input: SessionInput,
	services: Services,
	judge: () => Judge,
	isUnread = false,
): { reason?: string; message?: string | undefined } | null {
	const { root, config, now } = services;
	const sid = input.session_id;
	const session = sessionAt(services, sid);
	const { mode } = config.guard;
	if (!existsSync(session.paths.haltMarker)) return null;
	const halt = readHalt(session);
	const cycle = halt && readCycle(session);
	// measured before a compaction, written after it
	if (!cycle || compactedAt(cycle) > halt.at || mode === "off" || isResumed(cycle, now)) {
		dropHalt(session);
		return null;
	}
	const facts = {
		...newest(session, halt),
		...commands(sid, services.env.CLAUDE_PROJECT_DIR ?? input.cwd ?? "/", services),
	};
	// with nothing held back it is about a task
	const isDue = !cycle.isHaltTold && (mode === "enforce" || facts.statusCommand !== null);
	const isTold = isDue && isFirstTelling(session);
	const message = isTold ? warningText(mode === "enforce" ? "enforce" : "warn", facts) : undefined;
	if (mode !== "enforce") {
		// without the marker the pre-check starts no gate
		dropHalt(session);
		return { message };
	}
	const { tool_name: name, tool_input = {} } = input;
	if ((!name && !isUnread) || !isChange(input, services, judge)) return { message };
	// a pass is for the task, not for the stop itself
	const hasPass = !isUnread && mayPass(cycle, halt) && !isAboutHalt(tool_input, root);
	if (hasPass && takePass(session, halt)) return { message };
	return { reason: denialText(name ?? "the call", facts), message };
}

/** What can't be judged counts as a change. */
function isChange(input: SessionInput, services: Services, judge: () => Judge): boolean {
	if (READERS.has(input.tool_name ?? "")) return false;
	try {
		return judge().mayChange(input, services);
	} catch (error) {
		services.log(error);
		return true;
	}
}

/** Lifts the stop, or reaches into ccg's store. By a look at the words: a barrier, no wall. */
function isAboutHalt(input: Record<string, unknown>, root: string): boolean {
	const words = JSON.stringify(input);
	// quotes within a word part it for the eye only
	return [words, words.replace(/["'\\]+/g, "")].some(
		(one) => /\btask\s+resume\b/.test(one) || one.includes(`${root}/`) || /\.claude-memory\b/i.test(one),
	);
}

/** On a disk that takes no claim the user is not told, and the verdict stands. */
function isFirstTelling(session: Session): boolean {
	try {
		return changeCycle(session, (cycle) => {
			const isFirst = !cycle.isHaltTold;
			cycle.isHaltTold = true;
			return isFirst;
		});
	} catch {
		return false;
	}
}

/** Of several changes that ask at once, one gets the pass of a task checkpoint. */
const takePass = (session: Session, halt: HaltFlag): boolean =>
	changeCycle(session, (cycle) => {
		const may = mayPass(cycle, halt);
		delete cycle.passAt;
		return may;
	});

function commands(sid: string, folder: string, services: Services) {
	const { root, env } = services;
	// the agent's shell does not know this hook's CCG_HOME, a person's terminal not even the session
	const store = storeWord(services);
	const session = env.CLAUDE_CODE_SESSION_ID === sid ? "" : ` --session ${sid}`;
	const task = `${store}${userCommand(services)} task`;
	const isBegun = existsSync(join(quietTaskRoot(env, folder) ?? sessionPaths(root, sid).folder, "task-state.json"));
	return {
		checkpointCommand: `${store}${shellCommand(services)} task checkpoint${session}`,
		resumeCommand: `${task} resume --session ${sid}`,
		statusCommand: isBegun ? `${task} status --session ${sid}` : null,
	};
}

/** The marker holds the measure it was dropped at; what was measured since is told, as long as it is critical too. */
function newest(session: Session, halt: HaltFlag): HaltFlag {
	const { at = "", tokens = null, trigger = null, window = null } = readUsage(session) ?? {};
	const limit = trigger ?? window;
	if (at < halt.at || tokens === null || !limit || tokens / limit < halt.critical) return halt;
	return { ...halt, at, tokens, limit };
}

function denial(reason: string, message?: string | undefined): string {
	return JSON.stringify({
		...(message && { systemMessage: forModel(message) }),
		hookSpecificOutput: {
			hookEventName: "PreToolUse",
			permissionDecision: "deny",
			permissionDecisionReason: forModel(reason),
		},
	});
}

function withMessage(answer: string | null, message: string): string {
	const { systemMessage: line, ...rest } = answer ? JSON.parse(answer) : {};
	return JSON.stringify({ ...rest, systemMessage: [line, forModel(message)].filter(Boolean).join("\n") });
}
