import { redactSecrets } from "../core/redact/secrets.ts";
import { readBytes } from "../store/json-file.ts";
import { configPath, type Env } from "../store/paths.ts";
import type { Meaning } from "../store/search/recall.ts";

/** The part of semantic search that is loaded when it is on. */
export type MeaningBundle = typeof import("./meaning.ts");

let load = (file = `${import.meta.dirname}/meaning.ts`): MeaningBundle => require(file);

/** Says where an entry's semantic search lies: a bundle of its own, which hardly anybody needs. */
export function meaningFrom(loader: () => MeaningBundle): void {
	load = loader;
}

/** A longer file is no configuration. */
const MAX_CONFIG_BYTES = 64 * 1024;

/** What a search needs to find by meaning as well; `null`, and nothing is loaded, where config.json does not name it. */
export function askMeaning(root: string, env: Env, words: string): Promise<Meaning | null> | null {
	const file = readBytes(configPath(root), { maxBytes: MAX_CONFIG_BYTES });
	if (file.state !== "good" || !file.text.includes('"embeddings"')) return null;
	return load().meaningOf(root, words, { env, redact: redactSecrets });
}
