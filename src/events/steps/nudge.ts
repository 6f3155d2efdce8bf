import { existsSync } from "node:fs";
import { isStoreClosed } from "../../claude/machine/sandbox-settings.ts";
import { nudgeText } from "../../core/pressure/nudge-text.ts";
import { isBeforeTrigger } from "../../core/pressure/pressure.ts";
import { redactSecrets } from "../../core/redact/secrets.ts";
import type { UsageRecord } from "../../core/session/status.ts";
import { olderThan } from "../../core/text/version.ts";
import { dropFlushFlag, markNudged, readFlushTime, readLastUsage } from "../../store/pressure/flags.ts";
import { readKnownCycle } from "../../store/session/cycles.ts";
import type { Session } from "../../store/session-handle.ts";
import type { Hook } from "../run/event.ts";
import { agentCommand } from "./ccg-command.ts";

/** Drops the flush flag and gives the nudge's text, to one hook in a cycle; `null` to all others. */
export function claimNudge(hook: Hook): string | null {
	const { root, config, now } = hook;
	const usage = claimFlushFlag(hook.session, config.marker.staleMinutes * 60_000, now);
	if (!usage || config.nudge.wording === "off") return null;
	const command = agentCommand(hook);
	const isSandboxed = isStoreClosed(root, hook.folder || "/", hook.env);
	const saveCommand = isSandboxed ? null : redactSecrets(`${command} memory save`);
	// without a transcript nothing comes back after the compaction, and recall finds nothing
	const hasTranscript = existsSync(hook.input.transcript_path ?? "");
	const recallCommand = hasTranscript && config.search.enabled ? redactSecrets(`${command} recall`) : null;
	return nudgeText(config.nudge.wording, usage, saveCommand, { isKept: hasTranscript, recall: recallCommand });
}

/**
 * Drops the flush flag and gives the last measurement, to one hook in a cycle. `null` to all others, where the flag is stale or can't be
 * read, and where the context has passed the trigger by now.
 */
function claimFlushFlag(session: Session, staleMs: number, now: Date): UsageRecord | null {
	if (!existsSync(session.paths.flushFlag)) return null;
	const since = readFlushTime(session);
	const { number } = readKnownCycle(session);
	const isFresh = since !== null && now.getTime() - Date.parse(since) <= staleMs;
	const last = isFresh ? readLastUsage(session) : null;
	// claimed before it is printed: else each of several calls at once would print a nudge
	const isClaimed =
		last && isBeforeTrigger(last) && markNudged(session, now.toISOString(), { tokens: last.tokens, number });
	dropFlushFlag(session);
	return isClaimed ? last : null;
}

/** Whether Claude Code drops the text of a PreToolUse hook: before 2.1.9 it did, but not that of PostToolUse (measured on both). */
export function isPreToolUseMute(session: Session): boolean {
	const version = readLastUsage(session)?.claudeVersion;
	return typeof version === "string" && olderThan(version, [2, 1, 9]);
}
