import { nudgeText } from "../core/pressure/nudge-text.ts";
import { shellWord } from "../install/shell-word.ts";
import { claimMarker } from "../store/marker.ts";
import { additionalContext, type EventHandler } from "./event.ts";

/** Claims the flush marker and, for the one that gets it, gives the nudge. Says nothing about permissions. */
export const preToolUse: EventHandler = (input, { root, config, now, launcher }) => {
	const marker = claimMarker(root, input.session_id, config.marker.staleMinutes * 60_000, now);
	if (!marker || config.nudge.wording === "off") return null;
	const saveCommand = `${shellWord(launcher)} memory save`;
	return additionalContext("PreToolUse", nudgeText(config.nudge.wording, { ...marker, saveCommand }));
};
