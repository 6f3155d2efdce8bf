import { type LastCompaction, lastCompaction } from "../../claude/transcript/compactions.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import {
	beginCycle,
	type Cycle,
	dueKey,
	type Prepared,
	type Step,
	stepAfterCompaction,
	stepAfterResume,
	takeFollowUp,
	tell,
} from "../../core/session/cycle.ts";
import { attempt } from "../../files/quietly.ts";
import { dropFlush, dropFollowUp, dropHalt, noteMissed, raiseFollowUp } from "../../store/pressure/flags.ts";
import { overwriteCheckpoint, readyCheckpoint } from "../../store/recovery/checkpoints.ts";
import { waitingRestore } from "../../store/recovery/restore-request.ts";
import { freshWorkspaceFile, markRecovered } from "../../store/recovery/workspace-file.ts";
import { changeCycle, readCycle } from "../../store/session/cycles.ts";
import type { Session } from "../../store/session-handle.ts";
import type { Hook } from "../run/event.ts";
import { checkpointAsItStands, takeCompactionCheckpoint } from "./checkpoint.ts";
import { recoveryBlockOf } from "./recovery-block.ts";

/**
 * What a start injects of the last compaction, each once; `null` where there is nothing to tell, or another hook told it. Behind a
 * compaction its block. On resume and fork the block again, unless Claude Code restores the injected one (measured on 2.1.329: it does);
 * a fork has a new session id, and its transcript is a copy, so its state is read from there. With a call or prompt what SessionStart
 * should have injected, where it claimed none.
 */
export function blockAtStart(hook: Hook): string | null {
	const { input, session, now } = hook;
	const seen = lastCompaction(input.transcript_path);
	const cycle = readCycle(session);
	const by = isStart(hook) ? "SessionStart" : "call";
	if (by === "call" || input.source === "compact") return act(stepAfterCompaction(cycle, seen, by), hook, cycle, seen);
	const { isUndone, ...step } = stepAfterResume(cycle, seen, now);
	// the conversation goes on as it was before, with the block of the compaction before where there was one
	if (isUndone) changeCycle(session, (one) => takeFollowUp(one, cycle.began!.key));
	keepFollowUpFlag(session, isUndone ? null : dueKey(cycle));
	return act(step, hook, cycle, seen);
}

/** Does the step; gives what there is to inject. */
function act(step: Step, hook: Hook, cycle: Cycle, seen: LastCompaction): string | null {
	const { input, session } = hook;
	if (step.act === "tell") return tellBlock(hook, cycle, seen, step.of, checkpointAsItStands(hook, step.of, seen));
	if (step.act === "restored") {
		const { of } = step;
		if (of && of === cycle.prepared) changeCycle(session, (one) => one.prepared?.key === of.key && beginCycle(one, of));
	}
	if (step.act !== "save") return null;
	// the transcript still holds everything; at SessionStart behind a compaction the last boundary may still be the one before
	const kept = input.source === "compact" ? [] : seen.kept(0);
	const checkpoint = takeCompactionCheckpoint(hook, isStart(hook) ? input.source! : "compact", { kept });
	if (!checkpoint) return fromWorkspaceFile(hook);
	const { key, at, trigger } = checkpoint;
	// behind its boundary, mostly: none before the last one is its own
	const place = seen.boundary()?.offset ?? 0;
	return tellBlock(hook, cycle, seen, { key, at, place, trigger }, { checkpoint, isNew: false });
}

/** What SessionStart missed comes with a call or a prompt, which may have a source of its own. */
const isStart = ({ input: { source = "" } }: Hook): boolean => ["compact", "resume", "fork"].includes(source);

/** The flag stands while something waits for the next call or prompt: a restore, or the compaction of `due`. */
export function keepFollowUpFlag(session: Session, due: string | null): void {
	const key = waitingRestore(session, { session: session.id })?.key ?? due;
	if (key) raiseFollowUp(session, key);
	else dropFollowUp(session);
}

/** The block of a compaction: everything is made first, then one transaction decides who tells it. `before`: as it was read. */
function tellBlock(
	hook: Hook,
	before: Cycle,
	seen: LastCompaction,
	of: Prepared,
	found: { checkpoint: Checkpoint; isNew: boolean } | null,
): string | null {
	const { input, session, config, log, now } = hook;
	const block = found && attempt(log, () => recoveryBlockOf(hook, found.checkpoint));
	const ready = found?.isNew ? readyCheckpoint(found.checkpoint) : null;
	const boundary = input.source === "compact" ? (seen.boundary()?.offset ?? -1) : undefined;
	const isMine = changeCycle(session, (cycle) => {
		if (!tell(cycle, of, before, { at: now, isMade: block !== null, boundary })) return false;
		if (block && ready) overwriteCheckpoint(session, ready);
		if (isStart(hook)) noteMissed(session);
		return true;
	});
	if (!isMine) return null;
	dropFlush(session);
	dropHalt(session);
	if (!block) {
		log(`checkpoint ${of.key} can't be used, and the transcript can't be read`);
		return fromWorkspaceFile(hook);
	}
	if (isStart(hook)) hook.whenPrinted(() => raiseFollowUp(session, of.key));
	if (config.workspaceFile.enabled) markRecovered(session, found.checkpoint.projectDir);
	return block.text;
}

/** Last resort: checkpoint and transcript were lost, the workspace file is fresh and what this session's PreCompact wrote. */
function fromWorkspaceFile({ session, folder, config, now }: Hook): string | null {
	if (!folder || !config.workspaceFile.enabled) return null;
	const text = freshWorkspaceFile(session, folder, now, config.workspaceFile.freshMinutes * 60_000);
	if (text === null || !markRecovered(session, folder)) return null;
	const head = "ccg recovery: from .context-checkpoint.recovered.md in the workspace, written before the compaction.\n";
	const whole = `${head}${text}\n`.slice(0, config.recovery.maxChars);
	return whole.slice(0, whole.lastIndexOf("\n"));
}
