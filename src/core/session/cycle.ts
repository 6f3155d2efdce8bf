import type { Checkpoint } from "../checkpoint/checkpoint.ts";
import type { PhaseLook } from "../checkpoint/triggers.ts";

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
	/** A byte in the transcript, its length then: the compaction's boundary is written after it, all earlier boundaries stand before it. */
	place: number;
	trigger: string;
	/** The mark of its block where that was found without secrets meanwhile (`safeMark`). */
	safe?: string;
	/** It may be a subagent's compaction: set on versions that do not mark those, where it does not look like the main thread's. */
	unconfirmed?: boolean;
}

/** The compaction that began a cycle, and whether the model and the user were told of it. */
export interface Compaction extends Prepared {
	/** `begun`: no block was injected; `told`: the block was, the line for the user is due; `done`: nothing is due. */
	stage: "begun" | "told" | "done";
	/** When the block was injected last, in ms since 1970. */
	toldAt?: number;
	/** The byte of the last boundary at that SessionStart; the compaction's own boundary is mostly written after it. */
	boundary?: number;
	/** The user got a line about the compaction. */
	lineTold?: boolean;
}

/**
 * Where a session stands between one compaction and the next: what PreCompact prepared, what the model and the
 * user were told of the compaction that began the cycle, and what its next checkpoint depends on. Times are ISO 8601.
 */
export interface Cycle {
	/** Not a byte, as in `prepared`: the folder in which the session began. */
	place?: { folder: string };
	/** How many cycles ended before this one, and how many of them by a compaction. */
	number?: number;
	compactions?: number;
	/** The last turn ended at a good moment to compact, with so many tokens: more of them, and it is over. */
	moment?: number | undefined;
	/** The trigger that Claude Code passed: it compacts at the whole window's, until the next compaction (`isPassed`). */
	putOff?: number;
	/** The user was told of critical pressure. */
	isHaltTold?: boolean;
	/** The halt pass: when a task checkpoint was written at critical pressure. It lets one call that changes something through. */
	passAt?: string;
	/** A person lifted the halt, until the next compaction. */
	resumed?: true;
	prepared?: Prepared;
	began?: Compaction;
	/** Other machines' notes that the session was told: the time of the last exchange then (ms since 1970), and a hash of each note. */
	shared?: { at: number; notes: string[] };
	/** How far the transcript was searched for changes of phase. */
	seen?: PhaseLook;
	/** Subagents that ended since the last wave did. */
	agents?: { id: string; type: string; said: string; at: string }[];
	waves?: NonNullable<Checkpoint["waves"]>;
	/** The file that ccg wrote into the workspace, so that ccg knows it again: anybody may put a file of that name there. */
	workspaceFile?: { folder: string; sha256: string };
}

/** Ends the cycle, in place, as a compaction does: the next rise of the pressure may nudge, warn and halt again. */
export function endCycle(cycle: Cycle): void {
	cycle.number = (cycle.number ?? 0) + 1;
	for (const name of ["isHaltTold", "passAt", "resumed", "moment", "putOff"] as const) delete cycle[name];
}

/** Puts the compaction at `trigger` off, in place: what was told of it does not count for the next one. A person's lift stays, as does a pass. */
export function putOff(cycle: Cycle, trigger: number): void {
	delete cycle.isHaltTold;
	delete cycle.moment;
	cycle.putOff = trigger;
}

/** Begins the next cycle, in place, with a prepared compaction that has taken place; gives that compaction. */
export function beginCycle(cycle: Cycle, prepared: Prepared): Compaction {
	const began: Compaction = { ...prepared, stage: "begun" };
	cycle.began = began;
	delete cycle.prepared;
	cycle.compactions = (cycle.compactions ?? 0) + 1;
	endCycle(cycle);
	return began;
}

/** Corrects the bytes that a cycle notes, after its transcript was rewritten: it ends at byte `end`, its last boundary is at `boundary`. */
export function correctPlaces(cycle: Cycle, boundary: number, end: number): void {
	delete cycle.seen;
	if (cycle.began) cycle.began.place = boundary;
	if (cycle.prepared) cycle.prepared.place = Math.min(cycle.prepared.place, end);
}

/** What a hook has to do about the last compaction. */
export type Step =
	| { act: "inject block"; compaction: Prepared }
	/** PreCompact saved no checkpoint: save it first, then inject the block. */
	| { act: "save, then inject" }
	/** Claude Code's record of the hooks has the block already. */
	| { act: "block is there"; compaction?: Prepared }
	| { act: "nothing" };

/** Questions that a hook asks of the transcript; the transcript is read when one is asked. */
interface Transcript {
	/** The last compaction boundary, at byte `offset`. */
	boundary(): { offset: number } | null;
	/** Whether more than one boundary stands at or after a byte. */
	hasTwoBoundariesSince(place: number): boolean;
	/** Whether Claude Code's record of a hook after the boundary holds a text. */
	isInHookRecord(text: string): boolean;
	/** Whether the whole file was searched for a boundary: it is not too large. */
	isSearchedWhole(): boolean;
}

/** Within this time two hooks belong to the same start (both may be registered); a later resume is another start. */
const SAME_START_MS = 1_000;

/** What to do when a hook runs that may be the first after a compaction. A `call` (or prompt) needs a proof that there was one: its boundary. */
export function stepAfterCompaction(
	cycle: Cycle,
	{ boundary, hasTwoBoundariesSince }: Pick<Transcript, "boundary" | "hasTwoBoundariesSince">,
	hookKind: "SessionStart" | "call",
): Step {
	const { prepared, began } = cycle;
	const lastBoundary = boundary()?.offset ?? -1;
	// one that may be a subagent's counts once its boundary stands in the main transcript
	const needsBoundary = prepared?.unconfirmed || hookKind === "call";
	if (prepared && needsBoundary && lastBoundary < prepared.place) return { act: "nothing" };
	if (prepared) return { act: "inject block", compaction: prepared };
	const hasNewBoundary = began ? hasTwoBoundariesSince(began.place) : lastBoundary >= 0;
	if (hookKind === "call") return { act: began?.stage !== "told" && hasNewBoundary ? "save, then inject" : "nothing" };
	// the same boundary: another hook of the same start was here
	return { act: began?.boundary === lastBoundary ? "nothing" : "save, then inject" };
}

/** How the recovery block of any compaction begins. */
const BLOCK_HEAD = "ccg recovery precompact_checkpoint_";

/** What to do on resume and fork. `isUndone`: Claude Code was killed before it wrote the compaction's boundary, so there was none. */
export function stepAfterResume(
	{ prepared, began }: Cycle,
	transcript: Transcript,
	now: Date,
): Step & { isUndone?: boolean } {
	const boundary = transcript.boundary();
	// the session's last compaction: a prepared one counts once its boundary is written
	const isPreparedWritten = prepared && boundary && boundary.offset >= prepared.place;
	const compaction = isPreparedWritten ? prepared : began;
	const hasNoBoundary = (from: number) => (boundary ? boundary.offset < from : transcript.isSearchedWhole());
	const isUndone = compaction !== undefined && hasNoBoundary(compaction.place);
	if (compaction && !isUndone) {
		if (boundary && transcript.isInHookRecord(compaction.key)) return { act: "block is there", compaction };
		const injectedAt = compaction === began ? began.toldAt : undefined;
		const isSameStart = injectedAt !== undefined && Math.abs(now.getTime() - injectedAt) < SAME_START_MS;
		return isSameStart ? { act: "nothing" } : { act: "inject block", compaction };
	}
	if (!boundary) return { act: "nothing", isUndone };
	return { act: transcript.isInHookRecord(BLOCK_HEAD) ? "block is there" : "save, then inject", isUndone };
}

/**
 * Notes in the cycle that this process injects the block of a compaction at `at` (not `hasBlock`: none could be made). `false` where another
 * process has done so since `cycleBefore` was read.
 */
export function claimBlock(
	cycle: Cycle,
	compaction: Prepared,
	cycleBefore: Cycle,
	{ at, hasBlock, boundary }: { at: Date; hasBlock: boolean; boundary: number | undefined },
): boolean {
	const { began: last } = cycle;
	if (last?.key !== cycleBefore.began?.key || last?.toldAt !== cycleBefore.began?.toldAt) return false;
	const began = last?.key === compaction.key ? last : beginCycle(cycle, compaction);
	began.toldAt = at.getTime();
	if (boundary !== undefined) began.boundary = boundary;
	if (hasBlock) began.stage = "told";
	return true;
}

/** The key of the compaction whose block was injected, but of which the user was not told yet; `null` where there is none. */
export const unreportedKey = ({ began }: Cycle): string | null => (began?.stage === "told" ? began.key : null);

/** Marks the compaction of this key as reported to the user and gives it, to the first caller only; `null` to all others. */
export function claimReport(cycle: Cycle, key: string): Compaction | null {
	if (unreportedKey(cycle) !== key) return null;
	cycle.began!.stage = "done";
	return cycle.began!;
}

/** When the last compaction took place (its block was injected, else it was prepared): ISO time, `""` before the first. */
export function compactedAt({ began }: Cycle): string {
	if (!began) return "";
	return began.toldAt === undefined ? began.at : new Date(began.toldAt).toISOString();
}

/** Whether the checkpoint of this key belongs to the cycle's compaction, which still needs it. */
export const isCheckpointInUse = ({ prepared, began }: Cycle, key: string): boolean =>
	prepared?.key === key || began?.key === key;

/** Whether the next change may pass the halt that began at `haltAt`: a task checkpoint was written since then. */
export const hasHaltPass = ({ passAt }: Cycle, haltAt: string): boolean => passAt !== undefined && passAt >= haltAt;

/** The part of a cycle that measurements use. */
export type KnownCycle = Partial<ReturnType<typeof pickKnownCycle>> & { compactedAt: string };
export function pickKnownCycle(cycle: Cycle) {
	const { number, compactions, place, isHaltTold, resumed, moment, putOff } = cycle;
	return { compactedAt: compactedAt(cycle), number, compactions, place, isHaltTold, resumed, moment, putOff };
}
