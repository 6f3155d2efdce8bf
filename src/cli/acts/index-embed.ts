import { join } from "node:path";
import { counted, grouped } from "../../core/text/text.ts";
import { modelName } from "../../embeddings/embedder.ts";
import { fillVectors } from "../../embeddings/fill.ts";
import { withColdLock } from "../../store/cold-lock.ts";
import { loadConfig } from "../../store/config/config.ts";
import { hostOf, isOn } from "../../store/config/embeddings.ts";
import type { SearchIndex } from "../../store/search/search-index.ts";
import { withIndex } from "../../store/search/search-place.ts";
import { vectorCounts } from "../../store/search/vectors.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { answerJson } from "../support/answer-json.ts";
import type { Io } from "../support/io.ts";
import { progressBar } from "../support/progress-bar.ts";
import { storeFailure } from "../support/store-failure.ts";

/** `ccg index embed`: makes the vectors that are missing; may be ended at any time and called again. */
export async function embed(io: Io, now: Date, json?: boolean): Promise<void> {
	const { root } = storeOf(io);
	const { config, problems } = loadConfig(root);
	const { embeddings } = config;
	if (!isOn(embeddings)) {
		const why = problems.filter((one) => one.startsWith("embeddings")).join("; ");
		throw new Error(
			why
				? `semantic search is off: config.json: ${why}`
				: "semantic search is off: config.json names no embeddings (docs/recall.md)",
		);
	}
	// says so where there is no index
	withIndex(io, now, () => {});
	let tell: ReturnType<typeof progressBar> | undefined;
	const fill = async () => {
		try {
			return await fillVectors(root, embeddings, {
				env: io.env,
				onProgress(done, of) {
					tell ??= progressBar(io, "making vectors", of, json);
					tell(done);
				},
			});
		} catch (error) {
			const where = hostOf(embeddings)?.host ?? "the model";
			throw new Error(`${where} ${(error as Error).message}; the vectors made so far stay`, { cause: error });
		} finally {
			tell?.(null);
		}
	};
	const done = await withColdLock(join(root, "run", "embed"), fill).catch((error) => {
		throw storeFailure("the vectors were not all made", error, root);
	});
	const of = withIndex(io, now, (index) => vectorCounts(index, modelName(embeddings)));
	if (json) return answerJson(io, { ...done, ...of });
	io.out(`${counted(done.made, "vector")} made; ${grouped(of.vectors)} of ${grouped(of.passages)} passages have one`);
	if (done.refused > 0) io.err(`ccg: ${modelName(embeddings)} refused ${grouped(done.refused)} passages`);
}

/** Semantic search as `ccg index status` shows it; `null` where it is off. */
export function semanticStatus(root: string, index: SearchIndex) {
	const { embeddings } = loadConfig(root).config;
	if (!isOn(embeddings)) return null;
	const model = modelName(embeddings);
	const { host = null, isElsewhere = false } = hostOf(embeddings) ?? {};
	return { model, host, isElsewhere, ...vectorCounts(index, model) };
}

/** The same in words. */
export function semanticText(status: ReturnType<typeof semanticStatus>): string {
	if (!status) return "semantic search: off";
	const { model, host, isElsewhere, vectors, passages } = status;
	const missing = vectors < passages ? "; ccg index embed makes the others" : "";
	const leaves = isElsewhere ? `; redacted text of your sessions leaves this machine to ${host}` : "";
	return `semantic search: ${model}${host ? ` at ${host}` : ""}, ${grouped(vectors)} of ${grouped(passages)} passages have a vector${missing}${leaves}`;
}
