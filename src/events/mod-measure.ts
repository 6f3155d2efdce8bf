import { existsSync } from "node:fs";
import { type MarkerRule, nextChange } from "../core/pressure/pressure.ts";
import { forModel } from "../core/text/text.ts";
import { readGlance } from "../store/session/cycles.ts";
import { sessionAt } from "../store/session-handle.ts";
import type { EventHandler } from "./run/event.ts";
import { startCheckpoint } from "./steps/beside.ts";
import { idleMinimum, measure } from "./steps/measure.ts";
import { claimNudge } from "./steps/nudge.ts";

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
	const { config, env } = services;
	const { mod, session_id: sid, cwd = "" } = input;
	if (!mod || mod.tokens === null || mod.window === null) throw new Error("input has no measurement of the mod's");
	const session = sessionAt(services, sid);
	const { tokens, trigger, window } = mod;
	const measured = measure(services, sid, {
		source: "mod",
		tokens,
		trigger: { tokens: trigger, window, why: trigger === null ? "auto-compaction is off" : "told by Claude Code" },
		model: input.model ?? "",
		claudeVersion: mod.claudeVersion,
		cwd,
		projectDir: env.CLAUDE_PROJECT_DIR ?? (cwd || "/"),
		transcriptPath: input.transcript_path ?? "",
		cycle: readGlance(session).cycle,
	});
	if (measured.isHigh) startCheckpoint(services, sid);
	const nudge = claimNudge(input, services);
	const { warn, compress, critical } = config.task;
	const shares = [warn, compress, critical, config.checkpoints.usageShare, idleMinimum(env) / (trigger ?? window)];
	const answer: MeasureAnswer = {
		nudge: nudge && forModel(nudge),
		nextTokens: nextChange(tokens, measured, config.marker, shares),
		rule: config.marker,
		hasStatusLine: existsSync(session.paths.statusLine),
	};
	return JSON.stringify(answer);
};
