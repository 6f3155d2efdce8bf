import { lossLine, lossOf } from "../../core/recovery/loss-line.ts";
import type { LossReport } from "../../core/recovery/loss-report.ts";
import {
	claimLossLine,
	dropLossNote,
	isLossTold,
	readLossNote,
	writeLossNote,
} from "../../store/recovery/loss-note.ts";
import { sessionAt } from "../../store/session-handle.ts";
import type { Services, SessionInput } from "../run/event.ts";
import { reportCommand } from "./user-command.ts";

/** Keeps for the user what a summary left out, once its report is there: the line and the status line are made of it. */
export function noteLoss(
	{ session_id: sid, prompt_id = "" }: SessionInput,
	services: Services,
	report: LossReport,
): void {
	const session = sessionAt(services, sid);
	const { key } = report;
	const loss = services.config.recovery.tellUser ? lossOf(report) : null;
	if (!loss) dropLossNote(session);
	// a resume settles again what was told
	else if (!isLossTold(session, key)) writeLossNote(session, { ...loss, key, prompt: prompt_id });
}

/**
 * The line for the user, once per compaction; `null` when there is nothing to tell. With PreToolUse and UserPromptSubmit, whose
 * `systemMessage` Claude Code shows and does not send (measured on 2.1.118 and 2.1.330): PostCompact has no answer of its
 * own, and SessionStart comes before the summary.
 */
export function claimLine({ session_id: sid }: SessionInput, services: Services, key: string): string | null {
	const session = sessionAt(services, sid);
	try {
		const note = services.config.recovery.tellUser ? readLossNote(session) : null;
		if (note?.key !== key || !claimLossLine(session, key)) return null;
		// the follow-up block comes with this answer
		const told = { ...note, back: note.back + note.later, later: 0 };
		writeLossNote(session, told);
		return lossLine(told, reportCommand(services));
	} catch (error) {
		services.log(error);
		return null;
	}
}
