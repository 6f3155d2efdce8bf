import { redactSecrets } from "../core/redact/secrets.ts";
import type { EmbeddingsConfig } from "../store/config/embeddings.ts";
import type { Env } from "../store/paths.ts";
import { SearchIndex } from "../store/search/search-index.ts";
import { keepVectors, passagesNumbered, type Unembedded, withoutVector } from "../store/search/vectors.ts";
import { type Embedder, embedderOf } from "./embedder.ts";

/** Passages of one request: 32 are about 10,000 tokens. */
const BATCH = 32;
/** For one request: a small machine embeds a passage in a second or two. */
const REQUEST_MS = 120_000;
/** Waited for a writer. */
const WAIT_MS = 5_000;
/** What a server takes of a passage that it finds too long. */
const SHORT = 700;

export interface Filling {
	env: Env;
	/** Passages at most. */
	most?: number;
	/** Ends it; what is done stays. */
	signal?: AbortSignal;
	onProgress?: (done: number, of: number) => void;
}

/**
 * Makes the vectors that are missing, the newest passages first. Each batch is kept as it comes: whoever ends it goes on next time.
 * Gives how many were made and how many passages the model refused. Throws where the model can't be asked.
 */
export async function fillVectors(
	root: string,
	config: EmbeddingsConfig,
	{ env, most, signal, onProgress }: Filling,
): Promise<{ made: number; refused: number }> {
	const embedder = embedderOf(config, { env, redact: redactSecrets });
	const using = <T>(act: (index: SearchIndex) => T): T | null =>
		SearchIndex.use(root, { create: false, waitMs: WAIT_MS }, act);
	const ids = using((index) => withoutVector(index, embedder.model, most)) ?? [];
	let [made, refused] = [0, 0];
	for (let from = 0; from < ids.length && !signal?.aborted; from += BATCH) {
		// nothing is held open while the model works
		const passages = using((index) => passagesNumbered(index, ids.slice(from, from + BATCH))) ?? [];
		const embedded = await embedEach(embedder, passages, signal);
		using((index) => keepVectors(index, embedder.model, embedded));
		made += embedded.length;
		refused += passages.length - embedded.length;
		onProgress?.(Math.min(ids.length, from + BATCH), ids.length);
	}
	return { made, refused };
}

/** All at once; where the model refuses that, one by one and, what is too long for it, its beginning. */
async function embedEach(
	embedder: Embedder,
	passages: readonly Unembedded[],
	signal?: AbortSignal,
): Promise<(Unembedded & { vector: Float32Array })[]> {
	const ask = async (texts: string[]): Promise<Float32Array[] | null> => {
		const limit = AbortSignal.timeout(REQUEST_MS);
		try {
			return await embedder.embed(texts, "passage", signal ? AbortSignal.any([signal, limit]) : limit);
		} catch (error) {
			if (isRefusal(error)) return null;
			throw new Error(limit.aborted ? `did not answer within ${REQUEST_MS / 1000} s` : (error as Error).message, {
				cause: error,
			});
		}
	};
	if (passages.length === 0) return [];
	const all = await ask(passages.map(({ text }) => text));
	if (all) return passages.map((passage, i) => ({ ...passage, vector: all[i]! }));
	const done: (Unembedded & { vector: Float32Array })[] = [];
	for (const passage of passages) {
		const [vector] = (await ask([passage.text])) ?? (await ask([passage.text.slice(0, SHORT).toWellFormed()])) ?? [];
		if (vector) done.push({ ...passage, vector });
	}
	return done;
}

/** What a server answers to a text that it can't take; it is there, and takes others. */
const isRefusal = (error: unknown): boolean =>
	[400, 413, 422, 500].includes((error as { status?: number }).status ?? 0);
