import { existsSync } from "node:fs";
import { openTranscript, tailLines } from "../claude/transcript/transcript-file.ts";
import { waitForLines } from "../claude/transcript/transcript-lag.ts";
import { modelWindow } from "../core/pressure/model.ts";
import { lastUsage, USAGE_MARKS } from "../core/transcript/last-usage.ts";
import type { Env } from "../store/paths.ts";
import { cycleOf } from "../store/pressure/marker.ts";
import { readUsage } from "../store/pressure/usage-record.ts";
import { writeBatch } from "../store/session/batch-record.ts";
import { sessionAt } from "../store/session-handle.ts";
import { additionalContext, type Services, type SessionInput } from "./run/event.ts";
import { measure } from "./steps/measure.ts";
import { tellMissing } from "./steps/missing-transcript.ts";
import { claimNudge, isPreToolUseMute } from "./steps/nudge.ts";
import { startCheckpoint } from "./steps/start-checkpoint.ts";

/** How much of the end is read: enough first, more when one huge result hides the last answer. */
const TAILS = [256 * 1024, 2 * 1024 * 1024, 16 * 1024 * 1024];

const LAG_MS = 300;
const APPEARS_MS = 500;

/**
 * Measures the pressure where no status line runs: from the usage of the last answer in the transcript's tail. Registered
 * asynchronously, so that it holds nothing up.
 */
export const postToolBatch = (
	input: SessionInput,
	services: Services,
	onHighUse = () => startCheckpoint(services, input.session_id),
): string | null => {
	const { now } = services;
	const session = sessionAt(services, input.session_id);
	if (!input.transcript_path) throw new Error("input has no transcript_path");
	const ids = input.tool_use_ids ?? [];
	const cycle = cycleOf(session);
	// first of all: PreCompact may be right behind, and looks for these
	if (ids.length > 0) writeBatch(session, now, ids);
	// nobody waits for this hook; without the answer that made the calls it would measure the one before
	waitForLines(
		input.transcript_path,
		ids.map((id) => `"id":"${id}"`),
		existsSync(input.transcript_path) ? LAG_MS : APPEARS_MS,
	);
	if (!existsSync(input.transcript_path)) return tellMissing(session, input.transcript_path, services.log);
	const version = measureTail(input, services, cycle, onHighUse);
	return input.hook_event_name === "PostToolUse" && isPreToolUseMute(version) ? nudgeNow(input, services) : null;
};

/** This hook's answer is heard there, since such a version runs it synchronously. */
function nudgeNow(input: SessionInput, services: Services): string | null {
	const nudge = claimNudge(input, services);
	return nudge && additionalContext("PostToolUse", nudge);
}

/** Measures from the last answer in the transcript's tail. Gives the version of Claude Code that wrote it. */
function measureTail(input: SessionInput, services: Services, cycle: string, onHighUse: () => void): string | null {
	const { config, env, now } = services;
	const file = openTranscript(input.transcript_path!);
	try {
		for (const bytes of TAILS) {
			const seen = lastUsage(tailLines(file, bytes, USAGE_MARKS));
			if (!seen && bytes < file.size && bytes !== TAILS.at(-1)) continue;
			const model =
				seen?.model ?? (seen?.boundary ? (readUsage(sessionAt(services, input.session_id))?.model ?? null) : null);
			if (!seen || !model) return null;
			measure(services, config, env, now, {
				sid: input.session_id,
				source: "transcript",
				tokens: seen.tokens,
				model,
				reportedWindow: provenWindow(seen.tokens, model, env),
				claudeVersion: seen.version,
				cwd: input.cwd ?? "",
				projectDir: env.CLAUDE_PROJECT_DIR ?? input.cwd ?? "/",
				transcriptPath: input.transcript_path!,
				cycle,
				boundary: seen.boundary,
				onHighUse,
			});
			return seen.version;
		}
		return null;
	} finally {
		file.close();
	}
}

/** The transcript does not tell a model of 200,000 tokens from its variant of 1,000,000: more tokens than fit prove the latter. */
function provenWindow(tokens: number | null, model: string, env: Env): number | null {
	return tokens !== null && tokens > modelWindow(model, env) ? 1_000_000 : null;
}
