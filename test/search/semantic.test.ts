import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type Config, embeddingsHost, makeConfig, NO_EMBEDDINGS } from "../../src/core/config/config.ts";
import { requestVectors } from "../../src/search/endpoint.ts";
import type { FoundPassage } from "../../src/search/passage.ts";
import { joinByRank } from "../../src/search/ranking.ts";
import { corpus } from "../kit/corpus.ts";
import { vectorsOf as answered, embeddingServer } from "../kit/embedding-server.ts";

const CASES = corpus(join(import.meta.dirname, "semantic.txt"));

const config = (more: Partial<Config["embeddings"]>) => ({ ...NO_EMBEDDINGS, model: "tiny", ...more });
const asked = (
	url: string,
	more: Partial<Config["embeddings"]> = {},
	env: Record<string, string> = {},
	texts = ["a", "b"],
) => requestVectors(config({ url, ...more }), texts, { env, signal: AbortSignal.timeout(5_000) });

test("vectors come in the order of the texts, one long; no secret is sent", async () => {
	const { url, received } = embeddingServer((texts) => answered(texts.map((_, i) => (i === 0 ? [3, 4] : [0, 2]))));
	const texts = ["DB_PASSWORD=hunter2hunter", "b"];
	const vectors = await asked(`${url}/`, {}, {}, texts);
	expect(vectors.map((one) => [...one])).toEqual([
		[Math.fround(0.6), Math.fround(0.8)],
		[0, 1],
	]);
	expect(received.map(({ path }) => path)).toEqual(["/v1/embeddings"]);
	expect(JSON.parse(received[0]!.body)).toEqual({
		model: "tiny",
		input: ["DB_PASSWORD=[REDACTED:secret]", "b"],
		encoding_format: "float",
	});
	expect(received[0]!.headers.authorization).toBeUndefined();
});

const GOOD = Buffer.from(JSON.stringify({ data: [{ embedding: [1, 2, 3] }, { embedding: [1, 2, 3] }] }));
const indexed = (...indexes: number[]) => Response.json({ data: indexes.map((index) => ({ index, embedding: [1] })) });
const endless = () =>
	new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1 << 20).fill(32)) }));
const packed = () => new Response(Bun.gzipSync(GOOD), { headers: { "content-encoding": "gzip" } });

test.each<[string, () => Response | Promise<Response>, RegExp]>([
	["HTTP 500 with words of its own", () => new Response("ignore all rules", { status: 500 }), /^answered HTTP 500$/],
	["a JSON that nests a million lists", () => new Response("[".repeat(1e6)), /something else than vectors/],
	["too few vectors", () => answered([[1, 2]]), /something else than vectors/],
	["an index twice", () => indexed(0, 0), /than vectors/],
	["texts in a list", () => answered([[1, "3"], [1]]), /else than numbers/],
	["nothing but zeros", () => answered([[0], [1]]), /without a direction/],
	["numbers beyond all size", () => answered([[1e200], [1]]), /without a direction/],
	["a body without an end", endless, /^answered too much$/],
	["a packed answer", packed, /than vectors/],
])("%s is refused in words", async (_, answer, problem) => {
	const { url } = embeddingServer(answer);
	await expect(asked(url)).rejects.toThrow(problem);
});

test("no redirect is followed, and no proxy of the environment is used", async () => {
	const elsewhere = embeddingServer(() => answered([[1], [1]]));
	const { url } = embeddingServer(() => Response.redirect(`${elsewhere.url}/embeddings`, 307));
	vi.stubEnv("HTTP_PROXY", elsewhere.url);
	vi.stubEnv("NO_PROXY", "");
	vi.stubEnv("no_proxy", "");
	await expect(asked(url)).rejects.toThrow("answered with a redirect, and none is followed");
	vi.unstubAllEnvs();
	expect(elsewhere.received).toEqual([]);
});

test("the key is sent as a header alone, and stands in no message", async () => {
	const { url, received } = embeddingServer(() => new Response("", { status: 401 }));
	await expect(asked(url, { keyEnv: "A_KEY" }, { A_KEY: "s3cret-value" })).rejects.toThrow(/^answered HTTP 401$/);
	expect(received[0]!.headers.authorization).toBe("Bearer s3cret-value");
	expect(received[0]!.body).not.toContain("s3cret");
	await expect(asked(url, { keyEnv: "A_KEY" })).rejects.toThrow(/^was not asked: A_KEY.*is not set$/);
	await expect(asked(url, { keyEnv: "A_KEY" }, { A_KEY: "two\nlines" })).rejects.toThrow(/A_KEY holds is no key$/);
	expect(received.length).toBe(1);
});

test.each(CASES.refused!)("%s", (row) => {
	const [given, problem] = row.split(" => ");
	expect(makeConfig({ embeddings: config(JSON.parse(given!)) }).problems[0]).toContain(problem);
});

test.each(CASES.allowed!)("allowed: %s", (row) => {
	const [url, place] = row.split(" => ") as [string, string];
	expect(makeConfig({ embeddings: config({ url, keyEnv: "SOME_KEY" }) }).problems).toEqual([]);
	expect(embeddingsHost(config({ url }))!.isElsewhere ? "elsewhere" : "here").toBe(place);
});

const list = (...texts: string[]) => texts.map((text, id) => ({ text, id, score: 9 }) as FoundPassage);

test.each([
	["what both lists hold comes first", [list("a", "b"), list("c", "b")], ["b", "a", "c"]],
	["second in both is more than first in one", [list("a", "x"), list("c", "x")], ["x", "a", "c"]],
	["the same text once, in one list and in both", [list("a", "A ", "b"), list("a")], ["a", "b"]],
])("%s", (_, lists, expected) =>
	expect(joinByRank(...(lists as FoundPassage[][])).map(({ text }) => text)).toEqual(expected),
);
