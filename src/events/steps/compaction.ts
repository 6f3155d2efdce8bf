import type { ModFacts } from "../../claude/hook-input.ts";
import { optionally } from "../../claude/recovery/take-checkpoint.ts";
import {
	type Behind,
	behind,
	type FoundBoundary,
	holds,
	isWithinReach,
	keptMessages,
	lastBoundary,
	lastUsage,
} from "../../claude/transcript/compactions.ts";
import { MAX_INJECTED_CHARS } from "../../core/block/budget.ts";
import type { Block } from "../../core/block/recovery-block.ts";
import { checkpointMarkdown } from "../../core/block/views.ts";
import type { Checkpoint } from "../../core/checkpoint/checkpoint.ts";
import { olderThan } from "../../core/pressure/model.ts";
import { begin, begunAt, type Compaction, type Cycle, type Prepared } from "../../core/session/cycle.ts";
import { safeText } from "../../core/text/text.ts";
import { appendLog } from "../../memory/notes-file.ts";
import { dropFlush, dropFollowUp, dropHalt, noteMissed, raiseFollowUp } from "../../store/pressure/flags.ts";
import { readyCheckpoint, renewCheckpoint } from "../../store/recovery/checkpoints.ts";
import { waitingRestore } from "../../store/recovery/restore-request.ts";
import {
	freshWorkspaceFile,
	markRecovered,
	writeReadable,
	writeWorkspaceFile,
} from "../../store/recovery/workspace-file.ts";
import { changeCycle, readCycle } from "../../store/session/cycles.ts";
import { type Session, sessionAt } from "../../store/session-handle.ts";
import { attempt, type Services, type SessionInput } from "../run/event.ts";
import { checkpointAsItStands, compactionLine, takeCompactionCheckpoint } from "./checkpoint.ts";
import { recoveryBlockOf } from "./recovery-block.ts";

/** A second SessionStart this soon after the first belongs to the same compaction. */
const SAME_COMPACTION_MS = 2 * 60_000;
/** The same start may run two registered hooks at once; a later resume is another one. */
const SAME_START_MS = 1_000;

const HEAD = "ccg recovery precompact_checkpoint_";

/** The block of a compaction that just took place; `null` where there is none to tell, or another hook told it. */
export function afterCompaction(input: SessionInput, services: Services): string | null {
	const session = sessionAt(services, input.session_id);
	const { prepared, began } = readCycle(session);
	// the mod injects behind the summary; should it be gone, the next tool call or prompt starts this hook again
	if (prepared?.mod && !input.mod) {
		noteMissed(session);
		return null;
	}
	const boundary = boundaryIn(input.transcript_path);
	// an unconfirmed one counts once its boundary stands in the main transcript
	if (prepared?.unconfirmed && !(boundary && boundary.at >= prepared.at)) return null;
	if (prepared) return tell(input, services, prepared, boundary);
	if (began && isSame(began, services.now)) return null;
	// PreCompact did not run or could not save: the transcript still holds everything
	// (at SessionStart itself the last boundary may still be the one before)
	const known = input.hook_event_name === "SessionStart" ? null : boundary;
	return tellFromTranscript(input, services, known) ?? fromWorkspaceFile(input, services);
}

/** Not from PreCompact alone: the summary in between can take minutes. */
const isSame = ({ at, toldAt = 0 }: Compaction, now: Date): boolean =>
	now.getTime() - Math.max(Date.parse(at), toldAt) < SAME_COMPACTION_MS;

/** What SessionStart should have injected, once; `null` where the transcript holds no compaction. */
export function afterMissed(input: SessionInput, services: Services): string | null {
	const session = sessionAt(services, input.session_id);
	// the transcript is written behind the events; what SessionStart left to the mod needs no such proof
	const isProof = readCycle(session).prepared?.mod || boundaryIn(input.transcript_path) !== null;
	if (!dropFollowUp(session)) return null;
	if (!isProof) {
		keepFollowUpFlag(session, readCycle(session));
		return null;
	}
	const text = afterCompaction({ ...input, source: "compact", mod: input.mod ?? BY_NOBODY }, services);
	// a restore may wait as well
	keepFollowUpFlag(session, readCycle(session));
	return text;
}

/** Whoever should have injected it has not: this run does. */
const BY_NOBODY: ModFacts = { tokens: null, trigger: null, window: null, claudeVersion: null };

/**
 * Resume and fork: the block again, unless Claude Code restores the injected one (measured on 2.1.329: it does). A
 * fork has a new session id; its transcript is a copy, so its state is read from there.
 */
export function afterResume(input: SessionInput, services: Services): string | null {
	const session = sessionAt(services, input.session_id);
	const path = input.transcript_path;
	const boundary = boundaryIn(path);
	const { prepared, began } = readCycle(session);
	const of = prepared && boundary && boundary.at > prepared.at ? prepared : began;
	const found = boundary && behind(path!, boundary.offset);
	if (of && isUndone(of, boundary, input)) notDue(session, of.key);
	else if (of) {
		if (!found || !holds(found, of.key)) return tell(input, services, of, boundary);
		if (of === prepared) changeCycle(session, (cycle) => cycle.prepared?.key === of.key && begin(cycle, of));
		return lostFollowUp(path!, found);
	}
	if (!boundary || !found) return null;
	if (holds(found, HEAD)) return lostFollowUp(path!, found);
	return tellFromTranscript(input, services, boundary);
}

/**
 * Claude Code was killed before the compaction stood in the transcript: the conversation goes on as it was before, with the
 * block of the compaction before where there was one.
 */
function isUndone(of: Prepared, boundary: FoundBoundary | null, input: SessionInput): boolean {
	if (boundary) return boundary.at < begunAt(of);
	return begunAt(of) !== "" && input.transcript_path !== undefined && isWithinReach(input.transcript_path);
}

function notDue(session: Session, key: string): void {
	const cycle = changeCycle(session, (one) => {
		if (one.began?.key === key) delete one.began.isDue;
		return one;
	});
	keepFollowUpFlag(session, cycle);
}

/** The flag stands while something waits for the next call or prompt. */
export function keepFollowUpFlag(session: Session, { began }: Cycle): void {
	const key = waitingRestore(session, { session: session.id })?.key ?? (began?.isDue ? began.key : null);
	if (key) raiseFollowUp(session, key);
	else dropFollowUp(session);
}

/**
 * Before 2.1.300 Claude Code restores on resume what SessionStart injected, not what came with a tool call (measured on
 * 2.1.200 and 2.1.250; 2.1.300 restores both): the follow-up block is injected again.
 */
function lostFollowUp(path: string, { records }: Behind): string | null {
	if (!olderThan(lastUsage(path)?.version ?? "", [2, 1, 300])) return null;
	const told = records.flatMap(({ event, texts }) => texts.map((text) => ({ event, text })));
	const last = told.findLast(({ text }) => text.startsWith(HEAD));
	return last?.event === "PreToolUse" && last.text.slice(0, 200).includes(", continued:") ? safeText(last.text) : null;
}

/**
 * The block of a compaction, as the session stands now: everything is made first, then one transaction decides who tells it. `taken`:
 * its checkpoint, where this run took it.
 */
function tell(
	input: SessionInput,
	services: Services,
	of: Prepared,
	boundary: FoundBoundary | null,
	taken?: Checkpoint,
): string | null {
	const { root, config, log, now } = services;
	const { key, at } = of;
	const session = sessionAt(services, input.session_id);
	const source = input.source ?? "compact";
	const found = taken ? { checkpoint: taken, isNew: false } : checkpointAsItStands(input, services, of, boundary);
	// the mod starts this behind PostCompact: it gets what stands there in every other session
	const isCompared = !(input.mod && input.hook_event_name === "SessionStart");
	const make = (): Block => recoveryBlockOf(found!.checkpoint, services, isCompared ? at : null);
	const block = found && optionally("the recovery block", { log }, make);
	const ready = found?.isNew ? readyCheckpoint(found.checkpoint) : null;
	const isMine = changeCycle(session, (cycle) => {
		const began = claimed(cycle, of, source, now);
		if (!began) return false;
		began.toldAt = now.getTime();
		if (!block) return true;
		began.first = { ids: block.ids, chars: block.text.length };
		began.isDue = true;
		if (ready) renewCheckpoint(session, ready);
		return true;
	});
	if (!isMine) return null;
	dropFlush(session);
	dropHalt(session);
	if (!block) {
		log(`checkpoint ${key} can't be used, and the transcript can't be read`);
		return fromWorkspaceFile(input, services);
	}
	const { checkpoint } = found;
	attempt(log, () => raiseFollowUp(session, key));
	attempt(log, () => writeReadable(session, checkpoint));
	if (config.workspaceFile.enabled) attempt(log, () => recoverWorkspaceFile(session, checkpoint));
	if (source === "compact")
		attempt(log, () => appendLog(root, checkpoint.projectDir, compactionLine(session, checkpoint), now));
	return block.text;
}

/** The compaction this start tells; `null` where another one has told it. */
function claimed(cycle: Cycle, of: Prepared, source: string, now: Date): Compaction | null {
	if (cycle.prepared?.key === of.key) return begin(cycle, of);
	const { began } = cycle;
	if (began?.key !== of.key) return source === "compact" && began && isSame(began, now) ? null : begin(cycle, of);
	if (began.toldAt === undefined) return began;
	return source !== "compact" && Math.abs(now.getTime() - began.toldAt) >= SAME_START_MS ? began : null;
}

/** What lies in the workspace holds what was told. */
function recoverWorkspaceFile(session: Session, checkpoint: Checkpoint): void {
	const { projectDir } = checkpoint;
	if (!markRecovered(session, projectDir)) return;
	writeWorkspaceFile(session, projectDir, checkpointMarkdown(checkpoint));
	markRecovered(session, projectDir);
}

/** Of a compaction that no PreCompact saved. */
function tellFromTranscript(input: SessionInput, services: Services, boundary: FoundBoundary | null): string | null {
	const kept = boundary ? keptMessages(input.transcript_path!, boundary, "") : [];
	const taken = takeCompactionCheckpoint({ ...input, trigger: input.source }, services, () => {}, kept);
	if (!taken) return null;
	const { key, at, trigger } = taken;
	return tell(input, services, { key, at, trigger }, boundary, taken);
}

/** Last resort: checkpoint and transcript were lost, the workspace file is fresh and what this session's PreCompact wrote. */
function fromWorkspaceFile(input: SessionInput, services: Services): string | null {
	const { config, env, now } = services;
	const folder = env.CLAUDE_PROJECT_DIR ?? input.cwd;
	const session = sessionAt(services, input.session_id);
	if (!folder || !config.workspaceFile.enabled) return null;
	const text = freshWorkspaceFile(session, folder, now, config.workspaceFile.freshMinutes * 60_000);
	if (text === null || !markRecovered(session, folder)) return null;
	const head = "ccg recovery: from .context-checkpoint.recovered.md in the workspace, written before the compaction.\n";
	const whole = `${head}${text}\n`.slice(0, Math.min(MAX_INJECTED_CHARS, config.recovery.maxChars));
	return whole.slice(0, whole.lastIndexOf("\n"));
}

/** The last boundary of a transcript; `null` also where that can't be read. */
export function boundaryIn(path: string | undefined): FoundBoundary | null {
	try {
		return path ? lastBoundary(path) : null;
	} catch {
		return null;
	}
}
