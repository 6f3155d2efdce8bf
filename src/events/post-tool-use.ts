import { type EventHandler, hookAnswer } from "./run/event.ts";
import { saveBeside } from "./steps/beside.ts";
import { measureTranscript } from "./steps/measure.ts";
import { isPreToolUseMute, takeNudge } from "./steps/nudge.ts";

/** Measures the pressure where no status line runs. Registered asynchronously, so that it holds nothing up. */
export const postToolUse: EventHandler = (hook) => {
	if (measureTranscript(hook)?.isHigh) saveBeside(hook, hook.session);
	if (!isPreToolUseMute(hook.session)) return null;
	// this hook's answer is heard there, since such a version runs it synchronously
	return hookAnswer("PostToolUse", takeNudge(hook));
};
