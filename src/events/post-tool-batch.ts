import { type EventHandler, hookAnswer } from "./run/event.ts";
import { startDue } from "./steps/beside.ts";
import { measureTranscript } from "./steps/measure.ts";
import { isPreToolUseMute, takeNudge } from "./steps/nudge.ts";

/** Measures the pressure where no status line runs. Registered asynchronously, so that it holds nothing up. */
export const postToolBatch: EventHandler = (hook) => {
	const measured = measureTranscript(hook);
	if (measured) startDue(hook, hook.session, measured);
	if (!measured || hook.input.hook_event_name !== "PostToolUse" || !isPreToolUseMute(measured.seen.claudeVersion))
		return null;
	// this hook's answer is heard there, since such a version runs it synchronously
	return hookAnswer("PostToolUse", takeNudge(hook));
};
