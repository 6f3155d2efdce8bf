import { type LastCompaction, readLastCompaction } from "../../claude/transcript/compactions.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { passMarked, safeMark } from "../../core/redact/secrets.ts";
import {
	beginCycle,
	type Cycle,
	claimBlock,
	claimReport,
	type Prepared,
	type Step,
	stepAfterCompaction,
	stepAfterResume,
	unreportedKey,
} from "../../core/session/cycle.ts";
import { cleanForModel } from "../../core/text/text.ts";
import { fileSize, tryOrLog } from "../../files/quietly.ts";
import { dropFollowUpFlag, raiseFollowUpFlag, raiseMissedFlag } from "../../store/pressure/flags.ts";
import { overwriteCheckpoint, prepareCheckpoint } from "../../store/recovery/checkpoints.ts";
import { readRestoreRequest } from "../../store/recovery/restore-request.ts";
import { markFileRecovered, readFreshWorkspaceFile } from "../../store/recovery/workspace-file.ts";
import { changeCycle, readCycle } from "../../store/session/cycles.ts";
import type { Session } from "../../store/session-handle.ts";
import type { Hook } from "../run/event.ts";
import { checkpointForBlock, saveCompactionCheckpoint } from "./checkpoint.ts";
import { makeRecoveryBlock } from "./recovery-block.ts";

/**
 * The block that this hook has to inject for the last compaction; `null` where none is needed, or another hook has claimed it. After a
 * compaction its block. On resume and fork the block again, unless Claude Code restores the injected one (measured on 2.1.329: it does);
 * a fork has a new session id, and its transcript is a copy, so its state is read from there. With a call or prompt the block that
 * SessionStart did not claim.
 */
export function claimRecoveryBlock(hook: Hook): string | null {
	const { input, session, now } = hook;
	const transcript = readLastCompaction(input.transcript_path);
	const cycle = readCycle(session);
	const hookKind = isSessionStart(hook) ? "SessionStart" : "call";
	if (hookKind === "call" || input.source === "compact")
		return runStep(stepAfterCompaction(cycle, transcript, hookKind), hook, cycle, transcript);
	const { isUndone, ...step } = stepAfterResume(cycle, transcript, now);
	// the compaction did not take place: there is nothing to report of it
	if (isUndone) changeCycle(session, (one) => claimReport(one, cycle.began!.key));
	setFollowUpFlag(session, isUndone ? null : unreportedKey(cycle));
	return runStep(step, hook, cycle, transcript);
}

/** Does the step; gives the text to inject, `null` where there is none. */
function runStep(step: Step, hook: Hook, cycle: Cycle, transcript: LastCompaction): string | null {
	const { input, session } = hook;
	if (step.act === "nothing") return null;
	if (step.act === "inject block") {
		const { compaction } = step;
		return claimBlockText(hook, cycle, transcript, compaction, checkpointForBlock(hook, compaction, transcript));
	}
	if (step.act === "block is there") {
		const { prepared } = cycle;
		if (prepared && step.compaction === prepared)
			changeCycle(session, (one) => one.prepared?.key === prepared.key && beginCycle(one, prepared));
		return null;
	}
	// the transcript still holds everything; at SessionStart after a compaction the last boundary may still be an earlier one
	const kept = input.source === "compact" ? [] : transcript.keptRanges(0);
	const checkpoint = saveCompactionCheckpoint(hook, isSessionStart(hook) ? input.source! : "compact", { kept });
	if (!checkpoint) return workspaceFileText(hook);
	const { key, at, trigger } = checkpoint;
	// no boundary before the last one can be its own
	const place = transcript.boundary()?.offset ?? 0;
	return claimBlockText(hook, cycle, transcript, { key, at, place, trigger }, { checkpoint, isChanged: false });
}

/** Whether this is SessionStart of a session that may lack a block; other hooks name other sources, or none. */
const isSessionStart = ({ input: { source = "" } }: Hook): boolean => ["compact", "resume", "fork"].includes(source);

/** Raises the follow-up flag while a restore or the report on compaction `unreported` waits for the next call or prompt; else drops it. */
export function setFollowUpFlag(session: Session, unreported: string | null): void {
	const key = readRestoreRequest(session, { session: session.id })?.key ?? unreported;
	if (key) raiseFollowUpFlag(session, key);
	else dropFollowUpFlag(session);
}

/** The text of a compaction's block, made from the checkpoint `found`; then one transaction claims it: `null` for all other processes. */
function claimBlockText(
	hook: Hook,
	cycleBefore: Cycle,
	transcript: LastCompaction,
	compaction: Prepared,
	found: { checkpoint: Checkpoint; isChanged: boolean } | null,
): string | null {
	const { input, session, config, log, now } = hook;
	const block = found && tryOrLog(log, () => makeRecoveryBlock(hook, found.checkpoint));
	const changed = found?.isChanged ? prepareCheckpoint(found.checkpoint) : null;
	const boundary = input.source === "compact" ? (transcript.boundary()?.offset ?? -1) : undefined;
	if (block) passMarked(cleanForModel(block.text), compaction.safe);
	const isClaimed = changeCycle(session, (cycle) => {
		if (!claimBlock(cycle, compaction, cycleBefore, { at: now, hasBlock: block !== null, boundary })) return false;
		if (block && changed) overwriteCheckpoint(session, changed);
		if (isSessionStart(hook)) raiseMissedFlag(session);
		return true;
	});
	if (!isClaimed) return null;
	if (!block) {
		log(`checkpoint ${compaction.key} can't be used, and the transcript can't be read`);
		return workspaceFileText(hook);
	}
	if (isSessionStart(hook)) hook.whenPrinted(() => raiseFollowUpFlag(session, compaction.key));
	if (config.workspaceFile.enabled) markFileRecovered(session, found.checkpoint.projectDir);
	return block.text;
}

/** Claude Code writes a transcript up to 65 ms behind its events (measured on 2.1.329). */
const LAG_MS = 100;

/**
 * Beside a compaction that is under way: takes what was written behind PreCompact, and before the summary, for summarised. Then looks for secrets
 * in the block: SessionStart, for which the user waits, mostly makes the same text.
 */
export function settleCompaction(hook: Hook): void {
	const { session, input } = hook;
	const { prepared } = readCycle(session);
	if (!prepared) return;
	Bun.sleepSync(LAG_MS);
	const place = fileSize(input.transcript_path);
	// read behind the size: a boundary that is not there yet comes behind it
	const transcript = readLastCompaction(input.transcript_path);
	if (!place || (transcript.boundary()?.offset ?? -1) >= prepared.place) return;
	const keep = (more: Partial<Prepared>) =>
		changeCycle(session, ({ prepared: now }) => now?.key === prepared.key && Object.assign(now, more));
	keep({ place });
	const found = checkpointForBlock(hook, { ...prepared, place }, transcript);
	const safe = found && safeMark(cleanForModel(makeRecoveryBlock(hook, found.checkpoint).text));
	if (safe) keep({ safe });
}

/** The last resort without checkpoint and transcript: the workspace file, where it is fresh and this session's PreCompact wrote it; else `null`. */
function workspaceFileText({ session, folder, config, now }: Hook): string | null {
	if (!folder || !config.workspaceFile.enabled) return null;
	const text = readFreshWorkspaceFile(session, folder, now, config.workspaceFile.freshMinutes * 60_000);
	if (text === null || !markFileRecovered(session, folder)) return null;
	const head = "ccg recovery: from .context-checkpoint.recovered.md in the workspace, written before the compaction.\n";
	const fitting = `${head}${text}\n`.slice(0, config.recovery.maxChars);
	return fitting.slice(0, fitting.lastIndexOf("\n"));
}
