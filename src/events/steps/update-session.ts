import { existsSync } from "node:fs";
import { backgroundWork } from "../../claude/hook-input.ts";
import { quickEnvironment } from "../../claude/machine/environment.ts";
import { lastCompaction } from "../../claude/transcript/compactions.ts";
import { type Boundary, bringUpToEnd } from "../../claude/transcript/read-session.ts";
import { withTranscript } from "../../claude/transcript/transcript-file.ts";
import { endSession, takeAccount } from "../../core/context/apply.ts";
import type { SessionSnapshot } from "../../core/context/session-context.ts";
import { movePlaces } from "../../core/session/cycle.ts";
import type { SessionState } from "../../core/state/session-state.ts";
import { safeText } from "../../core/text/text.ts";
import { attempt } from "../../files/quietly.ts";
import { recordTriggers } from "../../store/pressure/observed-triggers.ts";
import { changeCycle } from "../../store/session/cycles.ts";
import { heardIn } from "../../store/session/heard-prompts.ts";
import { keepPlace } from "../../store/session/place.ts";
import { loadRecord, writeRecord } from "../../store/session/records.ts";
import type { Hook } from "../run/event.ts";
import { loadMeasure } from "./bundles.ts";

const MAX_TRIES = 3;

/**
 * Brings the record of a session up to the transcript's end: what is new is applied and saved with the offset it
 * reaches. `ended` is why the session is going. Where another hook has saved it meanwhile, what that one read is not read twice:
 * this run reads on from there. Compactions met on the way correct the trigger from now on.
 */
export function updateSession(hook: Hook, ended?: string): { state: SessionState; isNew: boolean } {
	const { input, session, folder, log, now } = hook;
	attempt(log, () => keepPlace(session, folder));
	for (let tries = 1; ; tries++) {
		const kept = loadRecord(session, now);
		const { record } = kept;
		const { account } = record;
		const boundaries = applyNewLines(record, hook, ended);
		const isNew = JSON.stringify(asToldAt(record, account?.at)) !== kept.text;
		if (isNew) {
			record.updated_at = Math.floor(now.getTime() / 1000);
			record.last_known_environment = quickEnvironment(input.cwd || folder, now);
			if (!writeRecord(session, kept) && tries < MAX_TRIES) continue;
		}
		const { state } = record;
		// the settings that count are those of the project the session began in
		if (state.model && boundaries.length > 0)
			attempt(log, () => {
				const { observedKey } = loadMeasure().triggerOf(hook, session, folder, state);
				recordTriggers(hook, observedKey, boundaries);
			});
		return { state, isNew };
	}
}

/** What is worth a write: of what runs in the background not when it was told. */
const asToldAt = (record: SessionSnapshot, at?: string): SessionSnapshot =>
	at && record.account ? { ...record, account: { ...record.account, at } } : record;

/** Gives the compactions it met. */
function applyNewLines(record: SessionSnapshot, hook: Hook, ended?: string): Boundary[] {
	const { input, session, now, budget } = hook;
	const path = input.transcript_path ?? "";
	const options = { goesOn: true, isSpent: budget.isSpent, heard: heardIn(session) };
	// before the first message there is none; one that can't be opened costs this reading, not the rest
	const isThere = existsSync(path) && attempt(hook.log, () => withTranscript(path, () => true));
	const { boundaries, isAnew } = isThere ? bringUpToEnd(record, path, options) : { boundaries: [], isAnew: false };
	if (isAnew) {
		// read before the store is held
		const place = lastCompaction(path).boundary()?.offset ?? 0;
		changeCycle(session, (cycle) => movePlaces(cycle, place, record.cursor.transcript_offset));
	}
	// (the end of a subagent is told while it is listed)
	const tasks = backgroundWork(input)?.filter(({ id }) => id !== input.agent_id);
	if (tasks) takeAccount(record, { at: now.toISOString(), pos: record.cursor.transcript_offset, tasks });
	if (ended !== undefined) endSession(record, safeText(ended), now.toISOString());
	return boundaries;
}
