import { additionalContext, type EventHandler } from "./run/event.ts";
import { startCheckpoint } from "./steps/beside.ts";
import { measureTranscript } from "./steps/measure.ts";
import { claimNudge, isPreToolUseMute } from "./steps/nudge.ts";

/** Measures the pressure where no status line runs. Registered asynchronously, so that it holds nothing up. */
export const postToolBatch: EventHandler = (input, services) => {
	const measured = measureTranscript(input, services);
	if (measured?.isHigh) startCheckpoint(services, input.session_id);
	if (!measured || input.hook_event_name !== "PostToolUse" || !isPreToolUseMute(measured.claudeVersion)) return null;
	// this hook's answer is heard there, since such a version runs it synchronously
	const nudge = claimNudge(input, services);
	return nudge && additionalContext("PostToolUse", nudge);
};
