import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import manifest from "../../package.json" with { type: "json" };
import { keepOut } from "../core/redact/secrets.ts";
import { errorCode } from "../files/system-failure.ts";
import { enterFolder } from "../install/launcher.ts";
import { type Place, tellOnce } from "../store/session-handle.ts";
import { failureAnswer, failureWords, toolAnswer } from "./answer.ts";
import { type CallPlace, callPlace, logIn } from "./place.ts";
import { callTool, INSTRUCTIONS, LISTED } from "./tools.ts";

/** A longer message closes the connection; the longest note has 8,000 characters. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** How often the server looks whether its parent is there: the parent's end of the pipe may have been handed on. */
const PARENT_LOOK_MS = 5_000;
/** After the end of stdin whatever still runs is given so long. */
const END_MS = 1_000;

/**
 * `ccg mcp`: the MCP server of one session, over stdin and stdout. stdout carries the protocol and nothing else; what fails is a
 * line in ccg's log. It ends with stdin, or when the process that started it is gone.
 */
export function serve(): void {
	keepOut(process.env);
	const problem = enterFolder(process.env);
	const log = (reason: unknown): void => logIn(place, reason);
	const place: Place = { env: process.env, cwd: process.cwd(), tell: tellOnce(log) };
	if (problem) log(problem);
	const client = { pid: process.ppid, sinceMs: Date.now() };
	const here = (): CallPlace => {
		if (problem) throw new Error(problem);
		return callPlace(place, client);
	};
	serveStdio(() => makeServer(here, log), {
		transport: new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES }),
		onerror: log,
	});
	endWithClient();
}

function endWithClient(): void {
	const parent = process.ppid;
	const end = (): void => void setTimeout(() => process.exit(0), END_MS).unref();
	process.stdin.on("end", end);
	process.stdin.on("close", end);
	setInterval(() => process.ppid !== parent && process.exit(0), PARENT_LOOK_MS).unref();
}

/** The server of one connection. What it works on is looked up for each call: it keeps nothing open and nothing in memory. */
function makeServer(here: () => CallPlace, log: (reason: unknown) => void): Server {
	const server = new Server(
		{ name: "ccg", version: manifest.version },
		{ capabilities: { tools: {} }, instructions: INSTRUCTIONS },
	);
	server.setRequestHandler("tools/list", () => ({ tools: LISTED }));
	server.setRequestHandler("tools/call", async ({ params }) => {
		try {
			return toolAnswer(await callTool(params.name, params.arguments, here, new Date()));
		} catch (error) {
			if (isOfSystem(error)) log(`${params.name.slice(0, 40)}: ${failureWords(error)}`);
			return failureAnswer(error);
		}
	});
	return server;
}

/** Not what ccg itself says of a wrong argument. */
const isOfSystem = (error: unknown): boolean => errorCode(error) !== "" || (error as Error).cause !== undefined;
