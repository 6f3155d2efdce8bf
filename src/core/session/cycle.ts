import type { Checkpoint } from "../checkpoint/checkpoint.ts";
import type { Seen } from "../checkpoint/triggers.ts";

/**
 * A compaction, and how far the telling of it is. All transitions but the first stand in this file:
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
	/** Its checkpoint. */
	key: string;
	/** ISO 8601. */
	at: string;
	/** Bytes of the transcript then: its boundary stands behind, all earlier ones before. */
	place: number;
	trigger: string;
	/** On versions that do not mark a subagent's compaction: it does not look like the main thread's. */
	unconfirmed?: boolean;
}

/** The compaction that began a cycle, and what was told of it. */
export interface Compaction extends Prepared {
	/** `told`: the user has to be told yet. */
	stage: "begun" | "told" | "done";
	/** When the block was injected last, in ms since 1970. */
	toldAt?: number;
	/** Where the last boundary stood then, at SessionStart behind the compaction; its own is mostly written when that has ended. */
	boundary?: number;
	/** The user was told in a line. */
	lineTold?: boolean;
}

/**
 * Where a session stands between one compaction and the next: the one value that says whether the nudge went out, what PreCompact
 * prepared, what was told behind the compaction that began it, and what makes its next checkpoint. Times are ISO 8601.
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
	/** What it was told of other machines' notes: when the last exchange was then (ms since 1970), and of each note a hash. */
	shared?: { at: number; notes: string[] };
	/** How far the events were looked at for what makes a checkpoint. */
	seen?: Seen;
	/** Subagents that ended since the last wave did. */
	agents?: { id: string; type: string; said: string; at: string }[];
	waves?: NonNullable<Checkpoint["waves"]>;
	/** What was written into the workspace, so that it is known again: anybody may put a file of that name there. */
	workspaceFile?: { folder: string; sha256: string };
}

/** The cycle ends with a compaction: the next rise of the pressure may nudge, warn and stop again. */
export function endCycle(cycle: Cycle): void {
	cycle.number = (cycle.number ?? 0) + 1;
	for (const name of ["nudged", "isHaltTold", "passAt", "resumed"] as const) delete cycle[name];
}

/** The compaction is a fact: it begins the next cycle. */
export function beginCycle(cycle: Cycle, prepared: Prepared): Compaction {
	const began: Compaction = { ...prepared, stage: "begun" };
	cycle.began = began;
	delete cycle.prepared;
	endCycle(cycle);
	return began;
}

/** The transcript was written anew: it ends at `end`, and its last boundary stands at `place`. One that is prepared comes behind the end. */
export function movePlaces(cycle: Cycle, place: number, end: number): void {
	delete cycle.seen;
	if (cycle.began) cycle.began.place = place;
	if (cycle.prepared) cycle.prepared.place = Math.min(cycle.prepared.place, end);
}

/** What is to be done at a start about the last compaction. */
export type Step =
	/** Tell this one. */
	| { act: "tell"; of: Prepared }
	/** PreCompact did not save it: first take its checkpoint. */
	| { act: "save" }
	/** Its block is there already. */
	| { act: "restored"; of?: Prepared }
	| { act: "nothing" };

/** What a start looks at in the transcript; each is read when it is asked for. */
interface Transcript {
	boundary(): { offset: number } | null;
	/** Whether there is more than one from a place on. */
	isFollowed(place: number): boolean;
	/** Whether a hook's record behind the boundary holds a text. */
	holds(text: string): boolean;
	/** Whether a boundary would be found wherever it stands. */
	isWithinReach(): boolean;
}

/** The same start may run two registered hooks at once; a later resume is another one. */
const SAME_START_MS = 1_000;

/** Behind a compaction. `by`: whoever comes with a call or a prompt needs a proof that there was one. */
export function stepAfterCompaction(
	cycle: Cycle,
	{ boundary, isFollowed }: Pick<Transcript, "boundary" | "isFollowed">,
	by: "SessionStart" | "call",
): Step {
	const { prepared, began } = cycle;
	const bounded = boundary()?.offset ?? -1;
	// an unconfirmed one counts once its boundary stands in the main transcript
	if (prepared && (prepared.unconfirmed || by === "call") && bounded < prepared.place) return { act: "nothing" };
	if (prepared) return { act: "tell", of: prepared };
	const isNew = began ? isFollowed(began.place) : bounded >= 0;
	if (by === "call") return { act: began?.stage !== "told" && isNew ? "save" : "nothing" };
	// another hook of the same start
	return { act: began?.boundary === bounded ? "nothing" : "save" };
}

/** Any block of a compaction begins so. */
const HEAD = "ccg recovery precompact_checkpoint_";

/** On resume and on fork. `isUndone`: Claude Code was killed before the compaction stood in the transcript, so it was none. */
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

/** The block of `of` is told, where one could be made; `false` where another run has told one since `before` was read. */
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

/** Nothing follows any more; gives the compaction to the one of all that ask at once. */
export function takeFollowUp(cycle: Cycle, key: string): Compaction | null {
	if (dueKey(cycle) !== key) return null;
	cycle.began!.stage = "done";
	return cycle.began!;
}

/** When the last compaction took place; ISO time, `""` before the first. Its summary may have been made long before. */
export function compactedAt({ began }: Cycle): string {
	if (!began) return "";
	return began.toldAt === undefined ? began.at : new Date(began.toldAt).toISOString();
}

/** Whether a compaction of this session still needs a checkpoint. */
export const isInUse = ({ prepared, began }: Cycle, key: string): boolean =>
	prepared?.key === key || began?.key === key;

/** Whether the next change may pass a stop that stands since `at`. */
export const mayPass = ({ passAt }: Cycle, at: string): boolean => passAt !== undefined && passAt >= at;

/** What a measurement, the status line and a command have to know of the cycle. */
export type KnownCycle = ReturnType<typeof knownOf>;

export function knownOf(cycle: Cycle) {
	const { number, nudged, place, isHaltTold, resumed } = cycle;
	return { number, nudged, place, isHaltTold, resumed, compactedAt: compactedAt(cycle) };
}
