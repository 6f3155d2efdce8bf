import { takeCheckpoint as take } from "../claude/recovery/take-checkpoint.ts";
import type { Pace } from "../claude/transcript/read-transcript.ts";
import { olderThan } from "../core/pressure/model.ts";
import type { Checkpoint } from "../core/recovery/checkpoint.ts";
import { checkpointMarkdown } from "../core/recovery/checkpoint-markdown.ts";
import { isSteering, shortSteering, steeringText } from "../core/recovery/steering.ts";
import type { SessionState } from "../core/state/session-state.ts";
import { forModel } from "../core/text/for-model.ts";
import { storePath } from "../core/text/quoted.ts";
import { firstWords, oneLine } from "../core/text/text.ts";
import { appendLog } from "../store/memory/daily-log.ts";
import { clearMarker } from "../store/pressure/marker.ts";
import { checkpointPath } from "../store/recovery/checkpoints.ts";
import { readPending, setPending } from "../store/recovery/pending.ts";
import { noteSavedAt } from "../store/recovery/saved-at.ts";
import { writeWorkspaceFile } from "../store/recovery/workspace-file.ts";
import { sessionAt } from "../store/session-handle.ts";
import { attempt } from "./run/attempt.ts";
import { NO_LIMIT } from "./run/budget.ts";
import type { EventHandler, Services, SessionInput } from "./run/event.ts";
import { checkpointPlace } from "./steps/checkpoint-place.ts";
import { triggerOf } from "./steps/learn-triggers.ts";

/**
 * Saves the working state before a compaction and tells the summariser what to keep word for word. Does not prove a
 * compaction: what it leaves is pending until SessionStart commits it.
 */
export const preCompact: EventHandler = (input, services) => {
	const { root, config, now, log } = services;
	const sid = input.session_id;
	const session = sessionAt(services, sid);
	// the mod ran this before, and what it printed is in the summariser's instructions
	if (!input.mod && isSteering(input.custom_instructions ?? "") && readPending(session)?.mod) return null;
	clearMarker(session);
	const checkpoint = takeCheckpoint(input, services);
	if (!checkpoint) return null;
	let unconfirmed = false;
	attempt(log, () => {
		unconfirmed = looksLikeSubagent(input, services, checkpoint.state);
	});
	setPending(session, {
		key: checkpoint.key,
		at: checkpoint.at,
		trigger: checkpoint.trigger,
		...(unconfirmed ? { unconfirmed } : {}),
		...(input.mod ? { mod: true } : {}),
	});
	if (config.workspaceFile.enabled)
		attempt(log, () => writeWorkspaceFile(session, checkpoint.projectDir, checkpointMarkdown(checkpoint)));
	attempt(log, () =>
		appendLog(root, checkpoint.projectDir, logLine(checkpoint, checkpointPath(session, checkpoint.key)), now),
	);
	const { state } = checkpoint;
	// what the mod passes on is printed nowhere
	const isPrinted = input.trigger === "manual" && !input.mod;
	const steering = isPrinted ? shortSteering(state) : steeringText(state, config.steering.maxChars);
	return steering && forModel(steering);
};

/** Takes the checkpoint of a compaction. Without a readable transcript the workspace alone is saved; `null` when there is neither. */
export function takeCheckpoint(input: SessionInput, services: Services, until?: number): Checkpoint | null {
	const { now, log } = services;
	const place = checkpointPlace(input, services);
	const checkpoint = take(
		{ ...place, until, pace: paceOf(services) },
		{ trigger: input.trigger ?? "", type: "precompact" },
	);
	if (checkpoint) attempt(log, () => noteSavedAt(place.session, now));
	return checkpoint;
}

const WORDS_MS = 250;

/** The user's words alone from the budget's end on, and a quarter of a second later the last of them. */
function paceOf({ budget = NO_LIMIT }: Services): Pace {
	return () => {
		const spent = budget.spentMs();
		return spent < budget.limitMs ? "all" : spent < budget.limitMs + WORDS_MS ? "words" : "none";
	};
}

/**
 * Up to 2.1.280 a subagent's compaction came without `agent_id`. An automatic one while the main thread is far from its
 * own trigger is probably such; the boundary in the main transcript will tell.
 */
function looksLikeSubagent(input: SessionInput, services: Services, state: SessionState): boolean {
	if (input.trigger !== "auto" || state.tokens === null || !olderThan(state.claudeVersion, [2, 1, 281])) return false;
	const { tokens } = triggerOf(services, input.cwd ?? "", state);
	return tokens !== null && state.tokens < tokens / 2;
}

const LOGGED = 100;

function logLine({ trigger, state, key }: Checkpoint, path: string): string {
	const request = firstWords(oneLine(state.messages.at(-1)?.text ?? ""), LOGGED);
	const size = state.tokens === null ? "" : `, ${Math.round(state.tokens / 1000)}k tokens`;
	return `compaction (${/^\w{1,20}$/.test(trigger) ? trigger : "unknown"}${size})${request ? ` while working on "${request}"` : ""}; checkpoint ${key}: ${storePath(path)}`;
}
