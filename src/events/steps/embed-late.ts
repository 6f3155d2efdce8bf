import { isOn } from "../../store/config/embeddings.ts";
import type { Services } from "../run/event.ts";

/** Passages of one turn: what a turn says is fewer, and the rest waits for the next or for `ccg index embed`. */
const MOST = 64;
/** The turn is over and nobody waits; a new one may begin. */
const LIMIT_MS = 5_000;

/**
 * Makes vectors of the newest passages that have none, where semantic search is on. Goes on behind the hook's answer; a model that can't
 * be asked is not a failure of the hook: recall says so, and `ccg index status` what is missing.
 */
export function embedLate({ root, env, config: { search, embeddings } }: Services): void {
	if (!search.enabled || !isOn(embeddings) || embeddings.onnx) return;
	const { fillVectors } = require("../../embeddings/fill.ts") as typeof import("../../embeddings/fill.ts");
	fillVectors(root, embeddings, { env, most: MOST, signal: AbortSignal.timeout(LIMIT_MS) }).catch(() => {});
}
