import { existsSync } from "node:fs";
import { nudgeText } from "../../core/pressure/nudge-text.ts";
import { redactSecrets } from "../../core/redact/secrets.ts";
import { olderThan } from "../../core/text/version.ts";
import { claimNudged, dropFlush, type FlushFlag, readFlag, removeStaleFlags } from "../../store/pressure/flags.ts";
import { readGlance } from "../../store/session/cycles.ts";
import type { Session } from "../../store/session-handle.ts";
import type { Hook } from "../run/event.ts";
import { agentCommand } from "./ccg-command.ts";

/** Takes the flush flag down and, once a cycle, gives the nudge's text. */
export function claimNudge(hook: Hook): string | null {
	const { root, config, now } = hook;
	const staleMs = config.marker.staleMinutes * 60_000;
	const flag = takeFlag(hook.session, staleMs, now);
	if (!flag) removeStaleFlags(root, staleMs, now);
	if (!flag || config.nudge.wording === "off") return null;
	const command = agentCommand(hook);
	const recall = config.search.enabled ? redactSecrets(`${command} recall`) : null;
	return nudgeText(config.nudge.wording, flag, redactSecrets(`${command} memory save`), recall);
}

/** Of all that ask at once one gets it, and one in a cycle, also when a late measurement raises it again. One that is stale or can't be read is taken down. */
function takeFlag(session: Session, staleMs: number, now: Date): FlushFlag | null {
	if (!existsSync(session.paths.marker)) return null;
	const flag = readFlag<FlushFlag>(session.paths.marker);
	const isStale = !flag || now.getTime() - Date.parse(flag.at) > staleMs;
	const isMine = !isStale && claimNudged(session, readGlance(session).number, flag);
	dropFlush(session);
	return isMine ? flag : null;
}

/** Before 2.1.9 Claude Code drops what a PreToolUse hook has to say; what a PostToolUse hook says arrives (measured on both). */
export const isPreToolUseMute = (claude: string | null | undefined): boolean =>
	claude !== null && claude !== undefined && olderThan(claude, [2, 1, 9]);
