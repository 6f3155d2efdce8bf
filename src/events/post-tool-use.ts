import { readUsage } from "../store/pressure/flags.ts";
import { type EventHandler, hookAnswer } from "./run/event.ts";
import { saveBeside } from "./steps/beside.ts";
import { measureTranscript } from "./steps/measure.ts";
import { isPreToolUseMute, takeNudge } from "./steps/nudge.ts";

/** Measures the pressure where no status line runs. Registered asynchronously, so that it holds nothing up. */
export const postToolUse: EventHandler = (hook) => {
	if (measureTranscript(hook)?.isHigh) saveBeside(hook, hook.session);
	if (!isPreToolUseMute(readUsage(hook.session)?.claudeVersion)) return null;
	// this hook's answer is heard there, since such a version runs it synchronously
	return hookAnswer("PostToolUse", takeNudge(hook));
};
