import { existsSync } from "node:fs";
import { openTranscript, tailLines } from "../claude/transcript-file.ts";
import { modelWindow } from "../core/pressure/model.ts";
import { lastUsage, USAGE_MARKS } from "../core/transcript/last-usage.ts";
import type { Env } from "../store/paths.ts";
import { readUsage } from "../store/usage-record.ts";
import type { EventHandler } from "./event.ts";
import { measure } from "./measure.ts";

/** How much of the end is read: enough first, more when one huge result hides the last answer. */
const TAILS = [256 * 1024, 2 * 1024 * 1024, 16 * 1024 * 1024];

/**
 * Measures the pressure where no status line runs: from the usage of the last answer in the transcript's tail. Registered
 * asynchronously, so that it holds nothing up.
 */
export const usage: EventHandler = (input, { root, config, env, now }) => {
	if (!input.transcript_path) throw new Error("input has no transcript_path");
	waitFor(input.transcript_path);
	const file = openTranscript(input.transcript_path);
	try {
		for (const bytes of TAILS) {
			const seen = lastUsage(tailLines(file, bytes, USAGE_MARKS));
			if (!seen && bytes < file.size && bytes !== TAILS.at(-1)) continue;
			const model = seen?.model ?? (seen?.boundary ? (readUsage(root, input.session_id)?.model ?? null) : null);
			if (!seen || !model) return null;
			measure(root, config, env, now, {
				sid: input.session_id,
				source: "transcript",
				tokens: seen.tokens,
				model,
				reportedWindow: provenWindow(seen.tokens, model, env),
				claudeVersion: seen.version,
				cwd: input.cwd ?? "",
				projectDir: env.CLAUDE_PROJECT_DIR ?? input.cwd ?? "/",
				transcriptPath: input.transcript_path,
				boundary: seen.boundary,
			});
			return null;
		}
		return null;
	} finally {
		file.close();
	}
};

/** Claude Code writes the transcript behind its events: after a session's first call it may not be there yet. Nobody waits for this hook. */
function waitFor(path: string): void {
	for (let waited = 0; !existsSync(path) && waited < APPEARS_MS; waited += 25) Bun.sleepSync(25);
}
const APPEARS_MS = 500;

/** The transcript does not tell a model of 200,000 tokens from its variant of 1,000,000: more tokens than fit prove the latter. */
function provenWindow(tokens: number | null, model: string, env: Env): number | null {
	return tokens !== null && tokens > modelWindow(model, env) ? 1_000_000 : null;
}
