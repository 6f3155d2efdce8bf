/** Semantic search: where texts become vectors. Off as long as `url` is not set. */
export interface EmbeddingsConfig {
	/** An OpenAI-compatible endpoint, such as `http://127.0.0.1:11434/v1`. */
	url: string;
	model: string;
	/** The environment variable that holds the key; never the key itself. */
	keyEnv: string;
}

export const NO_EMBEDDINGS: EmbeddingsConfig = { url: "", model: "", keyEnv: "" };

export const isOn = ({ url }: EmbeddingsConfig): boolean => url !== "";

/** What is wrong with the configuration of semantic search: then it is off. `null` where nothing is. */
export function embeddingsProblem(config: EmbeddingsConfig): string | null {
	const { url, model, keyEnv } = config;
	if (!isOn(config)) return null;
	if (!/^[^\p{C}]{1,200}$/u.test(model))
		return "model: must name the model the endpoint has, in at most 200 characters";
	if (keyEnv && !/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(keyEnv))
		return "keyEnv: must be the name of an environment variable, not the key itself";
	return urlProblem(url);
}

function urlProblem(text: string): string | null {
	const url = URL.parse(text);
	if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
		return "url: must begin with http:// or https://";
	if (url.username || url.password) return "url: must hold no name and no password; keyEnv names where the key stands";
	if (url.search || url.hash) return "url: must end with its path, as in http://127.0.0.1:11434/v1";
	if (url.protocol === "http:" && !isLoopback(url.hostname))
		return `url: http to ${url.hostname} would send your sessions' text unencrypted; use https, or an endpoint on this machine`;
	return null;
}

/** Whether a host is this machine by its very name: no name server is asked. */
const isLoopback = (host: string): boolean =>
	host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Where the text goes: the host, and whether that is another machine. */
export function hostOf({ url }: EmbeddingsConfig): { host: string; isElsewhere: boolean } | null {
	const parsed = url ? URL.parse(url) : null;
	return parsed && { host: parsed.host, isElsewhere: !isLoopback(parsed.hostname) };
}
