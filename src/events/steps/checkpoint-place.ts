import { existsSync } from "node:fs";
import type { CheckpointPlace } from "../../claude/recovery/take-checkpoint.ts";
import { claudeRoot } from "../../store/paths.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { NO_LIMIT, optionally } from "../run/budget.ts";
import type { Services, SessionInput } from "../run/event.ts";
import { tellMissing } from "./missing-transcript.ts";

/** Where a hook's checkpoint is taken from. */
export function checkpointPlace(input: SessionInput, services: Services): CheckpointPlace {
	const { env, now, log } = services;
	const session = sessionAt(services, input.session_id);
	const transcriptPath = input.transcript_path ?? "";
	const leftOut: string[] = [];
	return {
		session,
		transcriptPath,
		projectDir: [env.CLAUDE_PROJECT_DIR, input.cwd].find((path) => path && existsSync(path)) ?? "",
		workFolder: input.cwd ?? "",
		claudeRoot: claudeRoot(env),
		now,
		lastCalls: input.tool_use_ids,
		leftOut,
		optionally: (name, act) => optionally(name, { budget: services.budget ?? NO_LIMIT, log, leftOut }, act),
		onUnread(error) {
			if ((error as { code?: string }).code === "ENOENT") tellMissing(session, transcriptPath, log);
			else log(error);
		},
		log,
	};
}
