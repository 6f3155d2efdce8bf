import type { Context, EngineInterface } from "claude-code";
import { runHookEntry } from "./launcher.ts";
import { bandText, isTimeToMeasure, type Watch } from "./watch.ts";

let watch: Watch | null = null;
let isMeasuring = false;
/** While nothing is known: before this many tokens the entry is not asked again. */
let askFrom = 0;

/** Whether the mod knows the pressure, so that nobody else needs to measure it. */
export const isMeasured = (): boolean => watch !== null;

/** After a compaction the figures are of before it. */
export function startOver($: EngineInterface): void {
	watch = null;
	askFrom = 0;
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
		const nudge = !quiet && isTime(tokens, window) ? await measure($, tokens, window) : null;
		if (watch) $.ui.status(watch.hasStatusLine ? undefined : bandText(watch, tokens));
		return nudge;
	} catch {
		watch = null;
		return null;
	} finally {
		isMeasuring = false;
	}
}

const isTime = (tokens: number, window: number): boolean =>
	watch ? isTimeToMeasure(watch, tokens, window) : tokens >= askFrom;

async function measure($: EngineInterface, tokens: number, window: number): Promise<string | null> {
	const { breakdown } = (await $.session.usage({ breakdown: "summary" })).context;
	if (!breakdown) return null;
	const trigger = breakdown.isAutoCompactEnabled ? (breakdown.autoCompactThreshold ?? null) : null;
	const compactionWindow = breakdown.rawMaxTokens;
	const { version } = await $.session.version();
	const mod = { tokens, trigger, window: compactionWindow, claudeVersion: version };
	const said = await runHookEntry($, "mod-measure", { hook_event_name: "ModMeasure", mod });
	watch = null;
	// no runtime, no store, or an installation in the settings that the plugin leaves everything to: asking costs a process each time
	askFrom = tokens + WAIT_TOKENS;
	if (!said) return null;
	const { nudge, ...rest } = JSON.parse(said);
	watch = { tokens, window, trigger, compactionWindow, ...rest };
	return nudge;
}

const WAIT_TOKENS = 5_000;
