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
/** How often the server checks that its parent lives: another process may hold the parent's end of the pipe open. */
const PARENT_LOOK_MS = 5_000;
/** After the end of stdin a running call gets so long. */
const END_MS = 1_000;

/** `ccg mcp`: serves one session over stdin and stdout, until stdin ends or the parent is gone. Failures go to ccg's log, never to stdout. */
export function serve(): void {
	keepOut(process.env);
	const problem = enterFolder(process.env);
	const log = (reason: unknown): void => logIn(place, reason);
	const place: Place = { env: process.env, cwd: process.cwd(), tell: tellOnce(log) };
	if (problem) log(problem);
	const client = { pid: process.ppid, sinceMs: Date.now() };
	const placeOfCall = (): CallPlace => {
		if (problem) throw new Error(problem);
		return callPlace(place, client);
	};
	serveStdio(() => makeServer(placeOfCall, log), {
		transport: new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES }),
		onerror: log,
	});
	endWithClient();
}

/** Ends this process soon after stdin ends, or when the process that started it is gone. */
function endWithClient(): void {
	const parent = process.ppid;
	const end = (): void => void setTimeout(() => process.exit(0), END_MS).unref();
	process.stdin.on("end", end);
	process.stdin.on("close", end);
	setInterval(() => process.ppid !== parent && process.exit(0), PARENT_LOOK_MS).unref();
}

/** Makes the server of one connection. It finds store and project anew for each call: it keeps nothing open and nothing in memory. */
function makeServer(placeOfCall: () => CallPlace, log: (reason: unknown) => void): Server {
	const server = new Server(
		{ name: "ccg", version: manifest.version },
		{ capabilities: { tools: {} }, instructions: INSTRUCTIONS },
	);
	server.setRequestHandler("tools/list", () => ({ tools: LISTED }));
	server.setRequestHandler("tools/call", async ({ params }) => {
		try {
			return toolAnswer(await callTool(params.name, params.arguments, placeOfCall, new Date()));
		} catch (error) {
			if (isOfSystem(error)) log(`${params.name.slice(0, 40)}: ${failureWords(error)}`);
			return failureAnswer(error);
		}
	});
	return server;
}

/** Whether the system caused the error, and not ccg itself for a wrong argument. */
const isOfSystem = (error: unknown): boolean => errorCode(error) !== "" || (error as Error).cause !== undefined;
