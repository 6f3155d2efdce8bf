import { existsSync } from "node:fs";
import { hasEndpoint } from "../../core/config/config.ts";
import { attempt } from "../../files/quietly.ts";
import type { Hook } from "../run/event.ts";

// bundles of their own, by paths that the bundler does not see through

/** What is told behind a compaction, loaded when there is something to tell. */
export const loadBehindCompaction = (
	file = `${import.meta.dirname}/behind-compaction`,
): typeof import("./behind-compaction.ts") => require(file);

/** What decides whether a call may change something, loaded at a stop. A nudge comes by here too. */
export const loadJudge = (file = `${import.meta.dirname}/../../guard/judge`): typeof import("../../guard/judge.ts") =>
	require(file);

/** What writes the search index, loaded when there is something new. */
const loadIndex = (file = `${import.meta.dirname}/update-index`): typeof import("./update-index.ts") => require(file);

/** What measures, for hooks that do so where no status line runs, or behind a compaction. */
export const loadMeasure = (file = `${import.meta.dirname}/measure`): typeof import("./measure.ts") => require(file);

/** What a compaction or a restore left to tell with this event: `text` to the model, `line` to the user. */
export const dueFollowUp = (hook: Hook): { text: string | null; line: string | null } =>
	existsSync(hook.session.paths.followUpMarker)
		? loadBehindCompaction().injectFollowUp(hook)
		: { text: null, line: null };

/** Brings the search index up to date, after all that matters more. */
export function indexTurn(hook: Hook): void {
	if (hook.config.search.enabled) attempt(hook.log, () => loadIndex().updateIndex(hook));
}

/** Makes vectors of the newest passages, where semantic search is on. */
export function embedNewest(hook: Hook): void {
	const { search, embeddings } = hook.config;
	if (search.enabled && hasEndpoint(embeddings)) attempt(hook.log, () => loadIndex().embedPassages(hook));
}
