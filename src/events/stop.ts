import { fillVectors } from "../search/meaning.ts";
import { hasEndpoint } from "../store/config/config.ts";
import { attempt, type EventHandler, type Hook } from "./run/event.ts";
import { startSync } from "./steps/beside.ts";
import { indexLate, turnEnd } from "./steps/turn-end.ts";

/** Stop: brings the session up to date. Registered asynchronously, after the turn: it holds nothing up. */
export const stop: EventHandler = (hook) => {
	const isNew = turnEnd(hook);
	attempt(hook.log, () => startSync(hook, true));
	if (isNew) indexLate(hook, true);
	attempt(hook.log, () => embedLate(hook));
	return null;
};

/** Passages of one turn: what a turn says is fewer, and the rest waits for the next or for `ccg index --embed`. */
const MOST_VECTORS = 64;
/** The turn is over and nobody waits; a new one may begin. */
const EMBED_MS = 5_000;

/**
 * Makes vectors of the newest passages that have none, where semantic search is on. Goes on behind the hook's answer; a model that can't
 * be asked is not a failure of the hook: recall says so, and `ccg index` what is missing.
 */
function embedLate({ root, env, config: { search, embeddings } }: Hook): void {
	if (!search.enabled || !hasEndpoint(embeddings)) return;
	fillVectors(root, embeddings, { env, most: MOST_VECTORS, signal: AbortSignal.timeout(EMBED_MS) }).catch(() => {});
}
