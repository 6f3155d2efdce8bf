import { type EventHandler, hookAnswer } from "./run/event.ts";
import { startHighUseSave } from "./steps/beside.ts";
import { measureTranscript } from "./steps/measure.ts";
import { claimNudge, isPreToolUseMute } from "./steps/nudge.ts";

/** PostToolUse: measures the pressure where no status line runs. Asynchronous: nobody waits for it. */
export const postToolUse: EventHandler = (hook) => {
	if (measureTranscript(hook)?.needsCheckpoint) startHighUseSave(hook, hook.session);
	if (!isPreToolUseMute(hook.session)) return null;
	// a Claude Code that drops PreToolUse's text runs this hook synchronously, and takes its text
	return hookAnswer("PostToolUse", claimNudge(hook));
};
