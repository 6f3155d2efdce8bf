import { readContent, takeCheckpoint } from "../../claude/recovery/take-checkpoint.ts";
import { keptMessages, type lastBoundary } from "../../claude/transcript/compactions.ts";
import type { Pace } from "../../claude/transcript/read-transcript.ts";
import type { Checkpoint } from "../../core/recovery/checkpoint.ts";
import { brief, storePath } from "../../core/recovery/item-text.ts";
import type { Kept } from "../../core/recovery/kept.ts";
import { oneLine } from "../../core/text/text.ts";
import { checkpointPath, loadCheckpoint, renewCheckpoint } from "../../store/recovery/checkpoints.ts";
import type { Pending } from "../../store/recovery/pending.ts";
import { noteSavedAt } from "../../store/recovery/saved-at.ts";
import type { Session } from "../../store/session-handle.ts";
import { attempt } from "../run/attempt.ts";
import { NO_LIMIT } from "../run/budget.ts";
import type { Services, SessionInput } from "../run/event.ts";
import { checkpointPlace } from "./checkpoint-place.ts";

export type FoundBoundary = ReturnType<typeof lastBoundary>;

/** Takes the checkpoint of a compaction. Without a readable transcript the workspace alone is saved; `null` when there is neither. */
export function takeCompactionCheckpoint(
	input: SessionInput,
	services: Services,
	kept: Kept[] = [],
): Checkpoint | null {
	const { now, log } = services;
	const place = settledPlace(input, services);
	const checkpoint = takeCheckpoint(place, { ...whyOf(input.trigger ?? ""), ...(kept.length > 0 && { kept }) });
	if (checkpoint) attempt(log, () => noteSavedAt(place.session, now));
	return checkpoint;
}

/**
 * The checkpoint of a compaction as the session stands now: a summary may have been made hours before it is put in, and the last
 * results stand in the transcript only by now. As PreCompact saved it where the transcript can't be read; `null` where neither is to be had.
 */
export function checkpointAsItStands(
	input: SessionInput,
	services: Services,
	{ key, at: began, trigger }: Pending,
	boundary: FoundBoundary,
): Checkpoint | null {
	const place = settledPlace(input, services);
	const { session, transcriptPath, now } = place;
	const saved = loadCheckpoint(session, key);
	let isUnread = transcriptPath === "";
	const onUnread = (error: unknown): void => {
		isUnread = true;
		place.onUnread(error);
	};
	const content = isUnread ? null : readContent({ ...place, onUnread });
	if (!content || isUnread) return saved;
	const { state } = content;
	const kept = keptMessages(transcriptPath, boundary, began);
	// what it held before; behind the boundary it is another context
	if (boundary && boundary.at >= began) state.tokens = boundary.preTokens ?? saved?.state.tokens ?? null;
	// nothing came since
	if (saved && !boundary?.kept && JSON.stringify(saved.state) === JSON.stringify(state)) return saved;
	const checkpoint: Checkpoint = {
		version: 1,
		key,
		session: session.id,
		...whyOf(trigger),
		...content,
		at: now.toISOString(),
		...(kept.length > 0 && { kept }),
	};
	attempt(services.log, () => renewCheckpoint(session, checkpoint));
	return checkpoint;
}

const LOGGED = 100;

/** What the daily log says of a compaction. */
export function compactionLine(session: Session, { trigger, state, key }: Checkpoint): string {
	const request = brief(oneLine(state.messages.at(-1)?.text ?? ""), LOGGED).replace(/ \S+…$/, "…");
	const size = state.tokens === null ? "" : `, ${Math.round(state.tokens / 1000)}k tokens`;
	return `compaction (${/^\w{1,20}$/.test(trigger) ? trigger : "unknown"}${size})${request ? ` while working on "${request}"` : ""}; checkpoint ${key}: ${storePath(checkpointPath(session, key))}`;
}

const whyOf = (trigger: string) => ({ trigger, type: "precompact" as const });

/** Claude Code compacts between calls: none is under way. */
const settledPlace = (input: SessionInput, services: Services) => ({
	...checkpointPlace(input, services),
	isSettled: true,
	pace: paceOf(services),
});

const WORDS_MS = 250;

/** The user's words alone from the budget's end on, and a quarter of a second later the last of them. */
function paceOf({ budget = NO_LIMIT }: Services): Pace {
	return () => {
		const spent = budget.spentMs();
		return spent < budget.limitMs ? "all" : spent < budget.limitMs + WORDS_MS ? "words" : "none";
	};
}
