import { existsSync } from "node:fs";
import { type CheckpointPlace, readContent } from "../../claude/recovery/take-checkpoint.ts";
import { type FoundBoundary, keptMessages } from "../../claude/transcript/compactions.ts";
import { brief } from "../../core/block/item.ts";
import type { Checkpoint, Kept } from "../../core/checkpoint/checkpoint.ts";
import type { Cycle, Prepared } from "../../core/session/cycle.ts";
import { storePath } from "../../core/text/quoted.ts";
import { oneLine } from "../../core/text/text.ts";
import { claudeRoot } from "../../store/paths.ts";
import { addCheckpoint, checkpointPath, loadCheckpoint } from "../../store/recovery/checkpoints.ts";
import { type Session, sessionAt } from "../../store/session-handle.ts";
import type { Services, SessionInput } from "../run/event.ts";

/** Where a hook's checkpoint is taken from. */
export function checkpointPlace(input: SessionInput, services: Services): CheckpointPlace {
	const { env, now, log } = services;
	const session = sessionAt(services, input.session_id);
	const transcriptPath = input.transcript_path ?? "";
	return {
		session,
		transcriptPath,
		projectDir: [env.CLAUDE_PROJECT_DIR, input.cwd].find((path) => path && existsSync(path)) ?? "",
		workFolder: input.cwd ?? "",
		claudeRoot: claudeRoot(env),
		now,
		lastCalls: input.tool_use_ids,
		isSpent: () => services.budget?.isSpent() ?? false,
		onUnread: log,
		log,
	};
}

/**
 * Takes the checkpoint of a compaction; `also` changes the cycle with it. Without a readable transcript the workspace alone is saved;
 * `null` when there is neither.
 */
export function takeCompactionCheckpoint(
	input: SessionInput,
	services: Services,
	also: (cycle: Cycle, checkpoint: Checkpoint) => void,
	kept: Kept[] = [],
): Checkpoint | null {
	const place = settledPlace(input, services);
	const content = readContent(place);
	if (!content) return null;
	const whole = { ...content, ...whyOf(input.trigger ?? ""), ...(kept.length > 0 && { kept }) };
	return addCheckpoint(place.session, place.now, whole, { also });
}

/**
 * The checkpoint of a compaction as the session stands now: a summary may have been made hours before it is put in, and the last
 * results stand in the transcript only by now. As PreCompact saved it where the transcript can't be read; `null` where neither is to
 * be had. `isNew`: it is not what was saved.
 */
export function checkpointAsItStands(
	input: SessionInput,
	services: Services,
	{ key, at: began, trigger }: Prepared,
	boundary: FoundBoundary | null,
): { checkpoint: Checkpoint; isNew: boolean } | null {
	const place = settledPlace(input, services);
	const { session, transcriptPath, now } = place;
	const saved = loadCheckpoint(session, key);
	let isUnread = transcriptPath === "";
	const onUnread = (error: unknown): void => {
		isUnread = true;
		place.onUnread(error);
	};
	const content = isUnread ? null : readContent({ ...place, onUnread });
	if (!content || isUnread) return saved && { checkpoint: saved, isNew: false };
	const { state } = content;
	const kept = keptMessages(transcriptPath, boundary, began);
	// what it held before; behind the boundary it is another context
	if (boundary && boundary.at >= began) state.tokens = boundary.preTokens ?? saved?.state.tokens ?? null;
	// nothing came since
	if (saved && !boundary?.kept && JSON.stringify(saved.state) === JSON.stringify(state))
		return { checkpoint: saved, isNew: false };
	const checkpoint: Checkpoint = {
		version: 1,
		key,
		session: session.id,
		...whyOf(trigger),
		...content,
		at: now.toISOString(),
		...(kept.length > 0 && { kept }),
	};
	return { checkpoint, isNew: true };
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
});
