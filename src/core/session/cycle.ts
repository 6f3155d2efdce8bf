import type { Checkpoint } from "../checkpoint/checkpoint.ts";
import type { Seen } from "../checkpoint/triggers.ts";

/**
 * A compaction that PreCompact announced. A cycle's compaction goes through these stages; all changes but the first stand in this file:
 *
 *   what happens                                             from                          to
 *   PreCompact: proves nothing                               (any)                         prepared, beside what began
 *   SessionStart after it                                    prepared; none was prepared   told: the block
 *   first tool call or prompt, SessionStart did not tell     the same, its boundary there  done: the block
 *   resume or fork, the block is not in the transcript       any, its boundary is there    told: the block again
 *   resume or fork, the block is in the transcript           prepared, its boundary too    begun: Claude Code restores it
 *   resume, no boundary: Claude Code was killed before it    told                          done
 *   first tool call or prompt                                told                          done: the line for the user
 *   a start, but no block could be made                      any                           begun, or what it was
 */
export interface Prepared {
	/** The key of its checkpoint. */
	key: string;
	/** ISO 8601. */
	at: string;
	/** The transcript's length in bytes then: the compaction's boundary comes behind it, all earlier boundaries stand before it. */
	place: number;
	trigger: string;
	/** It may be a subagent's compaction: set on versions that do not mark those, where it does not look like the main thread's. */
	unconfirmed?: boolean;
}

/** The compaction that began a cycle, and whether the model and the user were told of it. */
export interface Compaction extends Prepared {
	/** `begun`: no block was injected; `told`: the block was, the line for the user is due; `done`: nothing is due. */
	stage: "begun" | "told" | "done";
	/** When the block was injected last, in ms since 1970. */
	toldAt?: number;
	/** Where the last boundary stood at that SessionStart; the compaction's own boundary is mostly written after it. */
	boundary?: number;
	/** The user got a line about the compaction. */
	lineTold?: boolean;
}

/**
 * Where a session stands between one compaction and the next: whether the nudge went out, what PreCompact prepared, what the model and the
 * user were told of the compaction that began the cycle, and what its next checkpoint depends on. Times are ISO 8601.
 */
export interface Cycle {
	/** The folder the session began in. */
	place?: { folder: string };
	/** How many cycles ended before this one. */
	number?: number;
	/** The nudge went out, at so many tokens. */
	nudged?: { tokens: number | null };
	/** The user was told of critical pressure. */
	isHaltTold?: boolean;
	/** When a task checkpoint was written at critical pressure: the next change takes it. */
	passAt?: string;
	/** A person lifted the stop, until the next compaction. */
	resumed?: true;
	prepared?: Prepared;
	began?: Compaction;
	/** Other machines' notes that the session was told: the time of the last exchange then (ms since 1970), and a hash of each note. */
	shared?: { at: number; notes: string[] };
	/** How far the session was looked at for changes of phase. */
	seen?: Seen;
	/** Subagents that ended since the last wave did. */
	agents?: { id: string; type: string; said: string; at: string }[];
	waves?: NonNullable<Checkpoint["waves"]>;
	/** The file that ccg wrote into the workspace, so that ccg knows it again: anybody may put a file of that name there. */
	workspaceFile?: { folder: string; sha256: string };
}

/** Ends the cycle, in place, as a compaction does: the next rise of the pressure may nudge, warn and stop again. */
export function endCycle(cycle: Cycle): void {
	cycle.number = (cycle.number ?? 0) + 1;
	for (const name of ["nudged", "isHaltTold", "passAt", "resumed"] as const) delete cycle[name];
}

/** Begins the next cycle, in place, with a prepared compaction that has taken place; gives that compaction. */
export function beginCycle(cycle: Cycle, prepared: Prepared): Compaction {
	const began: Compaction = { ...prepared, stage: "begun" };
	cycle.began = began;
	delete cycle.prepared;
	endCycle(cycle);
	return began;
}

/** Corrects a cycle's places in a transcript that was written anew: it ends at `end`, its last boundary is at `place`. */
export function movePlaces(cycle: Cycle, place: number, end: number): void {
	delete cycle.seen;
	if (cycle.began) cycle.began.place = place;
	if (cycle.prepared) cycle.prepared.place = Math.min(cycle.prepared.place, end);
}

/** What a start has to do about the last compaction. */
export type Step =
	/** Inject the block of this compaction. */
	| { act: "tell"; of: Prepared }
	/** PreCompact saved no checkpoint: take it first, then inject the block. */
	| { act: "save" }
	/** The block is in the transcript already. */
	| { act: "restored"; of?: Prepared }
	| { act: "nothing" };

/** Questions that a start asks of the transcript; the transcript is read when one is asked. */
interface Transcript {
	boundary(): { offset: number } | null;
	/** Whether more than one boundary stands at or behind a place. */
	isFollowed(place: number): boolean;
	/** Whether a hook's record behind the boundary holds a text. */
	holds(text: string): boolean;
	/** Whether a boundary would be found wherever it stands. */
	isWithinReach(): boolean;
}

/** Within this time two hooks belong to the same start (both may be registered); a later resume is another start. */
const SAME_START_MS = 1_000;

/** What to do when a hook runs that may be the first behind a compaction. A `call` (or prompt) needs a proof that there was one: its boundary. */
export function stepAfterCompaction(
	cycle: Cycle,
	{ boundary, isFollowed }: Pick<Transcript, "boundary" | "isFollowed">,
	by: "SessionStart" | "call",
): Step {
	const { prepared, began } = cycle;
	const lastBoundary = boundary()?.offset ?? -1;
	// an unconfirmed compaction counts once its boundary stands in the main transcript
	if (prepared && (prepared.unconfirmed || by === "call") && lastBoundary < prepared.place) return { act: "nothing" };
	if (prepared) return { act: "tell", of: prepared };
	const isNew = began ? isFollowed(began.place) : lastBoundary >= 0;
	if (by === "call") return { act: began?.stage !== "told" && isNew ? "save" : "nothing" };
	// the same boundary: another hook of the same start was here
	return { act: began?.boundary === lastBoundary ? "nothing" : "save" };
}

/** How the recovery block of any compaction begins. */
const HEAD = "ccg recovery precompact_checkpoint_";

/** What to do on resume and fork. `isUndone`: Claude Code was killed before the compaction stood in the transcript, so there was none. */
export function stepAfterResume(
	{ prepared, began }: Cycle,
	transcript: Transcript,
	now: Date,
): Step & { isUndone?: boolean } {
	const boundary = transcript.boundary();
	const of = prepared && boundary && boundary.offset >= prepared.place ? prepared : began;
	const isUndone = of !== undefined && (boundary ? boundary.offset < of.place : transcript.isWithinReach());
	if (of && !isUndone) {
		if (boundary && transcript.holds(of.key)) return { act: "restored", of };
		const sinceTold = of === began && began.toldAt !== undefined ? Math.abs(now.getTime() - began.toldAt) : Infinity;
		return sinceTold < SAME_START_MS ? { act: "nothing" } : { act: "tell", of };
	}
	if (!boundary) return { act: "nothing", isUndone };
	return { act: transcript.holds(HEAD) ? "restored" : "save", isUndone };
}

/** Notes that the block of `of` is injected (`isMade`: it could be made); `false` where another run has done so since `before` was read. */
export function tell(
	cycle: Cycle,
	of: Prepared,
	before: Cycle,
	{ at, isMade, boundary }: { at: Date; isMade: boolean; boundary: number | undefined },
): boolean {
	const { began: last } = cycle;
	if (last?.key !== before.began?.key || last?.toldAt !== before.began?.toldAt) return false;
	const began = last?.key === of.key ? last : beginCycle(cycle, of);
	began.toldAt = at.getTime();
	if (boundary !== undefined) began.boundary = boundary;
	if (isMade) began.stage = "told";
	return true;
}

/** The key of the compaction whose line for the user waits for a call or prompt; `null` where none does. */
export const dueKey = ({ began }: Cycle): string | null => (began?.stage === "told" ? began.key : null);

/** Marks the compaction of this key as done and gives it, to the first caller only; `null` to all others. */
export function takeFollowUp(cycle: Cycle, key: string): Compaction | null {
	if (dueKey(cycle) !== key) return null;
	cycle.began!.stage = "done";
	return cycle.began!;
}

/** When the last compaction took place: ISO time, `""` before the first. The summary may have been made long before that. */
export function compactedAt({ began }: Cycle): string {
	if (!began) return "";
	return began.toldAt === undefined ? began.at : new Date(began.toldAt).toISOString();
}

/** Whether the checkpoint of this key belongs to the cycle's compaction, which still needs it. */
export const isInUse = ({ prepared, began }: Cycle, key: string): boolean =>
	prepared?.key === key || began?.key === key;

/** Whether the next change may pass a stop that began at `at`: a task checkpoint was written since then. */
export const mayPass = ({ passAt }: Cycle, at: string): boolean => passAt !== undefined && passAt >= at;

/** The part of a cycle that a measurement keeps, for the status line and commands. */
export type KnownCycle = ReturnType<typeof knownOf>;
/** Picks that part of a cycle. */
export function knownOf(cycle: Cycle) {
	const { number, nudged, place, isHaltTold, resumed } = cycle;
	return { number, nudged, place, isHaltTold, resumed, compactedAt: compactedAt(cycle) };
}
