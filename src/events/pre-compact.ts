import { existsSync } from "node:fs";
import { readWorkspace } from "../claude/machine/workspace.ts";
import { currentSession } from "../claude/transcript/current-session.ts";
import type { Pace } from "../claude/transcript/read-transcript.ts";
import { waitForLines } from "../claude/transcript/transcript-lag.ts";
import { olderThan } from "../core/pressure/model.ts";
import type { Checkpoint } from "../core/recovery/checkpoint.ts";
import { checkpointMarkdown } from "../core/recovery/checkpoint-markdown.ts";
import { isSteering, steeringText } from "../core/recovery/steering.ts";
import { countLookedAt } from "../core/state/name-counts.ts";
import { emptyState, type SessionState } from "../core/state/session-state.ts";
import { forModel } from "../core/text/for-model.ts";
import { storePath } from "../core/text/quoted.ts";
import { safeText } from "../core/text/text.ts";
import { appendLog } from "../store/memory/daily-log.ts";
import { clearMarker } from "../store/pressure/marker.ts";
import { checkpointPath, saveCheckpoint } from "../store/recovery/checkpoints.ts";
import { readPending, setPending } from "../store/recovery/pending.ts";
import { noteSavedAt } from "../store/recovery/saved-at.ts";
import { writeWorkspaceFile } from "../store/recovery/workspace-file.ts";
import { recentBatch } from "../store/session/batch-record.ts";
import { type Session, sessionAt } from "../store/session-handle.ts";
import { taskGlance } from "../store/task/task-glance.ts";
import { attempt } from "./run/attempt.ts";
import { NO_LIMIT, optionally } from "./run/budget.ts";
import type { EventHandler, Services, SessionInput } from "./run/event.ts";
import { triggerOf } from "./steps/learn-triggers.ts";
import { tellMissing } from "./steps/missing-transcript.ts";

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
	const steering = steeringText(checkpoint.state, config.steering.maxChars);
	return steering && forModel(steering);
};

/** Reads transcript and workspace and saves them. Without a readable transcript the workspace alone is saved; `null` when there is neither. */
export function takeCheckpoint(input: SessionInput, services: Services, until?: number): Checkpoint | null {
	const { env, now, log } = services;
	const sid = input.session_id;
	const session = sessionAt(services, sid);
	const projectDir = [env.CLAUDE_PROJECT_DIR, input.cwd].find((path) => path && existsSync(path)) ?? "";
	const transcriptPath = input.transcript_path ?? "";
	waitForLastBatch(session, input, now);
	let state: SessionState | null = null;
	const leftOut: string[] = [];
	const may = { budget: services.budget ?? NO_LIMIT, log, leftOut };
	try {
		const read = currentSession(session, transcriptPath, now, { until, pace: paceOf(services) });
		state = read.state;
		if (read.isCut) leftOut.push("what was not read of the transcript");
		if (read.isCut) log("left out for want of time: a part of the transcript");
		optionally("names in the last results", may, () => countLookedAt(read.state, read.lookedAt));
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") tellMissing(session, transcriptPath, log);
		else log(error);
		if (!projectDir) return null;
	}
	// the agent may work in a worktree or another folder by now
	const workFolder = input.cwd && existsSync(input.cwd) ? input.cwd : projectDir;
	const workspace = workFolder
		? optionally("the workspace", may, () => readWorkspace(workFolder, now, projectDir))
		: null;
	const task = taskGlance(session);
	if (workspace && task) workspace.task = { goal: safeText(task.goal), nextAction: safeText(task.nextAction) };
	if (!state && !workspace?.branch && !workspace?.planSummary) return null;
	const trigger = input.trigger ?? "";
	const checkpoint = saveCheckpoint(session, now, {
		trigger,
		projectDir,
		transcriptPath,
		state: state ?? emptyState(),
		workspace,
		...(leftOut.length > 0 && { leftOut }),
	});
	attempt(log, () => noteSavedAt(session, now));
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

/** The transcript is written behind the events: the results of the last calls may not stand in it yet. */
function waitForLastBatch(
	session: Session,
	{ transcript_path: transcriptPath, tool_use_ids: told }: SessionInput,
	now: Date,
): void {
	const ids = transcriptPath ? (told ?? recentBatch(session, now, RECENT_MS)) : [];
	if (transcriptPath && ids.length > 0)
		waitForLines(
			transcriptPath,
			ids.map((id) => `"tool_use_id":"${id}"`),
			LAG_MS,
		);
}

const RECENT_MS = 2_000;
const LAG_MS = 300;

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

/** Cut between words where there is one. */
function shortened(text: string): string {
	if (text.length <= LOGGED) return text;
	const head = text.slice(0, LOGGED - 1);
	const end = head.lastIndexOf(" ");
	return `${end > LOGGED / 2 ? head.slice(0, end) : head}…`;
}

function logLine({ trigger, state, key }: Checkpoint, path: string): string {
	const request = shortened(state.messages.at(-1)?.text.replace(/\s+/g, " ") ?? "");
	const size = state.tokens === null ? "" : `, ${Math.round(state.tokens / 1000)}k tokens`;
	return `compaction (${/^\w{1,20}$/.test(trigger) ? trigger : "unknown"}${size})${request ? ` while working on "${request}"` : ""}; checkpoint ${key}: ${storePath(path)}`;
}
