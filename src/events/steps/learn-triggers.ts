import { compactionScopes } from "../../claude/machine/compaction-settings.ts";
import { type CompactionTrigger, compactionTrigger } from "../../core/pressure/compaction-trigger.ts";
import type { SessionState } from "../../core/state/session-state.ts";
import { observedTriggers, recordTriggers } from "../../store/pressure/observed-triggers.ts";
import { attempt } from "../run/attempt.ts";
import type { Services, SessionInput } from "../run/event.ts";
import type { MetCompactions } from "./update-session.ts";

/** Compactions met in the transcript correct the trigger from now on. */
export function learnTriggers(input: SessionInput, services: Services, { state, boundaries }: MetCompactions): void {
	if (!state.model) return;
	// the settings that count are those of the project the session began in
	const projectDir = services.env.CLAUDE_PROJECT_DIR || input.cwd || "";
	attempt(services.log, () => recordTriggers(services, triggerOf(services, projectDir, state).observedKey, boundaries));
}

/** Where the session's context will be compacted. */
export function triggerOf(services: Services, projectDir: string, state: SessionState): CompactionTrigger {
	const { env } = services;
	return compactionTrigger({
		model: state.model,
		reportedWindow: null,
		claudeVersion: state.claudeVersion || null,
		env,
		scopes: compactionScopes(env, projectDir || "/"),
		observed: observedTriggers(services),
	});
}
