import { existsSync } from "node:fs";
import { backgroundWork } from "../../claude/hook-input.ts";
import { quickEnvironment } from "../../claude/machine/environment.ts";
import { readLastCompaction } from "../../claude/transcript/compactions.ts";
import { type Boundary, catchUpRecord } from "../../claude/transcript/read-session.ts";
import type { ReadOptions } from "../../claude/transcript/read-transcript.ts";
import { withTranscript } from "../../claude/transcript/transcript-file.ts";
import { applyTaskList, endSession } from "../../core/context/apply.ts";
import type { SessionSnapshot } from "../../core/context/session-context.ts";
import { correctPlaces } from "../../core/session/cycle.ts";
import type { SessionState } from "../../core/state/session-state.ts";
import { safeText } from "../../core/text/text.ts";
import { tryOrLog } from "../../files/quietly.ts";
import { addObservedTriggers } from "../../store/pressure/observed-triggers.ts";
import { changeCycle } from "../../store/session/cycles.ts";
import { promptChecker } from "../../store/session/heard-prompts.ts";
import { keepSessionFolder } from "../../store/session/place.ts";
import { readRecordOrEmpty, writeRecord } from "../../store/session/records.ts";
import type { Hook } from "../run/event.ts";
import { loadMeasure } from "./bundles.ts";

const MAX_TRIES = 3;

/**
 * Brings the record of a session up to the transcript's end and saves it. `endReason`: why the session ends, if it does. Where another hook
 * saved the record meanwhile, this run starts again from that record. The compactions that it reads correct the trigger.
 */
export function updateSession(hook: Hook, endReason?: string): { state: SessionState; isChanged: boolean } {
	const { input, session, folder, log, now } = hook;
	tryOrLog(log, () => keepSessionFolder(session, folder));
	for (let tries = 1; ; tries++) {
		const loaded = readRecordOrEmpty(session, now);
		const { record } = loaded;
		const { account: taskListBefore } = record;
		const boundaries = applyNewLines(record, hook, endReason);
		// a task list that differs by its time alone is not worth a write
		const isChanged = JSON.stringify(withListTime(record, taskListBefore?.at)) !== loaded.text;
		if (isChanged) {
			record.updated_at = Math.floor(now.getTime() / 1000);
			record.last_known_environment = quickEnvironment(input.cwd || folder, now);
			if (!writeRecord(session, loaded) && tries < MAX_TRIES) continue;
		}
		const { state } = record;
		// the settings that count are those of the project the session began in
		if (state.model && boundaries.length > 0)
			tryOrLog(log, () => {
				const { observedKey } = loadMeasure().sessionTrigger(hook, session, folder, state);
				addObservedTriggers(hook, observedKey, boundaries);
			});
		return { state, isChanged };
	}
}

/** The record with another time in its `account`, Claude Code's last list of background tasks. */
const withListTime = (record: SessionSnapshot, at?: string): SessionSnapshot =>
	at && record.account ? { ...record, account: { ...record.account, at } } : record;

/** Applies to the record what the transcript gained, and the hook's list of background tasks. Gives the automatic compactions it read. */
function applyNewLines(record: SessionSnapshot, hook: Hook, endReason?: string): Boundary[] {
	const { input, session, now, budget } = hook;
	const path = input.transcript_path ?? "";
	const options: ReadOptions = { isResumable: true, isTimeUp: budget.isTimeUp, isPrompt: promptChecker(session) };
	// a transcript that is not there yet, or can't be opened, is left out
	const isReadable = existsSync(path) && tryOrLog(hook.log, () => withTranscript(path, () => true));
	const { boundaries, isAnew } = isReadable ? catchUpRecord(record, path, options) : { boundaries: [], isAnew: false };
	// the transcript was rewritten, so the record was made anew
	if (isAnew) {
		const lastBoundary = readLastCompaction(path).boundary()?.offset ?? 0;
		changeCycle(session, (cycle) => correctPlaces(cycle, lastBoundary, record.cursor.transcript_offset));
	}
	// (SubagentStop still lists the subagent that ended)
	const tasks = backgroundWork(input)?.filter(({ id }) => id !== input.agent_id);
	if (tasks) applyTaskList(record, { at: now.toISOString(), pos: record.cursor.transcript_offset, tasks });
	if (endReason !== undefined) endSession(record, safeText(endReason), now.toISOString());
	return boundaries;
}
