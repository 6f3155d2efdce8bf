import { type Exact, exact, knownSafe, type Safe } from "../redact/secrets.ts";
import { withThousands } from "../text/text.ts";
import type { Pressure } from "./pressure.ts";

/**
 * The text of the nudge in the wording of this name. `save` (`null` where its commands can't write) and `recall` (`null` without a search
 * index) are commands as they can be typed into a shell. `isKept`: there is a transcript, so the working state comes back. Numbers are rounded to
 * thousands: a nudge is no meter.
 */
export const nudgeText = (
	wording: string,
	facts: Pick<Pressure, "distance" | "trigger">,
	save: Safe | null,
	{ isKept, recall }: { isKept: boolean; recall: Safe | null },
): Safe =>
	wording === "directive" && save
		? knownSafe`ccg nudge: STOP — context is nearing the compaction threshold${roomText(facts)}. Before your next action, save any durable knowledge \
(user preferences, architecture decisions, debugging insights, project facts) with ${save} --target memory "TEXT". \
Save today's session context with ${save} --target log "TEXT". Then continue your work${isKept ? knownSafe`; saved state comes back after the compaction` : knownSafe``}.`
		: knownSafe`ccg nudge: automatic compaction of this conversation is near${roomText(facts)}. It replaces the conversation with a summary. \
${saveAdvice(save)}${isKept ? RETURNS : knownSafe`Nothing else comes back after it: Claude Code keeps no transcript of this session.`}${recallAdvice(recall)} Source: the ccg hook the user installed; it says this once.`;
/** The nudge's advice to save knowledge and notes with the command `save`; empty without it. */
const saveAdvice = (save: Safe | null): Safe =>
	save
		? knownSafe`What should outlast it (preferences of the user, decisions and their reasons, findings, project facts) can be saved now with
  ${save} --target memory "TEXT"
and notes on today's work with
  ${save} --target log "TEXT"
`
		: knownSafe``;

const RETURNS = knownSafe`The working state (the user's messages, decisions, plan and tasks) is saved by ccg itself before the \
compaction and comes back right after it, so the work can go on as planned.`;

/** The nudge's hint at the command `recall`; empty without it. */
const recallAdvice = (recall: Safe | null): Safe =>
	recall ? knownSafe` Whatever was said, done or seen before is then found with \`${recall} WORDS\`.` : knownSafe``;
/** What the agent is told with the prompt behind a good moment to compact. It knows whether that prompt begins other work. */
export const goodMomentText = (facts: Pick<Pressure, "distance" | "trigger">): Safe =>
	knownSafe`ccg: before this prompt your work was committed and nothing was open: a good moment to compact${roomText(facts)}. \
If this prompt begins other work, tell the user in one sentence that /compact fits first.`;

/** How many tokens are left before compaction, and where it starts, in brackets; empty where they are unknown. */
function roomText({ distance, trigger }: Pick<Pressure, "distance" | "trigger">): Safe {
	if (distance === null || trigger === null) return knownSafe``;
	const thousandsLeft = Math.max(0, Math.round(distance / 1000));
	return thousandsLeft === 0
		? knownSafe` (it starts near ${roundToThousands(trigger)} tokens)`
		: knownSafe` (about ${thousandsLeft},000 tokens of room; it starts near ${roundToThousands(trigger)} tokens)`;
}
/** A number of tokens, rounded to thousands. */
const roundToThousands = (tokens: number): Exact => exact(withThousands(Math.round(tokens / 1000) * 1000));
