import { normalisedVector } from "../core/search/vector.ts";
import type { EmbeddingsConfig } from "../store/config/embeddings.ts";
import type { Env } from "../store/paths.ts";
import { askEndpoint } from "./endpoint.ts";
import { askModel } from "./onnx.ts";

/** Makes vectors of texts. */
export interface Embedder {
	/** What makes them, as the index keeps it: vectors of another name are no use. */
	model: string;
	/** Vectors of length 1, in the order of the texts. Throws with a reason in words. */
	embed(texts: readonly string[], kind: "query" | "passage", signal: AbortSignal): Promise<Float32Array[]>;
}

/** The embedder a configuration describes. What it is given passes redaction here, whatever happened to it before. */
export function embedderOf(
	config: EmbeddingsConfig,
	{ env, redact }: { env: Env; redact(text: string): string },
): Embedder {
	const { onnx, dimensions, passagePrefix, queryPrefix } = config;
	return {
		model: modelName(config),
		async embed(texts, kind, signal) {
			const prefix = kind === "query" ? queryPrefix : passagePrefix;
			const safe = texts.map((text) => prefix + redact(text));
			const asked = onnx ? askModel(onnx, safe) : askEndpoint(config, safe, { env, signal });
			const vectors = await within(signal, asked);
			if (vectors.length !== texts.length) throw new Error("answered something else than vectors");
			return vectors.map((vector) => normalisedVector(vector, dimensions || undefined));
		},
	};
}

/** A passage's prefix is part of its vector; the query's is not. */
export const modelName = ({ onnx, model, dimensions, passagePrefix }: EmbeddingsConfig): string =>
	[
		onnx || model,
		...(dimensions ? [`${dimensions} numbers`] : []),
		...(passagePrefix ? [`"${passagePrefix}"`] : []),
	].join(", ");

/** Gives up at the signal, whatever the work does with it. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
	return new Promise((resolve, reject) => {
		const end = (): void => reject(signal.reason);
		if (signal.aborted) end();
		signal.addEventListener("abort", end, { once: true });
		work.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
	});
}
