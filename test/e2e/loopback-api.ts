/**
 * The Messages API that Claude Code talks to in the end-to-end tests: on 127.0.0.1 only, answering from a script and
 * keeping every request body. What a request holds is the proof of what reached the model.
 */

export interface ScriptedCall {
	name: string;
	input: Record<string, unknown>;
}

/** One scripted answer. `tokens` is the context size Claude Code will believe. */
export interface Reply {
	text?: string;
	tools?: ScriptedCall[];
	tokens?: number;
	delayMs?: number;
	/** Answers with an error instead: its HTTP status and its message. */
	error?: { status: number; message: string };
}

export interface ApiRequest {
	body: {
		model: string;
		messages: { role: string; content: unknown }[];
		tools?: { name: string }[];
		metadata?: { user_id?: string };
	};
	/** The id Claude Code names in the request's metadata; `""` where it names none. */
	session: string;
	/** Text of the last message; of a summary request, its instructions. */
	last: string;
	/** Text of the first message. */
	first: string;
	/** Text of every message, in order. */
	all: string;
	kind: "main" | "summary" | "other";
}

/** Answers each request by `script`, and keeps it. */
export function startApi(script: (request: ApiRequest) => Reply) {
	const requests: ApiRequest[] = [];
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		idleTimeout: 60,
		async fetch(incoming) {
			const path = new URL(incoming.url).pathname;
			if (incoming.method !== "POST" || !path.startsWith("/v1/messages")) return Response.json({});
			const body = (await incoming.json()) as ApiRequest["body"] & { stream?: boolean };
			if (path.endsWith("count_tokens")) return Response.json({ input_tokens: 1000 });
			const request = understand(body);
			const index = requests.push(request) - 1;
			const reply = script(request);
			if (reply.delayMs) await Bun.sleep(reply.delayMs);
			return answer(body, reply, index);
		},
	});
	return { url: `http://127.0.0.1:${server.port}`, requests, close: async () => void (await server.stop(true)) };
}

/** All text a message carries, tool results included. */
export function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content
		.map((block) => (block.type === "text" ? block.text : block.type === "tool_result" ? textOf(block.content) : ""))
		.join("\n");
}

function understand(body: ApiRequest["body"]): ApiRequest {
	const texts = body.messages.map((message) => textOf(message.content));
	// the summariser's instructions are not always last: a hook's context may stand behind them
	const asked = texts
		.slice(-3)
		.find((text) => /detailed summary of (the|this|our) (recent portion of the )?conversation/i.test(text));
	const last = asked ?? texts.at(-1) ?? "";
	const summary = asked !== undefined;
	return {
		body,
		session: /session_id"?:?"?_?([0-9a-f-]{36})/.exec(body.metadata?.user_id ?? "")?.[1] ?? "",
		last,
		first: texts[0] ?? "",
		all: texts.join("\n"),
		kind: summary ? "summary" : body.tools?.length ? "main" : "other",
	};
}

function answer(body: { model: string; stream?: boolean }, reply: Reply, index: number): Response {
	if (reply.error) {
		const { status, message } = reply.error;
		const error = { type: status < 500 ? "invalid_request_error" : "api_error", message };
		return Response.json({ type: "error", error }, { status, headers: { "x-should-retry": "false" } });
	}
	const id = () => `toolu_${index}_${Math.random().toString(36).slice(2)}`;
	const calls = (reply.tools ?? []).map((call) => ({ type: "tool_use", id: id(), ...call }));
	const content: object[] = reply.text ? [{ type: "text", text: reply.text }, ...calls] : calls;
	const stop_reason = reply.tools?.length ? "tool_use" : "end_turn";
	const cached = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
	const usage = { input_tokens: reply.tokens ?? 1000, ...cached, output_tokens: 20 };
	const message = { id: `msg_${index}_${Date.now()}`, type: "message", role: "assistant", model: body.model };
	if (!body.stream) return Response.json({ ...message, content, stop_reason, stop_sequence: null, usage });
	const start = { message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage } };
	const events: [string, object][] = [
		["message_start", start],
		...content.flatMap((block, i) => blockEvents(block as Record<string, unknown>, i)),
		["message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } }],
		["message_stop", {}],
	];
	const wire = events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`).join("");
	return new Response(wire, { headers: { "content-type": "text/event-stream" } });
}

function blockEvents(block: Record<string, unknown>, index: number): [string, object][] {
	const isText = block.type === "text";
	const delta = isText
		? { type: "text_delta", text: block.text }
		: { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
	return [
		["content_block_start", { index, content_block: isText ? { type: "text", text: "" } : { ...block, input: {} } }],
		["content_block_delta", { index, delta }],
		["content_block_stop", { index }],
	];
}

/** The summary the tests' summariser always gives: it keeps nothing of what the user said, and makes up what the second part names. */
export const SUMMARY =
	'<analysis>short</analysis><summary>The user wants a parser. The user said "paint the zebra purple tonight".</summary>';
