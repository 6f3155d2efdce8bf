/**
 * A prototype for bench/ways.ts: ccg's hooks as the tool of a server that runs beside the session, for settings of the type
 * `mcp_tool`. Not part of ccg. `CCG_BENCH_MCP` makes it ill: `slow` (each call takes a second), `hung`, `dead` (it ends at the
 * first call).
 */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { type RedactionRules, rulesFrom } from "../../src/core/redact/lazy-rules.ts";
import { postCompact } from "../../src/events/post-compact.ts";
import { postToolBatch } from "../../src/events/post-tool-batch.ts";
import { preCompact } from "../../src/events/pre-compact.ts";
import { preToolUse } from "../../src/events/pre-tool-use.ts";
import type { EventHandler, SessionInput } from "../../src/events/run/event.ts";
import { sessionStart } from "../../src/events/session-start.ts";
import { stop } from "../../src/events/stop.ts";
import { userPromptSubmit } from "../../src/events/user-prompt-submit.ts";
import { loadConfig } from "../../src/store/config/config.ts";
import { storeRoot } from "../../src/store/paths.ts";

rulesFrom((): RedactionRules => require("../../src/core/redact/rules.ts"));
const root = storeRoot(process.env)!;
const HANDLERS: Record<string, EventHandler> = {
	PreToolUse: preToolUse,
	PostToolBatch: postToolBatch,
	UserPromptSubmit: userPromptSubmit,
	PreCompact: preCompact,
	SessionStart: sessionStart,
	PostCompact: postCompact,
	Stop: stop,
};
const TOOL = { name: "hook", description: "A hook of ccg's.", inputSchema: { type: "object", properties: {} } };

for await (const line of createInterface({ input: process.stdin })) {
	const { id, method, params } = JSON.parse(line);
	const reply = (result: object) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
	if (method === "initialize")
		reply({
			protocolVersion: params.protocolVersion,
			capabilities: { tools: {} },
			serverInfo: { name: "ccg", version: "0" },
		});
	else if (method === "tools/list") reply({ tools: [TOOL] });
	else if (method === "tools/call") reply({ content: [{ type: "text", text: await answered(params.arguments) }] });
	else if (id !== undefined)
		console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } }));
}

async function answered(input: SessionInput): Promise<string> {
	const ill = process.env.CCG_BENCH_MCP;
	if (ill === "dead") process.exit(1);
	if (ill === "slow") await Bun.sleep(1_000);
	if (ill === "hung") await new Promise(() => {});
	const log = (reason: unknown) => appendFileSync(`${root}.log`, `${input.hook_event_name} ${reason}\n`);
	try {
		const handler = HANDLERS[input.hook_event_name ?? ""];
		const tell = () => {};
		const services = {
			env: process.env,
			root,
			tell,
			config: loadConfig(root).config,
			now: new Date(),
			launcher: "/ccg/bin/ccg",
			log,
		};
		return handler?.(input, services) ?? "";
	} catch (error) {
		log(error);
		return "";
	}
}
