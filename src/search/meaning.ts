import { type Config, hasEndpoint, makeConfig } from "../core/config/config.ts";
import { readObject } from "../files/json-file.ts";
import { configPath, type Env } from "../store/paths.ts";
import { vectorsOf } from "./endpoint.ts";
import { passagesBy } from "./find.ts";
import { SearchIndex } from "./search-index.ts";
import { keepVectors, withoutVector } from "./vectors.ts";

/** What a question means, or why nobody could say in time. */
export type Meaning = { model: string; vector: Float32Array } | { why: string };

/** What a search waits for the vector of its words. */
const LIMIT_MS = 300;
/** What is asked for stands in the first words; models read no more. */
const MOST_QUERY = 2_000;

/** The vector of what is looked for, asked for before the index is opened. `null` where semantic search is off. Never throws. */
export async function askMeaning(root: string, env: Env, words: string): Promise<Meaning | null> {
	// no profile may say where text is sent
	const file = readObject(configPath(root));
	const { embeddings: config } = makeConfig(typeof file === "string" ? {} : (file ?? {})).config;
	if (!hasEndpoint(config)) return null;
	const signal = AbortSignal.timeout(LIMIT_MS);
	try {
		const [vector] = await vectorsOf(config, [words.slice(0, MOST_QUERY).toWellFormed()], { env, signal });
		return { model: config.model, vector: vector! };
	} catch (error) {
		return { why: signal.aborted ? `did not answer within ${LIMIT_MS} ms` : (error as Error).message };
	}
}

/** Passages of one request: 32 are about 10,000 tokens. */
const BATCH = 32;
/** For one request: a small machine embeds a passage in a second or two. */
const REQUEST_MS = 120_000;
/** Waited for a writer. */
const WAIT_MS = 5_000;

/**
 * Makes the vectors that are missing, the newest passages first. Each batch is kept as it comes: whoever ends it goes on next time.
 * Gives how many were made and how many passages the model refused. Throws where the model can't be asked. `most`: passages; `signal`
 * ends it, `tell` is told after each batch how far it is.
 */
export async function fillVectors(
	root: string,
	config: Config["embeddings"],
	how: { env: Env; most?: number; signal?: AbortSignal; tell?: (done: number, of: number) => void },
): Promise<{ made: number; refused: number }> {
	const { model } = config;
	const { env, most, signal, tell } = how;
	const using = <T>(act: (index: SearchIndex) => T): T | null =>
		SearchIndex.use(root, { create: false, waitMs: WAIT_MS }, act);
	const ids = using((index) => withoutVector(index, model, most)) ?? [];
	let [made, refused] = [0, 0];
	for (let from = 0; from < ids.length && !signal?.aborted; from += BATCH) {
		// nothing is held open while the model works
		const passages = using((index) => passagesBy(index, ids.slice(from, from + BATCH))) ?? [];
		const embedded = await embedEach(config, passages, env, signal);
		using((index) => keepVectors(index, model, embedded));
		made += embedded.length;
		refused += passages.length - embedded.length;
		tell?.(made + refused, ids.length);
	}
	return { made, refused };
}

/** All at once; where the model refuses that, one by one. Those that it refuses are left out. Throws where it can't be asked. */
async function embedEach<T extends { text: string }>(
	config: Config["embeddings"],
	passages: readonly T[],
	env: Env,
	end?: AbortSignal,
): Promise<(T & { vector: Float32Array })[]> {
	const ask = async (texts: string[]): Promise<Float32Array[]> => {
		const limit = AbortSignal.timeout(REQUEST_MS);
		try {
			return await vectorsOf(config, texts, { env, signal: AbortSignal.any([limit, ...(end ? [end] : [])]) });
		} catch (error) {
			if (REFUSALS.includes((error as { status?: number }).status ?? 0)) return [];
			throw limit.aborted ? new Error(`did not answer within ${REQUEST_MS / 1000} s`, { cause: error }) : error;
		}
	};
	const vectors = passages.length > 0 ? await ask(passages.map(({ text }) => text)) : [];
	const done: (T & { vector: Float32Array })[] = [];
	for (const [i, passage] of passages.entries()) {
		const vector = vectors[i] ?? (passages.length > 1 ? (await ask([passage.text]))[0] : null);
		if (vector) done.push({ ...passage, vector });
	}
	return done;
}

/** What a server answers to a text that it can't take; it is there, and takes others. */
const REFUSALS = [400, 413, 422, 500];
