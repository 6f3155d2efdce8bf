import type { Config } from "../core/config/config.ts";
import { redactSecrets } from "../core/redact/secrets.ts";
import { type Json, parseBoundedJson } from "../core/transcript/quiet-json.ts";
import { errorCode } from "../files/system-failure.ts";
import type { Env } from "../store/paths.ts";

/** What an answer may have: 32 vectors of 4,096 numbers are 3 MB as JSON. */
const MAX_BYTES = 8 * 1024 * 1024;
/** More numbers than any model's vectors have. */
const MAX_LENGTH = 4_096;

/**
 * Asks an OpenAI-compatible endpoint (`POST <url>/embeddings`) for the vectors of texts, of length 1 and in their order. The one place
 * that sends anything, redacted here whatever happened to it before, to that host and no other: no redirect is followed, no proxy of the
 * environment used (a project's settings may set one), certificates are checked whatever the environment says. Throws with a reason that
 * holds nothing of the answer, the texts or the key; with `status` where the server refused.
 */
export async function requestVectors(
	config: Config["embeddings"],
	texts: readonly string[],
	{ env, signal }: { env: Env; signal: AbortSignal },
): Promise<Float32Array[]> {
	const { url, model } = config;
	const input = texts.map(redactSecrets);
	const headers = { "content-type": "application/json", accept: "application/json", ...authorization(config, env) };
	// Bun reads it at each request
	process.env.NO_PROXY = "*";
	process.env.no_proxy = "*";
	let response: Response;
	try {
		response = await fetch(`${url.endsWith("/") ? url.slice(0, -1) : url}/embeddings`, {
			method: "POST",
			headers: { ...headers, "accept-encoding": "identity", connection: "close" },
			body: JSON.stringify({ model, input, encoding_format: "float" }),
			redirect: "manual",
			signal,
			// packed, a small answer could become a huge one
			decompress: false,
			tls: { rejectUnauthorized: true },
		} as RequestInit);
	} catch (error) {
		signal.throwIfAborted();
		// a word such as `ConnectionRefused`; never the message, which may hold what was sent
		const word = errorCode(error) || (error as Error).name;
		throw new Error(`could not be reached (${/^[A-Za-z_]{1,40}$/.test(word) ? word : "no connection"})`);
	}
	try {
		if (response.status >= 300 && response.status < 400)
			throw new Error("answered with a redirect, and none is followed");
		if (!response.ok) throw Object.assign(new Error(`answered HTTP ${response.status}`), { status: response.status });
		return parseVectors(parseBoundedJson(await readBody(response)), texts.length).map(normalisedVector);
	} finally {
		// what was not read is not waited for
		void response.body?.cancel().catch(() => {});
	}
}

/** The header with the key that the environment holds for the endpoint; none where the configuration names no variable for it. */
function authorization({ keyEnv }: Config["embeddings"], env: Env): Record<string, string> {
	if (!keyEnv) return {};
	const key = env[keyEnv];
	if (!key) throw new Error(`was not asked: ${keyEnv}, which should hold its key, is not set`);
	if (!/^[\x21-\x7e]{1,4096}$/.test(key)) throw new Error(`was not asked: what ${keyEnv} holds is no key`);
	return { authorization: `Bearer ${key}` };
}

/** Reads the text of an answer, up to a limit. */
async function readBody({ body }: Response): Promise<string> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of body ?? []) {
		bytes += chunk.length;
		if (bytes > MAX_BYTES) throw new Error("answered too much");
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

/** The vectors in an answer `{ data: [{ index, embedding }] }`, in the order of the texts; a server that gives no index keeps their order. */
function parseVectors(answer: unknown, textCount: number): unknown[] {
	const { data } = Object(answer) as Json;
	const wrongAnswer = new Error("answered something else than vectors");
	if (!Array.isArray(data) || data.length !== textCount) throw wrongAnswer;
	const vectors = new Map<unknown, unknown>();
	for (const [i, one] of data.entries()) {
		const { index = i, embedding } = Object(one) as Json;
		vectors.set(index, embedding);
	}
	return data.map((_, i) => {
		if (!vectors.has(i)) throw wrongAnswer;
		return vectors.get(i);
	});
}

/**
 * A vector of length 1 made of what a model answered. Throws where that is none: no list, too long, a number that is not finite, nothing
 * but zeros.
 */
export function normalisedVector(value: unknown): Float32Array {
	if (!Array.isArray(value) || value.length === 0 || value.length > MAX_LENGTH) throw new Error("answered no vector");
	if (!value.every(Number.isFinite)) throw new Error("answered a vector with something else than numbers");
	const size = Math.sqrt(value.reduce((sum, one) => sum + one * one, 0));
	if (!(size > 0 && Number.isFinite(size))) throw new Error("answered a vector without a direction");
	return Float32Array.from(value, (one) => one / size);
}
