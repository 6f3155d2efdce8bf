import { grouped } from "../text/text.ts";

/** What the nudge can name. Numbers are rounded to thousands: a nudge is no meter. */
interface NudgeFacts {
	/** Tokens left before compaction, `null` under a rule that knows no distance. */
	distance: number | null;
	trigger: number | null;
	/** `ccg memory save` as it can be typed into a shell. */
	saveCommand: string;
	/** `ccg recall` as it can be typed; `null` without a search index. */
	recallCommand?: string | null;
}

export const NUDGE_PRESETS = {
	facts:
		"ccg nudge: automatic compaction of this conversation is near{room}. It replaces the conversation with a summary. " +
		"What should outlast it (preferences of the user, decisions and their reasons, findings, project facts) can be saved now with\n" +
		'  {save} --target memory "TEXT"\n' +
		"and notes on today's work with\n" +
		'  {save} --target log "TEXT"\n' +
		"The working state (the user's messages, decisions, plan and tasks, files, failures) is saved by ccg itself before the " +
		"compaction and comes back right after it, so the work can go on as planned.{recall} Source: the ccg hook the user installed; it says this once.",
	directive:
		"ccg nudge: STOP — context is nearing the compaction threshold{room}. Before your next action, save any durable knowledge " +
		'(user preferences, architecture decisions, debugging insights, project facts) with {save} --target memory "TEXT". ' +
		'Save today\'s session context with {save} --target log "TEXT". Then continue your work; saved state comes back after the compaction.',
} as const;

/** The nudge's words, by a preset's name. */
export const nudgeText = (wording: string, facts: NudgeFacts): string =>
	(wording === "directive" ? NUDGE_PRESETS.directive : NUDGE_PRESETS.facts)
		.replaceAll("{room}", room(facts))
		.replaceAll("{save}", facts.saveCommand)
		.replaceAll("{recall}", recall(facts));

const recall = ({ recallCommand }: NudgeFacts): string =>
	recallCommand ? ` Whatever was said, done or seen before is then found with \`${recallCommand} WORDS\`.` : "";

function room({ distance, trigger }: NudgeFacts): string {
	if (distance === null || trigger === null) return "";
	const left = Math.max(0, Math.round(distance / 1000));
	return left === 0
		? ` (it starts near ${thousands(trigger)} tokens)`
		: ` (about ${left},000 tokens of room; it starts near ${thousands(trigger)} tokens)`;
}

const thousands = (tokens: number): string => grouped(Math.round(tokens / 1000) * 1000);
