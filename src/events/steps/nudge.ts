import { existsSync } from "node:fs";
import { isStoreClosed } from "../../claude/machine/sandbox-settings.ts";
import { nudgeText } from "../../core/pressure/nudge-text.ts";
import { isAhead } from "../../core/pressure/pressure.ts";
import { redactSecrets } from "../../core/redact/secrets.ts";
import type { Cycle } from "../../core/session/cycle.ts";
import type { UsageRecord } from "../../core/session/status.ts";
import { olderThan } from "../../core/text/version.ts";
import { dropFlush, flushSince, readUsage } from "../../store/pressure/flags.ts";
import { changeCycle } from "../../store/session/cycles.ts";
import type { Session } from "../../store/session-handle.ts";
import type { Hook } from "../run/event.ts";
import { agentCommand } from "./ccg-command.ts";

/** Takes the flush flag down and, once a cycle, gives the nudge's text. */
export function takeNudge(hook: Hook): string | null {
	const { root, config, now } = hook;
	const facts = takeFlag(hook.session, config.marker.staleMinutes * 60_000, now);
	if (!facts || config.nudge.wording === "off") return null;
	const command = agentCommand(hook);
	const isClosed = isStoreClosed(root, hook.folder || "/", hook.env);
	const save = isClosed ? null : redactSecrets(`${command} memory save`);
	// what comes back after the compaction, and what recall finds, is read from it
	const isKept = existsSync(hook.input.transcript_path ?? "");
	const recall = isKept && config.search.enabled ? redactSecrets(`${command} recall`) : null;
	return nudgeText(config.nudge.wording, facts, save, { isKept, recall });
}

/**
 * Takes the flag down and gives what was measured last: of all that ask at once to one, and once in a cycle, also when a late measurement
 * raises it again. To nobody where it is stale or can't be read, or the trigger is past by now.
 */
function takeFlag(session: Session, staleMs: number, now: Date): UsageRecord | null {
	if (!existsSync(session.paths.marker)) return null;
	const since = flushSince(session);
	const isFresh = since !== null && now.getTime() - Date.parse(since) <= staleMs;
	const last = isFresh ? readUsage(session) : null;
	// who is killed before the print takes the nudge along: claimed behind it, each of calls that run at once would print one
	const claim = (cycle: Cycle): boolean => {
		const isFirst = !cycle.nudged;
		cycle.nudged ??= { tokens: last!.tokens };
		return isFirst;
	};
	const isMine = last && isAhead(last) && changeCycle(session, claim);
	dropFlush(session);
	return isMine ? last : null;
}

/** Before 2.1.9 Claude Code drops what a PreToolUse hook has to say; what a PostToolUse hook says arrives (measured on both). */
export function isPreToolUseMute(session: Session): boolean {
	const version = readUsage(session)?.claudeVersion;
	return typeof version === "string" && olderThan(version, [2, 1, 9]);
}
