import { existsSync } from "node:fs";
import { hasEndpoint } from "../../core/config/config.ts";
import { tryOrLog } from "../../files/quietly.ts";
import type { Hook } from "../run/event.ts";

// each `load...` requires a bundle of its own when it is needed, by a path that the bundler does not follow

/** Loads what makes checkpoints, and what a hook says after a compaction. */
export const loadCompactionBundle = (
	file = `${import.meta.dirname}/behind-compaction`,
): typeof import("./behind-compaction.ts") => require(file);

/** Loads what decides whether a tool call may change something: it is needed at a halt alone. */
export const loadJudge = (file = `${import.meta.dirname}/../../guard/judge`): typeof import("../../guard/judge.ts") =>
	require(file);

/** Loads what writes the search index. */
const loadIndexer = (file = `${import.meta.dirname}/update-index`): typeof import("./update-index.ts") => require(file);

/** Loads what measures the pressure, for sessions where no status line does it. */
export const loadMeasure = (file = `${import.meta.dirname}/measure`): typeof import("./measure.ts") => require(file);

/** What a compaction or a restore left for this call or prompt, given once: `text` for the model, `userLine` for the user. */
export const claimFollowUp = (hook: Hook): { text: string | null; userLine: string | null } =>
	existsSync(hook.session.paths.followUpFlag)
		? loadCompactionBundle().claimFollowUpTexts(hook)
		: { text: null, userLine: null };

/** Brings the search index up to date where search is on: the last step of a hook, as nobody waits for it. */
export function indexTurn(hook: Hook): void {
	if (hook.config.search.enabled) tryOrLog(hook.log, () => loadIndexer().updateIndex(hook));
}

/** Makes vectors of the newest passages, where semantic search is on. */
export function embedNewest(hook: Hook): void {
	const { search, embeddings } = hook.config;
	if (search.enabled && hasEndpoint(embeddings)) tryOrLog(hook.log, () => loadIndexer().embedPassages(hook));
}
