import { existsSync } from "node:fs";
import { join } from "node:path";
import { denialText, type HaltFacts, warningText } from "../core/guardian/halt-text.ts";
import { mayChange, type Surroundings } from "../core/guardian/tool-effect.ts";
import { shellWord } from "../install/shell-word.ts";
import { readCommitted } from "../store/checkpoints.ts";
import { claimTelling, type HaltMarker, isResumed, liftHalt, readHalt, takePass } from "../store/halt.ts";
import { claudeRoot, sessionPaths, storeRoot } from "../store/paths.ts";
import { nativeMemoryFolder } from "../store/project.ts";
import { readUsage } from "../store/usage-record.ts";
import { type EventHandler, forModel, type Services, type SessionInput } from "./event.ts";

/**
 * PreToolUse with the stop before it (seed 2, halt rule): with `guard.mode` "enforce", at critical pressure and without a
 * task checkpoint written since the last change, what may change something is denied; with "warn" the user is told once in
 * a cycle. Otherwise, and when the guard itself fails, `inner` answers alone. It never allows anything.
 */
export function guarded(inner: EventHandler): EventHandler {
	return (input, services) => {
		let found: Verdict | null = null;
		try {
			found = verdict(input, services);
		} catch (error) {
			services.log(error);
		}
		if (found?.reason) return denial(found.reason, found.message);
		const answer = inner(input, services);
		return found?.message ? withMessage(answer, found.message) : answer;
	};
}

interface Verdict {
	/** Why the call is denied. */
	reason?: string;
	/** For the user. */
	message?: string;
}

function verdict(input: SessionInput, services: Services): Verdict | null {
	const { root, config, now } = services;
	const sid = input.session_id;
	const { mode } = config.guard;
	if (!existsSync(sessionPaths(root, sid).haltMarker)) return null;
	const halt = readHalt(root, sid);
	// measured before a compaction, written after it
	const past = halt !== null && (readCommitted(root, sid)?.at ?? "") > halt.at;
	if (!halt || past || mode === "off" || isResumed(root, sid, now)) {
		liftHalt(root, sid);
		return null;
	}
	const facts = { ...newest(root, sid, halt), ...commands(sid, services) };
	const message = isFirstTelling(root, sid) ? warningText(mode === "enforce" ? "enforce" : "warn", facts) : undefined;
	if (mode !== "enforce") {
		// the guard goes back to its file test
		liftHalt(root, sid);
		return { message };
	}
	const { tool_name: name, tool_input = {} } = input;
	if (!name || !mayChange({ name, input: tool_input }, surroundings(input, services))) return { message };
	// a pass is for the task, not for the stop itself
	if (!isAboutGuard(tool_input, root) && takePass(root, sid)) return { message };
	return { reason: denialText(name, facts), message };
}

/** Lifts the stop, or reaches into ccg's store. By a look at the words: a barrier, no wall. */
function isAboutGuard(input: Record<string, unknown>, root: string): boolean {
	const words = JSON.stringify(input);
	return /\btask\s+resume\b/.test(words) || words.includes(`${root}/`) || /\.claude-memory\b/.test(words);
}

/** On a disk that takes no claim the user is not told, and the verdict stands. */
function isFirstTelling(root: string, sid: string): boolean {
	try {
		return claimTelling(root, sid);
	} catch {
		return false;
	}
}

function commands(
	sid: string,
	{ root, env, launcher }: Services,
): Pick<HaltFacts, "checkpointCommand" | "resumeCommand" | "statusCommand"> {
	// the agent's shell does not know this hook's CCG_HOME, a person's terminal not even the session
	const store = root === storeRoot({ HOME: env.HOME }) ? "" : ` --store ${shellWord(root)}`;
	const session = env.CLAUDE_CODE_SESSION_ID === sid ? "" : ` --session ${sid}`;
	const ccg = shellWord(launcher);
	return {
		checkpointCommand: `${ccg} task checkpoint${session}${store}`,
		resumeCommand: `${ccg} task resume --session ${sid}${store}`,
		statusCommand: existsSync(join(sessionPaths(root, sid).folder, "task-state.json"))
			? `${ccg} task status --session ${sid}${store}`
			: null,
	};
}

/** The marker holds the measure it was dropped at; what was measured since is told, as long as it is critical too. */
function newest(root: string, sid: string, halt: HaltMarker): HaltMarker {
	const { at = "", tokens = null, trigger = null, window = null } = readUsage(root, sid) ?? {};
	const limit = trigger ?? window;
	if (at < halt.at || tokens === null || !limit || tokens / limit < halt.critical) return halt;
	return { ...halt, at, tokens, limit };
}

function surroundings(input: SessionInput, { root, env, launcher }: Services): Surroundings {
	const claude = claudeRoot(env);
	const folder = env.CLAUDE_PROJECT_DIR ?? input.cwd;
	const memory = [join(root, "MEMORY.md"), join(root, "log"), join(root, "projects")];
	if (folder) memory.push(join(folder, ".serena", "memories"));
	if (claude && folder) memory.push(nativeMemoryFolder(claude, folder));
	return { launcher, memory };
}

function denial(reason: string, message?: string): string {
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
	return JSON.stringify({ ...(answer ? JSON.parse(answer) : {}), systemMessage: forModel(message) });
}
