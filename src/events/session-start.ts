import { rmSync } from "node:fs";
import type { ModFacts } from "../claude/hook-input.ts";
import {
	attachmentHolds,
	isWithinReach,
	keptMessages,
	lastBoundary,
	lostOnResume,
	transcriptVersion,
} from "../claude/transcript/compactions.ts";
import { olderThan } from "../core/pressure/model.ts";
import { MAX_INJECTED_CHARS } from "../core/recovery/budget.ts";
import type { Checkpoint } from "../core/recovery/checkpoint.ts";
import { checkpointMarkdown } from "../core/recovery/checkpoint-markdown.ts";
import type { Block } from "../core/recovery/recovery-block.ts";
import { safeText } from "../core/text/text.ts";
import { keepShortLauncher, shortLauncher } from "../store/app-folder.ts";
import { appendLog } from "../store/memory/daily-log.ts";
import { startupNotes } from "../store/memory/memory-read.ts";
import { keepUse } from "../store/memory/note-facts.ts";
import { sessionPaths } from "../store/paths.ts";
import { endCycle, removeStaleMarkers } from "../store/pressure/marker.ts";
import { writeReadable } from "../store/recovery/checkpoints.ts";
import {
	forgetFollowUp,
	noteMissed,
	saveRecoveryInjection,
	setFollowUpMarker,
} from "../store/recovery/compaction-record.ts";
import { claimInjection, injectedAt } from "../store/recovery/injections.ts";
import { dropLossNote } from "../store/recovery/loss-note.ts";
import { commitPending, type Pending, readCommitted, readPending, setCommitted } from "../store/recovery/pending.ts";
import { dropCompactionMarker, dropOrphanedRestore } from "../store/recovery/restore-request.ts";
import { freshWorkspaceFile, markRecovered, writeWorkspaceFile } from "../store/recovery/workspace-file.ts";
import { keepProcessSession } from "../store/session/process-session.ts";
import { keepSessionProject } from "../store/session/session-project.ts";
import { type Session, sessionAt } from "../store/session-handle.ts";
import { attempt } from "./run/attempt.ts";
import { additionalContext, type EventHandler, type Services, type SessionInput } from "./run/event.ts";
import { tellStore } from "./run/tell-store.ts";
import { begunAt } from "./steps/follow-up-block.ts";
import { maintainStore } from "./steps/maintenance.ts";
import { preparePluginCopy } from "./steps/plugin-upkeep.ts";
import { recoveryBlockOf } from "./steps/recovery-block.ts";
import { nextRestoredText } from "./steps/restored.ts";
import {
	checkpointAsItStands,
	compactionLine,
	type FoundBoundary,
	takeCompactionCheckpoint,
} from "./steps/told-checkpoint.ts";
import { hearPrompt } from "./user-prompt-submit.ts";

/** A second SessionStart this soon after the first belongs to the same compaction. */
const SAME_COMPACTION_MS = 2 * 60_000;

/** Injects saved memory at a start, and the recovery block after a compaction, on resume and on fork: each once. */
export const sessionStart: EventHandler = (input, services) => {
	const { root, config, now } = services;
	if (isLate(input)) {
		if (input.hook_event_name === "UserPromptSubmit") {
			hearPrompt(input, services);
			dropLossNote(sessionAt(services, input.session_id));
		}
		return afterMissed(input, services);
	}
	attempt(services.log, () => dropOrphanedRestore(sessionAt(services, input.session_id), now));
	const folder = services.env.CLAUDE_PROJECT_DIR ?? input.cwd ?? "";
	// a status line that runs says so again
	if (input.source !== "compact") removeStaleMarkers(root, config.marker.staleMinutes * 60_000, now);
	if (input.source !== "compact") rmSync(sessionPaths(root, input.session_id).statusLineSeen, { force: true });
	if (input.source !== "compact") attempt(services.log, () => maintainStore(input, services));
	attempt(services.log, () => keepPlace(input, services));
	if (input.source === "startup" || input.source === "resume") attempt(services.log, () => preparePluginCopy(services));
	if (input.source !== "startup" && input.source !== "compact")
		attempt(services.log, () => keepProcessSession(root, services.env, input.session_id));
	if (input.source === "compact") return answer(afterCompaction(input, services));
	if (input.source === "resume" || input.source === "fork")
		return answer(afterResume(input, services) ?? nextRestored(folder, services));
	return folder ? answer(withNotes(nextRestored(folder, services), folder, services)) : null;
};

/** A checkpoint that was restored for the next session comes first; notes take what room is left. */
function withNotes(restored: string | null, folder: string, services: Services): string | null {
	if (restored === null) return savedNotes(folder, services, services.config.startup.maxChars);
	const room = Math.min(services.config.startup.maxChars, MAX_INJECTED_CHARS - restored.length - 2);
	const notes = room < LEAST_NOTES ? null : savedNotes(folder, services, room);
	return notes ? `${restored}\n\n${notes}` : restored;
}

/** What a start of notes with one of them takes. */
const LEAST_NOTES = 400;

function nextRestored(folder: string, services: Services): string | null {
	let text: string | null = null;
	attempt(services.log, () => {
		text = folder ? nextRestoredText(folder, services) : null;
	});
	return text;
}

/** The notes of earlier sessions; which of them were told is kept, once a day. */
function savedNotes(folder: string, services: Services, maxChars: number): string | null {
	const { now } = services;
	const notes = startupNotes(services, folder, now, maxChars);
	if (notes) keepUse(services, notes.told, "start", now);
	return notes?.text ?? null;
}

/** The launcher starts this hook with the next tool call or prompt when it could not start Bun behind a compaction. */
const isLate = ({ hook_event_name: event }: SessionInput): boolean =>
	event === "PreToolUse" || event === "UserPromptSubmit";

/** What SessionStart should have injected, once; `null` where the transcript holds no compaction. */
function afterMissed(input: SessionInput, services: Services): string | null {
	const path = input.transcript_path;
	const session = sessionAt(services, input.session_id);
	// the transcript is written behind the events; what SessionStart left to the mod needs no such proof
	const isProof = readPending(session)?.mod || quietBoundary(path) !== null;
	if (!dropCompactionMarker(session) || !isProof) return null;
	const text = afterCompaction({ ...input, source: "compact", mod: input.mod ?? BY_NOBODY }, services);
	return text && additionalContext(input.hook_event_name as "PreToolUse" | "UserPromptSubmit", text);
}

/** Whoever should have injected it has not: this run does. */
const BY_NOBODY: ModFacts = { tokens: null, trigger: null, window: null, claudeVersion: null };

/** For commands that the agent's shell runs: the short one leads here, which project is the session's, and which store. */
function keepPlace(input: SessionInput, services: Services): void {
	const { env, log, root, launcher } = services;
	keepShortLauncher(shortLauncher(root), launcher);
	let storeTold = false;
	attempt(log, () => {
		storeTold = tellStore(services);
	});
	const folder = env.CLAUDE_PROJECT_DIR ?? input.cwd;
	if (folder) keepSessionProject(sessionAt(services, input.session_id), { folder, storeTold });
}

const answer = (text: string | null): string | null => (text ? additionalContext("SessionStart", text) : null);

function afterCompaction(input: SessionInput, services: Services): string | null {
	const session = sessionAt(services, input.session_id);
	const pending = readPending(session);
	// the mod injects behind the summary; should it be gone, the next tool call or prompt starts this hook again
	if (pending?.mod && !input.mod) {
		noteMissed(session);
		return null;
	}
	const boundary = quietBoundary(input.transcript_path);
	// an unconfirmed one counts once its boundary stands in the main transcript
	if (pending?.unconfirmed && !(boundary && boundary.at >= pending.at)) return null;
	if (pending) {
		if (!commitPending(session)) return null;
		endCycle(session);
		return inject(input, services, pending, boundary);
	}
	const committed = readCommitted(session);
	if (committed) {
		const [told, again] = ["compact", "resume"].map((source) => injectedAt(session, committed.key, source));
		// another event commits it at this moment
		if (told === null && again === null) return inject(input, services, committed, boundary);
		// not from PreCompact alone: the summary in between can take minutes
		const last = Math.max(Date.parse(committed.at), told ?? 0);
		// a resume in between has injected it
		if (services.now.getTime() - last < SAME_COMPACTION_MS)
			return again === null ? inject(input, services, committed, boundary) : null;
	}
	// PreCompact did not run or could not save: the transcript still holds everything
	// (at SessionStart itself the last boundary may still be the one before)
	const known = input.hook_event_name === "SessionStart" ? null : boundary;
	return injectFromTranscript(input, services, known) ?? fromWorkspaceFile(input, services);
}

/**
 * Resume and fork: the block again, unless Claude Code restores the injected one (measured on 2.1.329: it does). A
 * fork has a new session id; its transcript is a copy, so its state is read from there.
 */
function afterResume(input: SessionInput, services: Services): string | null {
	const session = sessionAt(services, input.session_id);
	const path = input.transcript_path;
	const boundary = quietBoundary(path);
	const pending = readPending(session);
	if (pending && boundary && boundary.at > pending.at && commitPending(session)) endCycle(session);
	const committed = readCommitted(session);
	if (committed && isUndone(committed, boundary, input)) dropCompactionMarker(session);
	else if (committed) {
		if (boundary && path && attachmentHolds(path, boundary.offset, committed.key))
			return lostFollowUp(input, boundary.offset);
		return inject(input, services, committed, boundary);
	}
	if (!boundary || !path) return null;
	if (attachmentHolds(path, boundary.offset, "ccg recovery precompact_checkpoint_"))
		return lostFollowUp(input, boundary.offset);
	return injectFromTranscript(input, services, boundary);
}

/**
 * Claude Code was killed before the compaction stood in the transcript: the conversation goes on as it was before, with the
 * block of the compaction before where there was one.
 */
function isUndone(committed: Pending, boundary: FoundBoundary, input: SessionInput): boolean {
	if (boundary) return boundary.at < begunAt(committed);
	return begunAt(committed) !== "" && input.transcript_path !== undefined && isWithinReach(input.transcript_path);
}

/**
 * Before 2.1.300 Claude Code restores on resume what SessionStart injected, not what came with a tool call (measured on
 * 2.1.200 and 2.1.250; 2.1.300 restores both): the follow-up block is injected again.
 */
function lostFollowUp(input: SessionInput, offset: number): string | null {
	const path = input.transcript_path!;
	const version = transcriptVersion(path);
	if (version === null || !olderThan(version, [2, 1, 300])) return null;
	const text = lostOnResume(path, offset, "ccg recovery precompact_checkpoint_");
	return text?.slice(0, 200).includes(", continued:") ? safeText(text) : null;
}

const SAME_START_MS = 1_000;

/** The block of a compaction, as the session stands now, once per compaction, and once per resume. */
function inject(
	input: SessionInput,
	services: Services,
	of: Pending,
	boundary: FoundBoundary,
	taken?: Checkpoint,
): string | null {
	const { root, config, log, now } = services;
	const { key, at } = of;
	const session = sessionAt(services, input.session_id);
	const source = input.source ?? "compact";
	// the same start may run two registered hooks at once; a later resume is another one
	const againAfterMs = source === "compact" ? undefined : SAME_START_MS;
	if (!claimInjection(session, key, source, { now, againAfterMs })) return null;
	const checkpoint = taken ?? checkpointAsItStands(input, services, of, boundary);
	// the mod starts this behind PostCompact: it gets what stands there in every other session
	const isCompared = !(input.mod && input.hook_event_name === "SessionStart");
	const block = checkpoint && blockOf(checkpoint, services, isCompared ? at : null);
	if (!block) {
		log(`checkpoint ${key} can't be used, and the transcript can't be read`);
		return fromWorkspaceFile(input, services);
	}
	attempt(log, () => writeReadable(session, checkpoint));
	if (config.workspaceFile.enabled) attempt(log, () => recoverWorkspaceFile(session, checkpoint));
	const { text, ids } = block;
	attempt(log, () => {
		if (source === "compact") appendLog(root, checkpoint.projectDir, compactionLine(session, checkpoint), now);
		else forgetFollowUp(session, key);
		saveRecoveryInjection(session, { key, at, ids, chars: text.length });
		setFollowUpMarker(session, key);
	});
	return text;
}

/** What lies in the workspace holds what was told. */
function recoverWorkspaceFile(session: Session, checkpoint: Checkpoint): void {
	const { projectDir } = checkpoint;
	if (!markRecovered(session, projectDir)) return;
	writeWorkspaceFile(session, projectDir, checkpointMarkdown(checkpoint));
	markRecovered(session, projectDir);
}

function blockOf(checkpoint: Checkpoint, services: Services, since: string | null): Block | null {
	try {
		return recoveryBlockOf(checkpoint, services, since);
	} catch (error) {
		services.log(error);
		return null;
	}
}

/** Of a compaction that no PreCompact saved. */
function injectFromTranscript(input: SessionInput, services: Services, boundary: FoundBoundary): string | null {
	const kept = boundary ? keptMessages(input.transcript_path!, boundary, "") : [];
	const checkpoint = takeCompactionCheckpoint({ ...input, trigger: input.source }, services, kept);
	if (!checkpoint) return null;
	const { key, at, trigger } = checkpoint;
	const session = sessionAt(services, input.session_id);
	setCommitted(session, { key, at, trigger });
	endCycle(session);
	return inject(input, services, { key, at, trigger }, boundary, checkpoint);
}

/** Last resort: checkpoint and transcript were lost, the workspace file is fresh and what this session's PreCompact wrote. */
function fromWorkspaceFile(input: SessionInput, services: Services): string | null {
	const { config, env, now } = services;
	const folder = env.CLAUDE_PROJECT_DIR ?? input.cwd;
	const session = sessionAt(services, input.session_id);
	if (!folder || !config.workspaceFile.enabled) return null;
	const text = freshWorkspaceFile(session, folder, now, config.workspaceFile.freshMinutes * 60_000);
	if (text === null || !markRecovered(session, folder)) return null;
	const lines = text.split("\n");
	const kept: string[] = [
		"ccg recovery: from .context-checkpoint.recovered.md in the workspace, written before the compaction.",
	];
	let used = kept[0]!.length;
	for (const line of lines) {
		if (used + line.length + 1 > Math.min(MAX_INJECTED_CHARS, config.recovery.maxChars)) break;
		kept.push(line);
		used += line.length + 1;
	}
	return kept.join("\n");
}

function quietBoundary(path: string | undefined): FoundBoundary {
	try {
		return path ? lastBoundary(path) : null;
	} catch {
		return null;
	}
}
