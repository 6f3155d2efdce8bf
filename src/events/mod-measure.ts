import { existsSync } from "node:fs";
import type { Pressure } from "../core/pressure/pressure.ts";
import { short } from "../core/pressure/status-parts.ts";
import { forModel } from "../core/text/text.ts";
import { readGlance } from "../store/session/cycles.ts";
import type { EventHandler } from "./run/event.ts";
import { startDue } from "./steps/beside.ts";
import { measure } from "./steps/measure.ts";
import { claimNudge } from "./steps/nudge.ts";

/**
 * The mod's measurement: what Claude Code told it, kept like any other. Drops the markers that are due and claims the nudge, so
 * that mod and hooks together nudge once. Answers with the nudge, where this run claimed it, and the line under the prompt.
 */
export const modMeasure: EventHandler = (hook) => {
	const { input, session } = hook;
	const { mod, cwd = "" } = input;
	if (!mod || mod.tokens === null || mod.window === null) throw new Error("input has no measurement of the mod's");
	const { tokens, trigger, window } = mod;
	const measured = measure(session, hook, {
		source: "mod",
		tokens,
		trigger: { tokens: trigger, window, why: trigger === null ? "auto-compaction is off" : "told by Claude Code" },
		model: input.model ?? "",
		claudeVersion: mod.claudeVersion,
		cwd,
		projectDir: hook.folder || "/",
		transcriptPath: input.transcript_path ?? "",
		cycle: readGlance(session).cycle,
	});
	startDue(hook, session, measured);
	const nudge = claimNudge(hook);
	// a status line of ccg's shows the same
	const band = existsSync(session.paths.statusLine) ? null : bandOf(tokens, measured);
	return { nudge: nudge && forModel(nudge), band };
};

/** What is left before compaction. None while all is calm: Claude Code draws a warning sign before it. */
function bandOf(tokens: number, { trigger, window, zone }: Pressure): string | null {
	if (zone === "calm") return null;
	const limit = trigger ?? window;
	return `${short(Math.max(0, limit - tokens))} left of ${short(limit)}, ${trigger === null ? "no auto-compaction" : zone}`;
}
