import type { Context, EngineInterface } from "claude-code";
import { runHookEntry } from "./launcher.ts";
import { bandText, isTimeToMeasure, type Watch } from "./watch.ts";

let watch: Watch | null = null;
let isMeasuring = false;

/** Whether the mod knows the pressure, so that nobody else needs to measure it. */
export const isMeasured = (): boolean => watch !== null;

/** After a compaction the figures are of before it. */
export function startOver($: EngineInterface): void {
	watch = null;
	$.ui.status(undefined);
}

/**
 * Measures where it is time to, and shows the pressure under the prompt. Gives the nudge where this session's falls to the mod.
 * With `quiet` no nudge is claimed: nobody would hear it.
 */
export async function measureAt(
	$: EngineInterface,
	{ tokens, window }: Context,
	quiet = false,
): Promise<string | null> {
	if (tokens === undefined || isMeasuring) return null;
	isMeasuring = true;
	try {
		const nudge = !quiet && isTimeToMeasure(watch, tokens, window) ? await measure($, tokens, window) : null;
		if (watch) $.ui.status(watch.hasStatusLine ? undefined : bandText(watch, tokens));
		return nudge;
	} catch {
		watch = null;
		return null;
	} finally {
		isMeasuring = false;
	}
}

async function measure($: EngineInterface, tokens: number, window: number): Promise<string | null> {
	const { breakdown } = (await $.session.usage({ breakdown: "summary" })).context;
	if (!breakdown) return null;
	const trigger = breakdown.isAutoCompactEnabled ? (breakdown.autoCompactThreshold ?? null) : null;
	const compactionWindow = breakdown.rawMaxTokens;
	const { version } = await $.session.version();
	const mod = { tokens, trigger, window: compactionWindow, claudeVersion: version };
	const said = await runHookEntry($, "mod-measure", { hook_event_name: "ModMeasure", mod });
	watch = null;
	if (!said) return null;
	const { nudge, ...rest } = JSON.parse(said);
	watch = { tokens, window, trigger, compactionWindow, ...rest };
	return nudge;
}
