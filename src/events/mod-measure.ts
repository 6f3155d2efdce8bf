import { existsSync } from "node:fs";
import { nextChange } from "../core/pressure/next-change.ts";
import type { MarkerRule } from "../core/pressure/pressure.ts";
import { forModel } from "../core/text/for-model.ts";
import { cycleOf } from "../store/pressure/marker.ts";
import { sessionAt } from "../store/session-handle.ts";
import type { EventHandler } from "./run/event.ts";
import { idleMinimum, measure } from "./steps/measure.ts";
import { claimNudge } from "./steps/nudge.ts";
import { startCheckpoint } from "./steps/start-checkpoint.ts";

/** What the mod reads of this. */
export interface MeasureAnswer {
	/** The nudge, where this run claimed it. */
	nudge: string | null;
	/** Before this many tokens there is nothing to ask again; `null` for the rest of the cycle. */
	nextTokens: number | null;
	rule: MarkerRule;
	/** A status line of ccg's shows the same already. */
	hasStatusLine: boolean;
}

/**
 * The mod's measurement: what Claude Code told it, kept like any other. Drops the markers that are due and claims the nudge, so
 * that mod and hooks together nudge once.
 */
export const modMeasure: EventHandler = (input, services) => {
	const { config, env, now } = services;
	const { mod } = input;
	if (!mod || mod.tokens === null || mod.window === null) throw new Error("input has no measurement of the mod's");
	const session = sessionAt(services, input.session_id);
	const { tokens, trigger, window } = mod;
	measure(services, config, env, now, {
		sid: input.session_id,
		source: "mod",
		tokens,
		told: { trigger, window },
		model: input.model ?? "",
		reportedWindow: window,
		claudeVersion: mod.claudeVersion,
		cwd: input.cwd ?? "",
		projectDir: env.CLAUDE_PROJECT_DIR ?? input.cwd ?? "/",
		transcriptPath: input.transcript_path ?? "",
		cycle: cycleOf(session),
		onHighUse: () => startCheckpoint(services, input.session_id),
	});
	const nudge = claimNudge(input, services);
	const { warn, compress, critical } = config.task;
	const shares = [warn, compress, critical, config.checkpoints.usageShare, idleMinimum(env) / (trigger ?? window)];
	const answer: MeasureAnswer = {
		nudge: nudge && forModel(nudge),
		nextTokens: nextChange(tokens, { trigger, window }, config.marker, shares),
		rule: config.marker,
		hasStatusLine: existsSync(session.paths.statusLineSeen),
	};
	return JSON.stringify(answer);
};
