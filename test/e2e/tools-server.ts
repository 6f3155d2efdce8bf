/** A server of tools by MCP on stdio. Its argument: what each tool answers, as JSON by its name. */
const tools: Record<string, object> = JSON.parse(process.argv[2]!);
const _meta = { "anthropic/alwaysLoad": true };
const list = Object.keys(tools).map((name) => ({ name, description: "x", inputSchema: { type: "object" }, _meta }));

for await (const line of console) {
	const { id, method, params } = JSON.parse(line);
	const serverInfo = { name: "x", version: "1" };
	const hello = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
	const result = { initialize: hello, "tools/list": { tools: list } }[method as string] ?? {};
	const answer = method === "tools/call" ? tools[params.name] : { result };
	if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}

export {};
