import type { Context, EngineInterface } from "claude-code";
import { runHookEntry } from "./launcher.ts";

/** What was asked last; `null` at first and after a compaction. */
let asked: { tokens: number; window: number; isAnswered: boolean } | null = null;
let isMeasuring = false;
/** Asking costs a process. */
const STEP_TOKENS = 5_000;

/** Whether the mod knows the pressure, so that nobody else needs to measure it. */
export const isMeasured = (): boolean => asked?.isAnswered ?? false;

/** After a compaction the figures are of before it. */
export function startOver($: EngineInterface): void {
	asked = null;
	$.ui.status(undefined);
}

/** Measures where it is time to, shows the pressure under the prompt, and gives the nudge where this session's falls to the mod. */
export async function measureAt($: EngineInterface, { tokens, window }: Context): Promise<string | null> {
	if (tokens === undefined || isMeasuring || !isTime(tokens, window)) return null;
	isMeasuring = true;
	const own = { tokens, window, isAnswered: false };
	asked = own;
	try {
		const { breakdown } = (await $.session.usage({ breakdown: "summary" })).context;
		if (!breakdown) return null;
		const trigger = breakdown.isAutoCompactEnabled ? (breakdown.autoCompactThreshold ?? null) : null;
		const { version } = await $.session.version();
		const mod = { tokens, trigger, window: breakdown.rawMaxTokens, claudeVersion: version };
		// nothing comes without a runtime or a store, and beside an installation in the settings
		const said = await runHookEntry($, "mod-measure", { hook_event_name: "ModMeasure", mod });
		if (!said) return null;
		const { nudge, band } = JSON.parse(said);
		own.isAnswered = true;
		$.ui.status(band ?? undefined);
		return nudge;
	} catch {
		return null;
	} finally {
		isMeasuring = false;
	}
}

/** Enough was added, the model's window changed, or the conversation shrank. */
const isTime = (tokens: number, window: number): boolean =>
	!asked || window !== asked.window || tokens >= asked.tokens + STEP_TOKENS || tokens < asked.tokens / 2;
