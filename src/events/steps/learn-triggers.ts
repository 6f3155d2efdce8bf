import { compactionScopes } from "../../claude/machine/compaction-settings.ts";
import type { Boundary } from "../../claude/transcript/read-session.ts";
import { type CompactionTrigger, compactionTrigger } from "../../core/pressure/compaction-trigger.ts";
import type { SessionState } from "../../core/state/session-state.ts";
import { observedTriggers, recordTriggers } from "../../store/pressure/observed-triggers.ts";
import type { Services } from "../run/event.ts";

/** Compactions met in the transcript correct the trigger from now on. */
export function learnTriggers(
	services: Services,
	projectDir: string,
	state: SessionState,
	boundaries: readonly Boundary[],
): void {
	if (!boundaries.length || !state.model) return;
	recordTriggers(services.root, triggerOf(services, projectDir, state).observedKey, boundaries);
}

/** Where the session's context will be compacted. */
export function triggerOf({ root, env }: Services, projectDir: string, state: SessionState): CompactionTrigger {
	return compactionTrigger({
		model: state.model,
		reportedWindow: null,
		claudeVersion: state.claudeVersion || null,
		env,
		scopes: compactionScopes(env, projectDir || "/"),
		observed: observedTriggers(root),
	});
}
