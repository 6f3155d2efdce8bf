import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import manifest from "../../package.json" with { type: "json" };
import { registerEnvironmentSecrets } from "../core/redact/secrets.ts";
import { errorCode } from "../files/system-failure.ts";
import { enterFolder } from "../install/launcher.ts";
import { type CommandContext, reportOnce } from "../store/session-handle.ts";
import { failureAnswer, safeErrorText, toolAnswer } from "./answer.ts";
import { type CallContext, callContext, logMcpFailure } from "./place.ts";
import { callTool, INSTRUCTIONS, TOOL_LIST } from "./tools.ts";

/** A longer message closes the connection; the longest note has 8,000 characters. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** How often the server checks that its parent lives: another process may hold the parent's end of the pipe open. */
const PARENT_CHECK_MS = 5_000;
/** How long a running call may go on after stdin has ended. */
const EXIT_DELAY_MS = 1_000;

/** `ccg mcp`: serves one session over stdin and stdout, until stdin ends or the parent is gone. Failures go to ccg's log, never to stdout. */
export function serve(): void {
	registerEnvironmentSecrets(process.env);
	const problem = enterFolder(process.env);
	const log = (reason: unknown): void => logMcpFailure(context, reason);
	const context: CommandContext = { env: process.env, cwd: process.cwd(), onProblem: reportOnce(log) };
	if (problem) log(problem);
	const client = { pid: process.ppid, sinceMs: Date.now() };
	const findContext = (): CallContext => {
		if (problem) throw new Error(problem);
		return callContext(context, client);
	};
	serveStdio(() => makeServer(findContext, log), {
		transport: new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES }),
		onerror: log,
	});
	endWithClient();
}

/** Ends this process soon after stdin ends, or when the process that started it is gone. */
function endWithClient(): void {
	const parent = process.ppid;
	const end = (): void => void setTimeout(() => process.exit(0), EXIT_DELAY_MS).unref();
	process.stdin.on("end", end);
	process.stdin.on("close", end);
	setInterval(() => process.ppid !== parent && process.exit(0), PARENT_CHECK_MS).unref();
}

/** Makes the server of one connection. It keeps nothing between calls: `findContext` finds store and project anew for each. */
function makeServer(findContext: () => CallContext, log: (reason: unknown) => void): Server {
	const identity = { name: "ccg", version: manifest.version };
	const server = new Server(identity, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
	server.setRequestHandler("tools/list", () => ({ tools: TOOL_LIST }));
	server.setRequestHandler("tools/call", async ({ params }) => {
		try {
			return toolAnswer(await callTool(params.name, findContext, new Date(), params.arguments));
		} catch (error) {
			if (isSystemError(error)) log(`${params.name.slice(0, 40)}: ${safeErrorText(error)}`);
			return failureAnswer(error);
		}
	});
	return server;
}

/** Whether an error comes from the system, or from a cause below; without either ccg threw it, for a wrong argument. */
const isSystemError = (error: unknown): boolean => errorCode(error) !== "" || (error as Error).cause !== undefined;
