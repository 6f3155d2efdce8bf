import { existsSync } from "node:fs";
import { join } from "node:path";
import { denialText, warningText } from "../../core/pressure/halt-text.ts";
import { type Cycle, compactedAt, hasHaltPass } from "../../core/session/cycle.ts";
import { cleanForModel } from "../../core/text/text.ts";
import { tryOrLog, tryOrUndefined } from "../../files/quietly.ts";
import { dropHaltFlag, readHaltTime, readLastUsage } from "../../store/pressure/flags.ts";
import { changeCycle, readCycle } from "../../store/session/cycles.ts";
import type { Answer, EventHandler, Hook } from "../run/event.ts";
import { loadJudge } from "./bundles.ts";
import { shellCommand } from "./ccg-command.ts";

/**
 * Puts the halt gate before a PreToolUse handler. With `guard.mode` "enforce", at critical pressure and without a task checkpoint since the
 * last change, it denies what may change something; with "warn" it tells the user once in a cycle. Otherwise, and when the gate itself
 * fails, `inner` answers alone.
 */
export const withHaltGate =
	(inner: EventHandler): EventHandler =>
	(hook) => {
		const judged = tryOrLog(hook.log, () => judgeAtHalt(hook));
		if (judged?.denial) return denialAnswer(judged.denial, judged.userLine);
		const answer = inner(hook);
		if (!judged?.userLine) return answer;
		const { systemMessage: line, ...rest } = Object(answer);
		return { ...rest, systemMessage: [line, cleanForModel(judged.userLine)].filter(Boolean).join("\n") };
	};

/** The halt gate for a call whose input is too large to be read: at a halt it is denied, also after a task checkpoint. */
export const haltGateForUnread: EventHandler = (hook) => {
	const judged = judgeAtHalt(hook, { isUnread: true });
	return judged?.denial ? denialAnswer(judged.denial, judged.userLine) : null;
};

/** The answer that denies a tool call: `reason` goes to the model, `userLine` to the user. */
const denialAnswer = (reason: string, userLine: string | null): Answer => ({
	...(userLine && { systemMessage: cleanForModel(userLine) }),
	hookSpecificOutput: {
		hookEventName: "PreToolUse",
		permissionDecision: "deny",
		permissionDecisionReason: cleanForModel(reason),
	},
});

/** Why the call is denied (`null`: it is not), and what the user is told; `null` where there is no halt. Claims a task checkpoint's pass. */
function judgeAtHalt(hook: Hook, { isUnread = false } = {}): { denial: string | null; userLine: string | null } | null {
	const { input, session, root, config } = hook;
	const { tool_name: name, tool_input = {} } = input;
	const { mode } = config.guard;
	if (!existsSync(session.paths.haltFlag)) return null;
	const haltAt = readHaltTime(session);
	const usage = haltAt === null ? null : readLastUsage(session);
	const cycle = usage && readCycle(session);
	// a compaction, or a person (`resumed`), ended the halt
	if (!haltAt || !cycle || compactedAt(cycle) > haltAt || mode === "off" || cycle.resumed) {
		dropHaltFlag(session);
		return null;
	}
	const isEnforced = mode === "enforce";
	const { tokens, trigger, window } = usage;
	const numbers = { tokens: tokens ?? 0, limit: trigger ?? window, critical: config.task.critical };
	const facts = { ...numbers, ...haltCommands(hook) };
	// with "warn" nothing is denied: the warning is of use to a task alone
	const needsWarning = isEnforced || facts.statusCommand !== null;
	const needsPass = isEnforced && (isUnread || (name !== undefined && mayChangeSomething(hook)));
	// a task checkpoint's pass is for work, not for what may undo the halt
	const mayUsePass = needsPass && !isUnread && !mayTouchHalt(tool_input, root);
	// of several calls at once, one warns the user and one gets the pass
	const claim = (now: Cycle) => {
		const tellsUser = needsWarning && !now.isHaltTold;
		const hasPass = mayUsePass && hasHaltPass(now, haltAt);
		if (tellsUser) now.isHaltTold = true;
		if (hasPass) delete now.passAt;
		return { tellsUser, hasPass };
	};
	const claimed = tryOrUndefined(() => changeCycle(session, claim));
	// a warning is given once: without the flag no further call starts the gate
	if (!isEnforced) dropHaltFlag(session);
	return {
		denial: needsPass && !claimed?.hasPass ? denialText(name ?? "the call", facts) : null,
		userLine: claimed?.tellsUser ? warningText(isEnforced ? "enforce" : "warn", facts) : null,
	};
}

/** Whether the tool call may change something; a call that can't be judged counts as a change. */
const mayChangeSomething = (hook: Hook): boolean =>
	tryOrLog(hook.log, () => loadJudge().mayChange(hook.input, hook)) ?? true;

/** Whether a tool call's input names the command that lifts a halt, or ccg's store. Looks at the words alone: it can be got round. */
function mayTouchHalt(input: Record<string, unknown>, root: string): boolean {
	const words = JSON.stringify(input);
	// also without quotes and backslashes, which may stand inside a word
	return [words, words.replace(/["'\\]+/g, "")].some(
		(one) => /\btask\s+resume\b/.test(one) || one.includes(`${root}/`) || /\.claude-memory\b/i.test(one),
	);
}

/** The commands that the texts on a halt name, as they can be typed. */
function haltCommands(hook: Hook) {
	const { id: sid, paths } = hook.session;
	// (a person's terminal does not know the session)
	const session = hook.env.CLAUDE_CODE_SESSION_ID === sid ? "" : ` --session ${sid}`;
	const task = `${shellCommand(hook)} task`;
	const hasTask = existsSync(join(paths.folder, "task-state.json"));
	return {
		checkpointCommand: `${task} checkpoint${session}`,
		resumeCommand: `${task} resume --session ${sid}`,
		statusCommand: hasTask ? `${task} status --session ${sid}` : null,
	};
}
