import { existsSync } from "node:fs";
import { join } from "node:path";
import { denialText, warningText } from "../../core/pressure/halt-text.ts";
import { type Cycle, compactedAt, mayPass } from "../../core/session/cycle.ts";
import { forModel } from "../../core/text/text.ts";
import { attempt, quietly } from "../../files/quietly.ts";
import { dropHalt, haltSince, readUsage } from "../../store/pressure/flags.ts";
import { changeCycle, readCycle } from "../../store/session/cycles.ts";
import type { Answer, EventHandler, Hook } from "../run/event.ts";
import { loadJudge } from "./bundles.ts";
import { shellCommand } from "./ccg-command.ts";

/**
 * PreToolUse with the halt gate before it: with `guard.mode` "enforce", at critical pressure and without a
 * task checkpoint written since the last change, what may change something is denied; with "warn" the user is told once in
 * a cycle. Otherwise, and when the gate itself fails, `inner` answers alone. It never allows anything.
 */
export const withHaltGate =
	(inner: EventHandler): EventHandler =>
	(hook) => {
		const found = attempt(hook.log, () => judgeCall(hook));
		if (found?.reason) return denial(found.reason, found.message);
		const said = inner(hook);
		if (!found?.message) return said;
		const { systemMessage: line, ...rest } = Object(said);
		return { ...rest, systemMessage: [line, forModel(found.message)].filter(Boolean).join("\n") };
	};

/** For a call whose input is too large to be read: at a stop it counts as a change, and a checkpoint does not let it through. */
export const haltGateForUnread: EventHandler = (hook) => {
	const found = judgeCall(hook, true);
	return found?.reason ? denial(found.reason, found.message) : null;
};

const denial = (reason: string, message: string | null): Answer => ({
	...(message && { systemMessage: forModel(message) }),
	hookSpecificOutput: {
		hookEventName: "PreToolUse",
		permissionDecision: "deny",
		permissionDecisionReason: forModel(reason),
	},
});

/** Why the call is denied, and what the user is told; `null` where no stop stands. */
function judgeCall(hook: Hook, isUnread = false): { reason: string | null; message: string | null } | null {
	const { input, session, root, config } = hook;
	const { tool_name: name, tool_input = {} } = input;
	const { mode } = config.guard;
	if (!existsSync(session.paths.haltMarker)) return null;
	const at = haltSince(session);
	const usage = at === null ? null : readUsage(session);
	const cycle = usage && readCycle(session);
	// measured before a compaction, written after it
	if (!at || !cycle || compactedAt(cycle) > at || mode === "off" || cycle.resumed) {
		dropHalt(session);
		return null;
	}
	const isEnforced = mode === "enforce";
	const { tokens, trigger, window } = usage;
	const facts = {
		...{ tokens: tokens ?? 0, limit: trigger ?? window, critical: config.task.critical },
		...commands(hook),
	};
	// with nothing held back it is about a task
	const isForUser = isEnforced || facts.statusCommand !== null;
	const isHeld = isEnforced && (isUnread || (name !== undefined && mayChangeSomething(hook)));
	// a pass is for the task, not for the stop itself
	const isForTask = isHeld && !isUnread && !isAboutHalt(tool_input, root);
	// of all that ask at once one is told, and one gets the pass of a task checkpoint; none on a disk that takes no claim
	const claim = (now: Cycle) => {
		const isTold = isForUser && !now.isHaltTold;
		const hasPassed = isForTask && mayPass(now, at);
		if (isTold) now.isHaltTold = true;
		if (hasPassed) delete now.passAt;
		return { isTold, hasPassed };
	};
	const { isTold, hasPassed } = quietly(() => changeCycle(session, claim)) ?? { isTold: false, hasPassed: false };
	// without the marker the pre-check starts no gate
	if (!isEnforced) dropHalt(session);
	return {
		reason: isHeld && !hasPassed ? denialText(name ?? "the call", facts) : null,
		message: isTold ? warningText(isEnforced ? "enforce" : "warn", facts) : null,
	};
}

/** What can't be judged counts as a change. */
const mayChangeSomething = (hook: Hook): boolean =>
	attempt(hook.log, () => loadJudge().mayChange(hook.input, hook)) ?? true;

/** Lifts the stop, or reaches into ccg's store. By a look at the words: a barrier, no wall. */
function isAboutHalt(input: Record<string, unknown>, root: string): boolean {
	const words = JSON.stringify(input);
	// quotes within a word part it for the eye only
	return [words, words.replace(/["'\\]+/g, "")].some(
		(one) => /\btask\s+resume\b/.test(one) || one.includes(`${root}/`) || /\.claude-memory\b/i.test(one),
	);
}

function commands(hook: Hook) {
	const { id: sid, paths } = hook.session;
	// (a person's terminal does not know the session)
	const session = hook.env.CLAUDE_CODE_SESSION_ID === sid ? "" : ` --session ${sid}`;
	const task = `${shellCommand(hook)} task`;
	const isBegun = existsSync(join(paths.folder, "task-state.json"));
	return {
		checkpointCommand: `${task} checkpoint${session}`,
		resumeCommand: `${task} resume --session ${sid}`,
		statusCommand: isBegun ? `${task} status --session ${sid}` : null,
	};
}
