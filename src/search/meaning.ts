import { type Config, hasEndpoint, makeConfig } from "../core/config/config.ts";
import { readObjectOrReason } from "../files/json-file.ts";
import { configPath, type Env } from "../store/paths.ts";
import { requestVectors } from "./endpoint.ts";
import { readPassages } from "./find.ts";
import { SearchIndex } from "./search-index.ts";
import { idsWithoutVector, insertVectors, type QueryVector } from "./vectors.ts";

/** What a query means: its vector, or why the model gave none in time. */
export type Meaning = QueryVector | { why: string };

/** What a search waits for the vector of its words. */
const LIMIT_MS = 300;
/** What is asked for stands in the first words; models read no more. */
const MOST_QUERY = 2_000;

/** Asks the model for the vector of a query, before the index is opened. `null` where semantic search is off. Never throws. */
export async function embedQuery(root: string, env: Env, words: string): Promise<Meaning | null> {
	// no profile may say where text is sent
	const file = readObjectOrReason(configPath(root));
	const { embeddings: config } = makeConfig(typeof file === "string" ? {} : (file ?? {})).config;
	if (!hasEndpoint(config)) return null;
	const signal = AbortSignal.timeout(LIMIT_MS);
	try {
		const [vector] = await requestVectors(config, [words.slice(0, MOST_QUERY).toWellFormed()], { env, signal });
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
 * Adds the vectors that are missing to the index, those of the newest passages first, `most` of them. Each batch is stored as it comes; `signal`
 * ends it, and the next call goes on. `tell` is called after each batch. Gives how many were made and how many passages the model
 * refused. Throws where the model can't be asked.
 */
export async function addMissingVectors(
	root: string,
	config: Config["embeddings"],
	how: { env: Env; most?: number; signal?: AbortSignal; tell?: (done: number, total: number) => void },
): Promise<{ made: number; refused: number }> {
	const { model } = config;
	const { env, most, signal, tell } = how;
	// (opened for each step, since nothing may be held open while the model works)
	const useIndex = <T>(act: (index: SearchIndex) => T): T | null =>
		SearchIndex.use(root, { create: false, waitMs: WAIT_MS }, act);
	const ids = useIndex((index) => idsWithoutVector(index, model, most)) ?? [];
	let [made, refused] = [0, 0];
	for (let from = 0; from < ids.length && !signal?.aborted; from += BATCH) {
		const passages = useIndex((index) => readPassages(index, ids.slice(from, from + BATCH))) ?? [];
		const embedded = await addVectors(config, passages, env, signal);
		useIndex((index) => insertVectors(index, model, embedded));
		made += embedded.length;
		refused += passages.length - embedded.length;
		tell?.(made + refused, ids.length);
	}
	return { made, refused };
}

/**
 * The passages with the vectors that the model makes of their texts: asked for in one request, where the model refuses that one by one. Without
 * the passages that it refuses. Throws where it can't be asked.
 */
async function addVectors<T extends { text: string }>(
	config: Config["embeddings"],
	passages: readonly T[],
	env: Env,
	end?: AbortSignal,
): Promise<(T & { vector: Float32Array })[]> {
	const ask = async (texts: string[]): Promise<Float32Array[]> => {
		const limit = AbortSignal.timeout(REQUEST_MS);
		try {
			return await requestVectors(config, texts, { env, signal: AbortSignal.any([limit, ...(end ? [end] : [])]) });
		} catch (error) {
			if (REFUSAL_STATUSES.includes((error as { status?: number }).status ?? 0)) return [];
			throw limit.aborted ? new Error(`did not answer within ${REQUEST_MS / 1000} s`, { cause: error }) : error;
		}
	};
	const vectors = passages.length > 0 ? await ask(passages.map(({ text }) => text)) : [];
	const embedded: (T & { vector: Float32Array })[] = [];
	for (const [i, passage] of passages.entries()) {
		const vector = vectors[i] ?? (passages.length > 1 ? (await ask([passage.text]))[0] : null);
		if (vector) embedded.push({ ...passage, vector });
	}
	return embedded;
}

/** What a server answers to a text that it can't take; it is there, and takes others. */
const REFUSAL_STATUSES = [400, 413, 422, 500];
