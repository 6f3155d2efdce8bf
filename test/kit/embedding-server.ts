import { afterAll } from "vitest";

export interface Received {
	path: string;
	headers: Record<string, string>;
	body: string;
}

type Answer = (texts: string[]) => Response | Promise<Response>;

/** An OpenAI-compatible endpoint on 127.0.0.1 with what it received; ends with the test file. `answer` may answer as it likes. */
export function embeddingServer(answer: Answer): { url: string; received: Received[] } {
	const received: Received[] = [];
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		idleTimeout: 0,
		async fetch(request) {
			const body = await request.text();
			received.push({ path: new URL(request.url).pathname, headers: Object.fromEntries(request.headers), body });
			return answer(JSON.parse(body).input as string[]);
		},
	});
	afterAll(() => void server.stop(true));
	return { url: `http://127.0.0.1:${server.port}/v1`, received };
}

/** What such an endpoint answers; the vectors need not come in order. */
export const vectorsOf = (vectors: unknown[]): Response =>
	Response.json({ data: vectors.map((embedding, index) => ({ index, embedding })).reverse() });

export const honest =
	(model: (text: string) => number[]): Answer =>
	(texts) =>
		vectorsOf(texts.map(model));
