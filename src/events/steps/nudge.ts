import { olderThan } from "../../core/pressure/model.ts";
import { nudgeText } from "../../core/pressure/nudge-text.ts";
import { claimMarker, removeStaleMarkers } from "../../store/pressure/marker.ts";
import { sessionAt } from "../../store/session-handle.ts";
import type { Services, SessionInput } from "../run/event.ts";
import { agentCommand } from "./agent-command.ts";

/** Claims the flush marker and, for the one that gets it, gives the nudge's text. */
export function claimNudge(input: SessionInput, services: Services): string | null {
	const { root, config, now } = services;
	const marker = claimMarker(sessionAt(services, input.session_id), config.marker.staleMinutes * 60_000, now);
	if (!marker) removeStaleMarkers(root, config.marker.staleMinutes * 60_000, now);
	if (!marker || config.nudge.wording === "off") return null;
	const command = agentCommand(input, services);
	const recallCommand = config.search.enabled ? `${command} recall` : null;
	return nudgeText(config.nudge.wording, { ...marker, saveCommand: `${command} memory save`, recallCommand });
}

/** Before 2.1.9 Claude Code drops what a PreToolUse hook has to say; what a PostToolUse hook says arrives (measured on both). */
export const isPreToolUseMute = (claude: string | null | undefined): boolean =>
	claude !== null && claude !== undefined && olderThan(claude, [2, 1, 9]);
