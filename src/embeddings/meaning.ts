import { fused } from "../core/search/fusion.ts";
import { loadConfig } from "../store/config/config.ts";
import { isOn } from "../store/config/embeddings.ts";
import type { Env } from "../store/paths.ts";
import type { Meaning } from "../store/search/recall.ts";
import { hasVectors, nearest } from "../store/search/vectors.ts";
import { type Embedder, embedderOf } from "./embedder.ts";

/** What a search waits for the vector of its words. */
const LIMIT_MS = 300;
/** A model on the disk is loaded first, and does not go away. */
const ONNX_LIMIT_MS = 10_000;
/** Passages near in meaning that are joined with those that hold the words. */
const NEAREST = 40;
/** What is asked for stands in the first words; models read no more. */
const MOST_QUERY = 2_000;

/**
 * What a search needs to find by meaning as well: the vector of its words, asked for here, before the index is opened. `null` where
 * semantic search is off. Never throws: what fails is the `line` of the answer, and the words alone are searched.
 */
export async function meaningOf(
	root: string,
	words: string,
	{ env, redact }: { env: Env; redact(text: string): string },
): Promise<Meaning | null> {
	const { embeddings: config } = loadConfig(root).config;
	if (!isOn(config)) return null;
	const embedder = embedderOf(config, { env, redact });
	const limitMs = config.onnx ? ONNX_LIMIT_MS : LIMIT_MS;
	const signal = AbortSignal.timeout(limitMs);
	try {
		const [vector] = await embedder.embed([words.slice(0, MOST_QUERY).toWellFormed()], "query", signal);
		return joining(embedder, vector!);
	} catch (error) {
		return textAlone(signal.aborted ? `did not answer within ${limitMs} ms` : (error as Error).message);
	}
}

const textAlone = (why: string): Meaning => ({ line: `semantic search ${why}: text alone`, join: (_, found) => found });

function joining({ model }: Embedder, vector: Float32Array): Meaning {
	const meaning: Meaning = {
		line: null,
		join(index, found, filter) {
			if (!hasVectors(index, model)) {
				meaning.line = `no passage has a vector of ${model} yet, text alone: ccg index embed makes them`;
				return found;
			}
			try {
				return fused(found, nearest(index, model, vector, filter, NEAREST));
			} catch (error) {
				// SQLite's own failures are the index's
				if ("code" in (error as object)) throw error;
				meaning.line = textAlone((error as Error).message).line;
				return found;
			}
		},
	};
	return meaning;
}
